import { newRunId } from '@trawl/contracts';
import { describe, expect, test } from 'vitest';
import { withoutDeadlines } from './model/run-view.ts';
import {
  at,
  beginOn,
  claim,
  ended,
  fetchOn,
  keyOf,
  link,
  ok,
  owedBy,
  processed,
  stepOf,
  testCrawl,
} from './test-run.ts';

const { state, start } = testCrawl();

describe('admit', () => {
  test('lets a new URL in and owes one session per host', async () => {
    const run = await start([]);
    const owed = owedBy(await state.admit(run.runId, [link('a/1'), link('a/2'), link('b/1')]));
    expect(owed.fetch.map((f) => f.host).sort()).toEqual(['a.test', 'b.test']);
    expect((await run.view()).queued).toEqual([keyOf('a/1'), keyOf('a/2'), keyOf('b/1')]);
  });

  test('changes nothing and owes nothing when repeated', async () => {
    const run = await start(['a/1', 'a/2']);
    const before = await run.view();
    const owed = owedBy(await state.admit(run.runId, [link('a/1'), link('a/2'), link('a/1')]));
    expect(owed).toMatchObject({ fetch: [], relink: [], finalize: false });
    expect(await run.view()).toEqual(before);
  });

  test('says over, and writes nothing, for a run that ended and for one that never was', async () => {
    const run = await start(['a/1']);
    await state.cancel(run.runId);
    const before = await run.view();
    expect(await state.admit(run.runId, [link('a/2')])).toEqual({ kind: 'over' });
    expect(await run.view()).toEqual(before);
    const nobody = newRunId();
    expect(await state.admit(nobody, [link('a/2')])).toEqual({ kind: 'over' });
    expect(await state.progress(nobody)).toBeNull();
  });

  test('puts links of a page one below it, as deep as it is now, and forgets those of a page it does not know', async () => {
    const run = await start(['a/1'], { maxDepth: 1 });
    await state.admit(run.runId, [link('a/2')], { key: keyOf('a/1'), url: 'https://a.test/1' });
    await state.admit(run.runId, [link('a/3')], { key: keyOf('a/2'), url: 'https://a.test/2' });
    await state.admit(run.runId, [link('a/4')], { key: keyOf('a/unknown'), url: 'https://a.test/unknown' });
    const view = await run.view();
    expect(view.frontier['a.test']).toEqual({ [keyOf('a/1')]: 0, [keyOf('a/2')]: 1 });
    expect(view.parents).toEqual({ 0: 'https://a.test/1' });
  });

  test('counts each URL past maxUrls once, however often it is found', async () => {
    const run = await start(['a/1', 'a/2'], { maxUrls: 2 });
    await state.admit(run.runId, [link('a/3'), link('a/4')]);
    await state.admit(run.runId, [link('a/3'), link('a/1')]);
    expect(await state.progress(run.runId)).toMatchObject({ queued: 2, beyond: 2 });
  });

  test('lets boosted paths be claimed before all others, then the shallow before the deep', async () => {
    const run = await start(['a/root']);
    const parent = { key: keyOf('a/root'), url: 'https://a.test/root' };
    await state.admit(run.runId, [link('a/deep'), link('a/boosted', { boosted: true })], parent);
    const claims = await claim(run, await beginOn(run, 'a'));
    expect(claims.map((c) => c.key)).toEqual(['a/boosted', 'a/root', 'a/deep'].map(keyOf));
  });

  test('keeps the URL as it was found for the request', async () => {
    const run = await start([]);
    const owed = owedBy(await state.admit(run.runId, [link('a/1', { url: 'http://www.a.test/1/' })]));
    expect(at(await claim(run, await beginOn(run, 'a', owed))).url).toBe('http://www.a.test/1/');
  });

  test('moves a waiting URL up when it is found by a shorter way, and leaves one in flight alone', async () => {
    const run = await start(['a/1', 'b/1']);
    const parent = { key: keyOf('a/1'), url: 'https://a.test/1' };
    await state.admit(run.runId, [link('a/2'), link('b/2')], parent);
    const onB = await beginOn(run, 'b');
    expect(await claim(run, onB)).toHaveLength(2);
    await state.admit(run.runId, [link('a/2'), link('b/2')]);
    const view = await run.view();
    expect(view.frontier).toEqual({ 'a.test': { [keyOf('a/1')]: 0, [keyOf('a/2')]: 0 } });
    expect(view.task[keyOf('b/2')]).toMatch(/^0 /);
  });

  test('leaves failed, skipped and processed URLs in their states', async () => {
    const run = await start(['a/1', 'a/2', 'a/3', 'b/keeps-the-run-open']);
    const session = await beginOn(run, 'a');
    const claims = await claim(run, session);
    await stepOf(run, session, [ended(at(claims, 0), 'fail', 'HTTP_404'), ended(at(claims, 1), 'skip', 'NOT_HTML')]);
    const page = at((await stepOf(run, session, [ok(at(claims, 2))])).owed.process);
    await state.settle(run.runId, [processed(page)]);
    const before = withoutDeadlines(await run.view());
    await state.admit(run.runId, [link('a/1'), link('a/2'), link('a/3')]);
    expect(withoutDeadlines(await run.view())).toEqual(before);
  });
});

