/** The protocol's traps that are the run's own: each was a schedule that broke an earlier scheme. Those of the gate are politeness's. */
import { waitFor } from '@trawl/testing';
import { expect, test } from 'vitest';
import {
  at,
  beginOn,
  claim,
  collect,
  ended,
  failureOf,
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

test('2. two sessions of a run on a host: there is only ever one, and the parked one never hides work from it', async () => {
  const run = await start(['a/1']);
  const parked = await beginOn(run, 'a');
  await state.park(parked, 60_000);
  expect(owedBy(await state.admit(run.runId, [link('a/2')])).fetch).toEqual([]);
  const next = await beginOn(run, 'a', (await state.open(run.runId, 'a.test')).owed);
  await fetchOn(run, next);
  await state.admit(run.runId, [link('a/3')]);
  expect((await state.close(next)).owed.fetch).toHaveLength(1);
  expect(await state.begin(parked)).toEqual({ kind: 'gone' });
});

test('4. busy first: a woken run with a live session opens nothing and says so, so the waker goes on with the next', async () => {
  const run = await start(['a/1']);
  await beginOn(run, 'a');
  expect(await state.open(run.runId, 'a.test')).toMatchObject({ idle: true, owed: { fetch: [] } });
});

test('8. retry and pause: closing during the pause still says when the retry is due', async () => {
  const run = await start(['a/1']);
  const session = await beginOn(run, 'a');
  const { key, token } = at(await claim(run, session));
  await stepOf(run, session, [{ key, token, kind: 'retry', afterMs: 30, failure: failureOf('HTTP_503') }]);
  await state.pause(run.runId);
  const { laterMs, owed } = await state.close(session);
  expect(owed.fetch).toEqual([]);
  expect(laterMs).toBeGreaterThan(0);
  expect(await state.resume(run.runId)).toMatchObject({ kind: 'changed' });
  await waitFor(
    async () => (await state.open(run.runId, 'a.test')).owed.fetch.length > 0 || (await run.view()).sess['a.test'],
  );
});

test('9. budget: one of the last pages fails after all budget was taken, and another takes its place', async () => {
  const run = await start(['a/1', 'a/2', 'b/1'], { maxPages: 2 });
  const onA = await beginOn(run, 'a');
  const claims = await claim(run, onA, 2);
  const onB = await beginOn(run, 'b');
  expect(await stepOf(run, onB, [], 1)).toMatchObject({ whyNone: 'held' });
  await state.close(onB);
  const { owed } = await stepOf(run, onA, [ok(at(claims, 0)), ended(at(claims, 1), 'fail', 'HTTP_404')]);
  expect(owed.fetch).toMatchObject([{ host: 'b.test' }]);
  const page = at(await fetchOn(run, await beginOn(run, 'b', owed)));
  await state.settle(run.runId, [processed(at(owed.process)), processed(page)]);
  expect(await state.progress(run.runId)).toMatchObject({ processed: 2, failed: 1, status: 'finalizing' });
});

test('10. depth, in flight: a page found by a shorter way before it is settled sends all its links at the depth it has then', async () => {
  const run = await start(['a/1', 'b/open'], { maxDepth: 2 });
  const session = await beginOn(run, 'a');
  await state.settle(run.runId, [processed(at(await fetchOn(run, session)), ['a/2'])]);
  const claimed = await claim(run, session);
  await state.admit(run.runId, [link('a/2')]);
  const page = at((await stepOf(run, session, claimed.map(ok))).owed.process);
  const settled = owedBy(await state.settle(run.runId, [processed(page, ['a/3'], 1)]));
  expect(settled.relink).toMatchObject([{ key: keyOf('a/2'), depth: 0 }]);
  expect((await run.view()).task[keyOf('a/3')]).toMatch(/^1 /);
});

test('11. depth, processed: the run waits for a page that fell, and for what falls with it', async () => {
  const run = await start(['a/1', 'c/1']);
  const session = await beginOn(run, 'a');
  await state.settle(run.runId, [processed(at(await fetchOn(run, session)), ['a/2'])]);
  await state.settle(run.runId, [processed(at(await fetchOn(run, session)), ['a/3'], 1)]);
  await state.settle(run.runId, [processed(at(await fetchOn(run, session)), [], 2)]);
  const last = at(await fetchOn(run, await beginOn(run, 'c')));
  // The last page of the run links to `a/2`, which is no shorter; as a start page it is.
  const fell = owedBy(await state.admit(run.runId, [link('a/2')])).relink;
  expect(owedBy(await state.settle(run.runId, [processed(last)])).finalize).toBe(false);
  const [next] = await collect(state.relinked(run.runId, { ...at(fell), url: keyOf('a/2'), links: [link('a/3')] }));
  expect(next).toMatchObject({ finalize: false, relink: [{ key: keyOf('a/3'), depth: 1 }] });
  const [end] = await collect(state.relinked(run.runId, { ...at(next?.relink ?? []), url: keyOf('a/3'), links: [] }));
  expect(end).toMatchObject({ finalize: true });
});

test('12. redirect: when a redirected URL falls, so does its target, through any number of hops', async () => {
  const run = await start(['a/1', 'c/open']);
  const session = await beginOn(run, 'a');
  await state.settle(run.runId, [processed(at(await fetchOn(run, session)), ['a/2'])]);
  for (const to of ['a/3', 'a/4']) {
    const { key, token } = at(await claim(run, session));
    await stepOf(run, session, [{ key, token, kind: 'redirect', target: link(to), failure: failureOf('REDIRECTED') }]);
  }
  await state.settle(run.runId, [processed(at(await fetchOn(run, session)), [], 1)]);
  const { relink } = owedBy(await state.admit(run.runId, [link('a/2')]));
  expect(relink).toMatchObject([{ key: keyOf('a/4'), depth: 0 }]);
  const { task } = await run.view();
  for (const name of ['a/2', 'a/3', 'a/4']) expect(task[keyOf(name)]).toMatch(/^0 /);
});

test('13. late commit: whoever settles after a cancel is told that the run is over', async () => {
  const run = await start(['a/1']);
  const page = at(await fetchOn(run, await beginOn(run, 'a')));
  await state.cancel(run.runId);
  expect(await state.settle(run.runId, [processed(page, ['a/2'])])).toEqual({ kind: 'over' });
  expect(await run.view()).toMatchObject({ processed: [], skipped: [keyOf('a/1')] });
});

test('13. late commit: whoever settles after another worker’s gone is not among the done', async () => {
  const run = await start(['a/1']);
  const page = at(await fetchOn(run, await beginOn(run, 'a')));
  await state.settle(run.runId, [{ key: page.key, token: page.token, kind: 'gone' }]);
  expect(await state.settle(run.runId, [processed(page)])).toMatchObject({ kind: 'settled', done: new Set() });
});

test('15. counted twice: a redelivered discovery and a repeated call count nothing again', async () => {
  const run = await start(['a/1'], { maxUrls: 1 });
  await state.discovered(run.runId);
  await state.discovered(run.runId);
  await state.admit(run.runId, [link('a/2')]);
  await state.admit(run.runId, [link('a/2')]);
  expect(await state.progress(run.runId)).toMatchObject({ beyond: 1, discovering: false, status: 'running' });
  const page = at(await fetchOn(run, await beginOn(run, 'a')));
  expect(owedBy(await state.settle(run.runId, [processed(page)])).finalize).toBe(true);
});

test('16. broken chain: a woken run that is cancelled before its job starts says gone, so the job asks the gate', async () => {
  const run = await start(['a/1']);
  const { host, sid } = at(run.owed.fetch);
  await state.cancel(run.runId);
  expect(await state.begin({ runId: run.runId, host, sid, exec: 'late' })).toEqual({ kind: 'gone' });
});
