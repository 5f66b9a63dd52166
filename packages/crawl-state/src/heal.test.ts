import { newRunId } from '@trawl/contracts';
import { waitFor } from '@trawl/testing';
import { expect, test } from 'vitest';
import { runKeys } from './keys.ts';
import type { Owed } from './owed.ts';
import {
  at,
  beginOn,
  claim,
  fetchOn,
  keyOf,
  LIMITS,
  link,
  ok,
  processed,
  SETTINGS,
  stepOf,
  type TestRun,
  testCrawl,
} from './test-run.ts';

const { context, state, start } = testCrawl();

/** Heals until something ran out that owes what is asked for. */
function healed<T>(run: Pick<TestRun, 'runId'>, wanted: (owed: Owed) => T | null | undefined | false) {
  return waitFor(async () => {
    const result = await state.heal(run.runId);
    return result.kind === 'healed' && wanted(result.owed);
  });
}

test('does nothing to a run without a lease that ran out', async () => {
  const run = await start(['a/1', 'b/1']);
  await fetchOn(run, await beginOn(run, 'a'));
  const before = await run.view();
  expect(await state.heal(run.runId)).toMatchObject({ kind: 'healed', healed: 0, owed: { fetch: [], process: [] } });
  expect(await run.view()).toEqual(before);
  expect(await state.heal(newRunId())).toEqual({ kind: 'no-run' });
});

test('offers a session that nobody began again, under the same name', async () => {
  const run = await start(['a/1'], { leaseMs: 20 });
  const again = await healed(run, (owed) => owed.fetch[0]);
  expect(again).toEqual(at(run.owed.fetch));
});

test('gives a host whose worker died a new session, and its URLs with it, after maxLost times for the last time', async () => {
  const run = await start(['a/1'], { leaseMs: 20, maxLost: 1 });
  const session = await beginOn(run, 'a');
  const first = at(await claim(run, session));
  const owed = await healed(run, (o) => o.fetch.length > 0 && o);
  const next = await beginOn(run, 'a', owed);
  expect(next.sid).not.toBe(session.sid);
  const late = await stepOf(run, session, [ok(first)], 5);
  expect(late).toMatchObject({ claims: [], whyNone: 'lost', owed: { process: [] } });
  await claim(run, next);
  await healed(run, (o) => o.finalize);
  expect(await run.view()).toMatchObject({ failed: [keyOf('a/1')], errors: { [keyOf('a/1')]: 'LOST' } });
});

test('offers a page that waits for its job again with the same token, ever more patiently', async () => {
  const run = await start(['a/1'], { leaseMs: 20 });
  const page = at(await fetchOn(run, await beginOn(run, 'a')));
  expect(await healed(run, (owed) => owed.process[0])).toEqual(page);
  expect(await healed(run, (owed) => owed.process[0])).toEqual(page);
  expect((await run.view()).page[page.key]).toMatch(/^\d+ \d+ w 2 - /);
  expect(await state.settle(run.runId, [processed(page)])).toMatchObject({ done: new Set([page.key]) });
});

test('gives a page whose worker died a new token, and fails it after maxLost', async () => {
  const run = await start(['a/1'], { leaseMs: 20, maxLost: 1 });
  const page = at(await fetchOn(run, await beginOn(run, 'a')));
  await state.beginPages(run.runId, 'dies', [page]);
  const again = await healed(run, (owed) => owed.process[0]);
  expect(again).toMatchObject({ key: page.key, body: page.body });
  expect(again.token).not.toBe(page.token);
  expect(await state.settle(run.runId, [processed(page)])).toMatchObject({ done: new Set() });
  await state.beginPages(run.runId, 'dies too', [again]);
  await healed(run, (owed) => owed.finalize);
  expect((await run.view()).failed).toEqual([page.key]);
});

test('looks after a host again when its parked session’s time is over', async () => {
  const run = await start(['a/1'], { parkMs: 10 });
  const session = await beginOn(run, 'a');
  await state.park(session, 10);
  expect((await healed(run, (owed) => owed.fetch[0])).sid).not.toBe(session.sid);
});

test('owes a relink, a discovery and a finalization again', async () => {
  const run = await start([], { leaseMs: 20 });
  await healed(run, (owed) => owed.discover);
  await state.admit(run.runId, [link('a/1'), link('b/1')]);
  const view = await run.view();
  const [sid = ''] = at(Object.entries(view.sess).filter(([host]) => host === 'a.test'))[1].split(' ');
  const session = await beginOn(run, 'a', { ...run.owed, fetch: [{ host: 'a.test', sid }] });
  const page = at(await fetchOn(run, session));
  const settled = await state.settle(run.runId, [processed(page, [], 3)]);
  const relink = settled.kind === 'settled' ? at(settled.owed.relink) : null;
  const again = await healed(run, (owed) => owed.relink[0]);
  expect(again).toMatchObject({ key: page.key, depth: 0 });
  expect(again.token).not.toBe(relink?.token);
  await state.cancel(run.runId);
  await healed(run, (owed) => owed.finalize);
});

test('closes sessions that ran out while the run is paused, and opens none', async () => {
  const run = await start(['a/1'], { leaseMs: 20 });
  await state.pause(run.runId);
  await waitFor(async () => (await state.heal(run.runId)).kind === 'healed' && !('a.test' in (await run.view()).sess));
  expect(await state.resume(run.runId)).toMatchObject({ owed: { fetch: [{ host: 'a.test' }] } });
});

test('sets a time to live on every key of the run, frontiers and retries too', async () => {
  const runId = newRunId();
  await state.create(runId, { limits: LIMITS, settings: SETTINGS });
  await state.admit(runId, [link('a/1')]);
  await state.heal(runId);
  const keys = await context.redis.keys(`${context.prefix}crawl:{${runId}}:*`);
  expect(keys.length).toBeGreaterThan(4);
  for (const key of keys) expect(await context.redis.pttl(key), key).toBeGreaterThan(6 * 24 * 3600_000);
  expect(runKeys(context.prefix, runId)).toEqual(expect.arrayContaining(keys.filter((k) => !k.includes('frontier'))));
});
