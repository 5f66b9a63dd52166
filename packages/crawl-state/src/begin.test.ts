import { newRunId } from '@trawl/contracts';
import { expect, test } from 'vitest';
import { withoutDeadlines } from './model/run-view.ts';
import { at, beginOn, SETTINGS, testCrawl } from './test-run.ts';

const { state, start } = testCrawl();

test('gives a session to the first execution that asks, with the run’s settings', async () => {
  const run = await start(['a/1']);
  const { host, sid } = at(run.owed.fetch);
  const session = { runId: run.runId, host, sid, exec: 'first' };
  expect(await state.begin(session)).toEqual({
    kind: 'begun',
    settings: SETTINGS,
    firstUrl: 'https://a.test/1',
    runAgeMs: expect.any(Number),
  });
  expect(await state.begin({ ...session, exec: 'second' })).toEqual({ kind: 'gone' });
});

test('changes nothing when repeated by the same execution', async () => {
  const run = await start(['a/1']);
  const session = await beginOn(run, 'a');
  const before = withoutDeadlines(await run.view());
  expect(await state.begin(session)).toMatchObject({ kind: 'begun' });
  expect(withoutDeadlines(await run.view())).toEqual(before);
});

test('refuses a closed session, one of another name, and any of a run that ended or never was', async () => {
  const run = await start(['a/1']);
  const session = await beginOn(run, 'a');
  expect(await state.begin({ ...session, sid: '999' })).toEqual({ kind: 'gone' });
  expect(await state.begin({ ...session, host: 'b.test' })).toEqual({ kind: 'gone' });
  expect(await state.begin({ ...session, runId: newRunId() })).toEqual({ kind: 'gone' });
  await state.cancel(run.runId);
  expect(await state.begin(session)).toEqual({ kind: 'gone' });
});

test('refuses a second execution also while the first is parked', async () => {
  const run = await start(['a/1']);
  const session = await beginOn(run, 'a');
  await state.park(session, 1000);
  expect(await state.begin({ ...session, exec: 'second' })).toEqual({ kind: 'gone' });
  expect(await state.begin(session)).toMatchObject({ kind: 'begun' });
});
