import { newRunId } from '@trawl/contracts';
import { expect, test } from 'vitest';
import { at, beginOn, claim, failureOf, ok, stepOf, testCrawl } from './test-run.ts';

const { state, start } = testCrawl();

test('names what waits, where, and who looks after it', async () => {
  const run = await start(['a/1', 'a/2', 'a/3', 'b/1', 'c/1', 'c/2'], { templateQuota: 5 });
  const session = await beginOn(run, 'a');
  const claims = await claim(run, session, 3);
  const { key, token } = at(claims, 1);
  await stepOf(run, session, [
    ok(at(claims, 0)),
    { key, token, kind: 'retry', afterMs: 60_000, failure: failureOf('HTTP_503') },
  ]);
  await state.park(await beginOn(run, 'b'), 1000);
  const why = await state.why(run.runId);
  expect(why).toMatchObject({
    ...{ status: 'running', discovering: false, held: false, relinking: 0 },
    ...{ waiting: 2, delayed: 1, leased: 1, unprocessed: 1, deferred: 1 },
  });
  expect([...(why?.hosts ?? [])].sort((x, y) => (x.host < y.host ? -1 : 1))).toEqual([
    { host: 'a.test', renders: false, waiting: 0, delayed: 1, leased: 1, session: 'active' },
    { host: 'b.test', renders: false, waiting: 1, delayed: 0, leased: 0, session: 'parked' },
    { host: 'c.test', renders: false, waiting: 1, delayed: 0, leased: 0, session: 'waiting' },
  ]);
});

test('names what waits for a browser beside what does not, under the name of the host', async () => {
  const run = await start(['a/1', 'a/2', 'a/3']);
  const session = await beginOn(run, 'a');
  const { key, token } = at(await claim(run, session, 1));
  await stepOf(run, session, [{ key, token, kind: 'render' }]);
  const why = await state.why(run.runId);
  expect([...(why?.hosts ?? [])].sort((x, y) => Number(x.renders) - Number(y.renders))).toEqual([
    { host: 'a.test', renders: false, waiting: 2, delayed: 0, leased: 0, session: 'active' },
    { host: 'a.test', renders: true, waiting: 1, delayed: 0, leased: 0, session: 'waiting' },
  ]);
});

test('nothing is known of a run that never was', async () => {
  expect(await state.why(newRunId())).toBeNull();
});
