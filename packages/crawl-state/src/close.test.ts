import { expect, test } from 'vitest';
import { at, beginOn, claim, failureOf, stepOf, testCrawl } from './test-run.ts';

const { state, start } = testCrawl();

test('opens the next session in the same step when there is work', async () => {
  const run = await start(['a/1']);
  const session = await beginOn(run, 'a');
  const { owed, laterMs } = await state.close(session);
  expect(owed.fetch).toHaveLength(1);
  expect(at(owed.fetch).sid).not.toBe(session.sid);
  expect(laterMs).toBeNull();
});

test('leaves another execution’s session alone', async () => {
  const run = await start(['a/1']);
  const session = await beginOn(run, 'a');
  const before = await run.view();
  expect((await state.close({ ...session, exec: 'other' })).owed.fetch).toEqual([]);
  expect(await run.view()).toEqual(before);
});

test('changes nothing more when repeated', async () => {
  const run = await start(['a/1']);
  const session = await beginOn(run, 'a');
  await state.close(session);
  const before = await run.view();
  expect((await state.close(session)).owed.fetch).toEqual([]);
  expect(await run.view()).toEqual(before);
});

test('says when the earliest retry is due', async () => {
  const run = await start(['a/1', 'a/2']);
  const session = await beginOn(run, 'a');
  const claims = await claim(run, session);
  const retries = claims.map(({ key, token }, i) => {
    return { key, token, kind: 'retry', afterMs: 5000 * (i + 1), failure: failureOf('HTTP_503') } as const;
  });
  await stepOf(run, session, retries);
  const { owed, laterMs } = await state.close(session);
  expect(owed.fetch).toEqual([]);
  expect(laterMs).toBeGreaterThan(4000);
  expect(laterMs).toBeLessThanOrEqual(5000);
});

test('owes nothing after the end', async () => {
  const run = await start(['a/1']);
  const session = await beginOn(run, 'a');
  await state.cancel(run.runId);
  expect(await state.close(session)).toMatchObject({ owed: { fetch: [], finalize: false }, laterMs: null });
});