describe('the quota of a template', () => {
  const many = Array.from({ length: 6 }, (_, i) => `a/${i}`);

  test('queues what is past it without letting it be claimed', async () => {
    const run = await start(many, { templateQuota: 2 });
    expect(await claim(run, await beginOn(run, 'a'))).toHaveLength(2);
    expect(await state.why(run.runId)).toMatchObject({ deferred: 4, waiting: 0, leased: 2 });
  });

  test('grows by two with each page that brings something new, and not with others', async () => {
    const run = await start(many, { templateQuota: 1 });
    const session = await beginOn(run, 'a');
    const first = at(await fetchOn(run, session));
    await state.settle(run.runId, [processed(first, [], 0, 'new')]);
    expect(await state.why(run.runId)).toMatchObject({ deferred: 3, waiting: 2 });
    const next = await fetchOn(run, session);
    await state.settle(
      run.runId,
      next.map((page) => processed(page, [], 0, 'new')),
    );
    expect(await run.view()).toMatchObject({ status: 'finalizing', refused: { 'template-quota': '3' } });
  });

  test('gives a deferred URL that is found by a shorter way the smaller depth once it is released', async () => {
    const run = await start(['a/1'], { templateQuota: 1 });
    const parent = { key: keyOf('a/1'), url: 'https://a.test/1' };
    await state.admit(run.runId, [link('a/2')], parent);
    await state.admit(run.runId, [link('a/2')]);
    const page = at(await fetchOn(run, await beginOn(run, 'a')));
    await state.settle(run.runId, [processed(page, [], 0, 'new')]);
    expect((await run.view()).frontier['a.test']).toEqual({ [keyOf('a/2')]: 0 });
  });

  test('drops nothing while the run is paused, and all that is left once it goes on', async () => {
    const run = await start(many, { templateQuota: 1 });
    const session = await beginOn(run, 'a');
    await state.settle(run.runId, [processed(at(await fetchOn(run, session)))]);
    const next = await fetchOn(run, session);
    await state.pause(run.runId);
    await state.settle(
      run.runId,
      next.map((page) => processed(page)),
    );
    const paused = await run.view();
    expect(paused).toMatchObject({ status: 'paused', refused: {} });
    expect(paused.deferred).toHaveLength(3);
    expect(await state.resume(run.runId)).toMatchObject({ kind: 'changed', owed: { finalize: true } });
    expect(await run.view()).toMatchObject({ queued: [], deferred: [], refused: { 'template-quota': '3' } });
  });
});
