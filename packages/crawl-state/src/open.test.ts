import { newRunId } from '@trawl/contracts';
import { waitFor } from '@trawl/testing';
import { expect, test } from 'vitest';
import { at, beginOn, claim, failureOf, keyOf, stepOf, testCrawl } from './test-run.ts';

const { state, start } = testCrawl();

test('takes a parked session away and opens a new one, so the parked one is lost', async () => {
  const run = await start(['a/1']);
  const session = await beginOn(run, 'a');
  await state.park(session, 60_000);
  const { owed, idle } = await state.open(run.runId, 'a.test');
  expect(idle).toBe(false);
  const next = await beginOn(run, 'a', owed);
  expect(await stepOf(run, session, [], 5)).toMatchObject({ claims: [], whyNone: 'lost' });
  expect(await claim(run, next)).toHaveLength(1);
});

test('is idle without work, with a live session, when held, when paused and when over', async () => {
  const run = await start(['a/1'], { high: 0, low: -1 });
  expect((await state.open(run.runId, 'unknown.test')).idle).toBe(true);
  const session = await beginOn(run, 'a');
  expect((await state.open(run.runId, 'a.test')).idle).toBe(true);
  expect(await stepOf(run, session, [], 1)).toMatchObject({ whyNone: 'held' });
  await state.close(session);
  expect((await state.open(run.runId, 'a.test')).idle).toBe(true);
  await state.pause(run.runId);
  expect((await state.open(run.runId, 'a.test')).idle).toBe(true);
  await state.cancel(run.runId);
  expect((await state.open(run.runId, 'a.test')).idle).toBe(true);
  expect((await state.open(newRunId(), 'a.test')).idle).toBe(true);
});

test('finds a retry whose time has come', async () => {
  const run = await start(['a/1']);
  const session = await beginOn(run, 'a');
  const { key, token } = at(await claim(run, session));
  await stepOf(run, session, [{ key, token, kind: 'retry', afterMs: 20, failure: failureOf('HTTP_503') }]);
  expect((await state.close(session)).laterMs).toBeLessThanOrEqual(20);
  const owed = await waitFor(async () => {
    const woken = await state.open(run.runId, 'a.test');
    return woken.idle ? null : woken.owed;
  });
  expect(await claim(run, await beginOn(run, 'a', owed))).toMatchObject([{ key: keyOf('a/1'), attempts: 1 }]);
});
