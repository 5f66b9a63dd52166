import { newRunId } from '@trawl/contracts';
import { expect, test } from 'vitest';
import { LIMITS, link, SETTINGS, testCrawl } from './test-run.ts';

const { state, start } = testCrawl();

test('a run without start pages ends when its discovery does, once', async () => {
  const run = await start([]);
  expect((await run.view()).status).toBe('running');
  expect((await state.discovered(run.runId)).finalize).toBe(true);
  expect((await state.discovered(run.runId)).finalize).toBe(false);
  expect((await run.view()).status).toBe('finalizing');
});

test('a redelivered discovery changes nothing', async () => {
  const run = await start(['a/1']);
  const before = await run.view();
  expect(await state.discovered(run.runId)).toMatchObject({ finalize: false, discover: false });
  await state.renewDiscovery(run.runId);
  expect(await run.view()).toEqual(before);
});

test('renewing keeps the lease of a discovery that goes on, and nothing else', async () => {
  const runId = newRunId();
  await state.create(runId, { limits: LIMITS, settings: SETTINGS });
  await state.admit(runId, [link('a/1')]);
  await state.renewDiscovery(runId);
  expect(await state.progress(runId)).toMatchObject({ discovering: true, status: 'running' });
});

test('changes nothing in a run that is over or never was', async () => {
  const run = await start([]);
  await state.cancel(run.runId);
  const before = await run.view();
  expect((await state.discovered(run.runId)).finalize).toBe(false);
  expect(await run.view()).toEqual(before);
  const nobody = newRunId();
  await state.discovered(nobody);
  expect(await state.progress(nobody)).toBeNull();
});
