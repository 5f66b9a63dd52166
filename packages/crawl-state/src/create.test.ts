import { newRunId } from '@trawl/contracts';
import { expect, test } from 'vitest';
import { LIMITS, SETTINGS, testCrawl } from './test-run.ts';

const { state, start } = testCrawl();

test('owes a discovery, once, and puts the run on the coordinators’ list', async () => {
  const runId = newRunId();
  const first = await state.create(runId, { limits: LIMITS, settings: SETTINGS });
  expect(first).toMatchObject({ created: true, owed: { discover: true, finalize: false } });
  expect(await state.activeRuns()).toContain(runId);
  const second = await state.create(runId, { limits: LIMITS, settings: SETTINGS });
  expect(second).toMatchObject({ created: false, owed: { discover: false } });
});

test('leaves a run that is there as it is, whatever its state', async () => {
  const run = await start(['a/1']);
  const before = await run.view();
  await state.create(run.runId, { limits: { ...LIMITS, maxPages: 1 }, settings: SETTINGS });
  expect(await run.view()).toEqual(before);
  await state.cancel(run.runId);
  await state.finish(run.runId);
  expect((await state.create(run.runId, { limits: LIMITS, settings: SETTINGS })).created).toBe(false);
  expect((await run.view()).status).toBe('cancelled');
});

test('retire takes a run off the list', async () => {
  const run = await start(['a/1']);
  await state.retire(run.runId);
  expect(await state.activeRuns()).not.toContain(run.runId);
});
