import { expect, test } from 'vitest';
import { at, beginOn, claim, link, owedBy, testCrawl } from './test-run.ts';

const { state, start } = testCrawl();

test('keeps the host for the parked session, which a step makes active again', async () => {
  const run = await start(['a/1']);
  const session = await beginOn(run, 'a');
  expect(await state.park(session, 1000)).toMatchObject({ kind: 'parked', owed: { fetch: [] } });
  expect(at((await state.why(run.runId))?.hosts ?? []).session).toBe('parked');
  expect(owedBy(await state.admit(run.runId, [link('a/2')])).fetch).toEqual([]);
  expect(await claim(run, session)).toHaveLength(2);
  expect(at((await state.why(run.runId))?.hosts ?? []).session).toBe('active');
});

test('changes nothing for who does not hold the session, and after the end', async () => {
  const run = await start(['a/1']);
  const session = await beginOn(run, 'a');
  const before = await run.view();
  expect(await state.park({ ...session, exec: 'other' }, 1000)).toEqual({ kind: 'lost' });
  expect(await state.park({ ...session, sid: '999' }, 1000)).toEqual({ kind: 'lost' });
  expect(await run.view()).toEqual(before);
  await state.cancel(run.runId);
  expect(await state.park(session, 1000)).toEqual({ kind: 'lost' });
});
