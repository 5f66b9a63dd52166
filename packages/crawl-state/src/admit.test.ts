import { newRunId } from '@trawl/contracts';
import { waitFor } from '@trawl/testing';
import { describe, expect, test } from 'vitest';
import { LISTED, type Link } from './admit.ts';
import { withoutDeadlines } from './model/run-view.ts';
import {
  at,
  beginOn,
  claim,
  ended,
  failureOf,
  fetchOn,
  keyOf,
  link,
  ok,
  owedBy,
  processed,
  stepOf,
  type TestRun,
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
    await stepOf(run, session, [
      ended(at(claims, 0), 'fail', 'HTTP_404'),
      ended(at(claims, 1), 'skip', 'UNSUPPORTED_TYPE'),
    ]);
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

  test('lets a deferred URL in as soon as its site is seen to list it', async () => {
    const run = await start(['a/1', 'a/2', 'a/3'], { templateQuota: 1 });
    expect(await state.why(run.runId)).toMatchObject({ deferred: 2, waiting: 1 });
    await state.admit(run.runId, [link('a/3', { template: LISTED })]);
    expect(await state.why(run.runId)).toMatchObject({ deferred: 1, waiting: 2 });
    await state.admit(run.runId, [link('a/3', { template: LISTED })]);
    expect(await state.why(run.runId)).toMatchObject({ deferred: 1, waiting: 2 });
    const session = await beginOn(run, 'a');
    expect((await fetchOn(run, session)).map(({ key }) => key).sort()).toEqual(['a/1', 'a/3'].map(keyOf));
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

describe('the rank of a link', () => {
  /** The links below `a/0`, by their depth: `a/0` leads to `a/1`, and so on. */
  async function startWith(below: Readonly<Record<number, readonly Link[]>>): Promise<TestRun> {
    const deepest = Math.max(...Object.keys(below).map(Number));
    const run = await start(['a/0']);
    for (let depth = 1; depth <= deepest; depth++) {
      const parent = { key: keyOf(`a/${depth - 1}`), url: keyOf(`a/${depth - 1}`) };
      await state.admit(run.runId, [link(`a/${depth}`), ...(below[depth] ?? [])], parent);
    }
    return run;
  }

  const claimedBy = async (run: TestRun) =>
    (await claim(run, await beginOn(run, 'a'), 50)).map((c) => c.key.replace('https://a.test/', ''));

  test('orders claims: boosted, documentation before its equals, a listing after pages two levels deeper', async () => {
    const run = await startWith({
      1: [
        link('a/list-1', { rank: 'listing' }),
        link('a/docs-1', { rank: 'documentation' }),
        link('a/boosted-1', { boosted: true }),
      ],
      3: [link('a/docs-3', { rank: 'documentation' }), link('a/boosted-3', { boosted: true })],
      5: [],
    });
    expect(await claimedBy(run)).toEqual([
      'boosted-1',
      'boosted-3',
      '0',
      'docs-1',
      '1',
      '2',
      'docs-3',
      '3',
      'list-1',
      '4',
      '5',
    ]);
  });

  test('of a boosted link is that, whatever it looks like', async () => {
    const run = await startWith({
      1: [
        link('a/list', { rank: 'listing', boosted: true }),
        link('a/docs', { rank: 'documentation', boosted: true }),
        link('a/other', { boosted: true }),
      ],
    });
    expect((await claimedBy(run)).slice(-2)).toEqual(['0', '1']);
  });

  test('is no age: a new URL has none, be it a listing', async () => {
    const run = await startWith({ 1: [link('a/list', { rank: 'listing' }), link('a/b', { boosted: true })] });
    const claims = await claim(run, await beginOn(run, 'a'));
    expect(claims.map((c) => c.age)).toEqual([null, null, null, null]);
    expect(Object.keys(at(claims)).sort()).toEqual(['age', 'attempts', 'depth', 'key', 'token', 'url']);
  });

  test('is the one it was found with first, also by a shorter way', async () => {
    const run = await startWith({
      3: [link('a/list', { rank: 'listing' }), link('a/docs', { rank: 'documentation' })],
    });
    await state.admit(run.runId, [link('a/list'), link('a/docs', { rank: 'listing' })]);
    expect((await run.view()).frontier['a.test']).toMatchObject({ [keyOf('a/list')]: 2.5, [keyOf('a/docs')]: -0.5 });
    expect(await claimedBy(run)).toEqual(['docs', '0', '1', '2', 'list', '3']);
  });

  test('stays through a retry and through the quota of its template', async () => {
    const run = await start(['a/0', 'b/open'], { templateQuota: 1 });
    const parent = { key: keyOf('a/0'), url: keyOf('a/0') };
    const links = [
      link('a/list', { rank: 'listing' }),
      link('a/docs', { rank: 'documentation', template: 'other' }),
      link('a/later', { rank: 'documentation', template: 'other' }),
    ];
    await state.admit(run.runId, links, parent);
    const session = await beginOn(run, 'a');
    const [first, docs] = await claim(run, session);
    expect([first?.key, docs?.key]).toEqual([keyOf('a/0'), keyOf('a/docs')]);
    if (!first || !docs) throw new Error('two were claimed');
    const retry = { ...docs, kind: 'retry', afterMs: 1, failure: failureOf('HTTP_503') } as const;
    const page = at((await stepOf(run, session, [ok(first), retry])).owed.process);
    await state.settle(run.runId, [processed(page, [], 0, 'new')]);
    await waitFor(async () => {
      await state.open(run.runId, 'a.test');
      return (await run.view()).frontier['a.test']?.[keyOf('a/docs')];
    });
    expect((await run.view()).frontier['a.test']).toEqual({ [keyOf('a/docs')]: 0.5, [keyOf('a/list')]: 3.5 });
  });
});

describe('a full run', () => {
  const fullAfter = async (run: TestRun, names: readonly string[]) => {
    const result = await state.admit(
      run.runId,
      names.map((name) => link(name)),
    );
    return result.kind === 'admitted' && result.isFull;
  };

  test('is one with maxUrls URLs, from the call that let the last one in', async () => {
    const run = await start(['a/1'], { maxUrls: 3 });
    expect(await fullAfter(run, ['a/2'])).toBe(false);
    expect(await fullAfter(run, ['a/3'])).toBe(true);
    expect(await fullAfter(run, ['a/4'])).toBe(true);
    expect(await state.progress(run.runId)).toMatchObject({ queued: 3, beyond: 1 });
  });

  test('lets in as many of one call as there is room for, and counts the rest', async () => {
    const run = await start([], { maxUrls: 3 });
    expect(await fullAfter(run, ['a/1', 'a/2', 'a/3', 'a/4', 'a/5'])).toBe(true);
    expect(await state.progress(run.runId)).toMatchObject({ queued: 3, beyond: 2 });
  });

  test('is full whatever became of its URLs', async () => {
    const run = await start(['a/1', 'a/2', 'b/open'], { maxUrls: 3 });
    const session = await beginOn(run, 'a');
    const claims = await claim(run, session);
    await stepOf(run, session, [
      ended(at(claims, 0), 'fail', 'HTTP_404'),
      ended(at(claims, 1), 'skip', 'UNSUPPORTED_TYPE'),
    ]);
    expect(await fullAfter(run, ['a/3'])).toBe(true);
  });

  test('says so only to who brings something new', async () => {
    const run = await start(['a/1', 'a/2'], { maxUrls: 2, maxDepth: 0 });
    expect(await fullAfter(run, ['a/1', 'a/2'])).toBe(false);
    expect(await fullAfter(run, [])).toBe(false);
    const tooDeep = await state.admit(run.runId, [link('a/deep')], { key: keyOf('a/1'), url: keyOf('a/1') });
    expect(tooDeep).toMatchObject({ kind: 'admitted', isFull: false });
    expect(await fullAfter(run, ['a/1', 'a/3'])).toBe(true);
  });

  test('is one with maxPages processed pages, not with as many waiting', async () => {
    const run = await start([], { maxPages: 1 });
    const admitted = await state.admit(run.runId, [link('a/1'), link('a/2')]);
    expect(admitted).toMatchObject({ kind: 'admitted', isFull: false });
    const session = await beginOn(run, 'a', owedBy(admitted));
    const [page] = await fetchOn(run, session, 1);
    if (!page) throw new Error('nothing was fetched');
    expect(await fullAfter(run, ['a/3'])).toBe(false);
    await state.settle(run.runId, [processed(page)]);
    expect(await fullAfter(run, ['a/4'])).toBe(true);
    expect(await state.progress(run.runId)).toMatchObject({ status: 'running', processed: 1, queued: 0, beyond: 3 });
    expect((await state.discovered(run.runId)).finalize).toBe(true);
  });
});

describe('what a site lists itself', () => {
  test('counts for no quota, and makes no room for others', async () => {
    const run = await start([], { templateQuota: 1 });
    const listed = Array.from({ length: 5 }, (_, i) => link(`a/listed-${i}`, { template: LISTED }));
    const owed = owedBy(await state.admit(run.runId, [...listed, link('a/1'), link('a/2')]));
    expect(await state.why(run.runId)).toMatchObject({ waiting: 6, deferred: 1 });
    await state.discovered(run.runId);
    const pages = await fetchOn(run, await beginOn(run, 'a', owed));
    const fromList = pages.filter(({ key }) => key.includes('listed'));
    expect(fromList).toHaveLength(5);
    await state.settle(
      run.runId,
      fromList.map((page, i) => processed(page, [], 0, `new ${i}`)),
    );
    const view = await run.view();
    expect(view.deferred).toHaveLength(1);
    expect(view.templates).toEqual({ template: '1 1' });
  });
});
