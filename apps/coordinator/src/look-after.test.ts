import { completeRunConfig, createRunSchema, newRunId, type RunId } from '@trawl/contracts';
import { abandonRun, getRun, insertRun } from '@trawl/db';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { lookAfterRuns } from './look-after.ts';
import { prepareCoordinator, type TestCoordinator } from './test-coordinator.ts';

let prepared: TestCoordinator;
beforeAll(async () => {
  prepared = await prepareCoordinator();
});
afterAll(() => prepared.close());

/** A row whose creator died before it told Redis, long enough ago. */
async function addRow(): Promise<RunId> {
  const config = completeRunConfig(createRunSchema.parse({ url: 'https://example.com/' }), { userAgent: 'x' });
  const id = newRunId();
  await insertRun(prepared.deps.db, { id, sourceId: null, config });
  await prepared.database.sql`UPDATE runs SET created_at = now() - interval '1 minute' WHERE id = ${id}`;
  return id;
}

it('creates a run whose start was half done, and says in its row that it has started', async () => {
  const id = await addRow();
  await lookAfterRuns(prepared.deps);
  expect(await prepared.deps.state.progress(id)).toMatchObject({ status: 'running' });
  const row = await getRun(prepared.deps.db, id);
  expect(row).toMatchObject({ status: 'running', startedAt: expect.any(String) });
  await lookAfterRuns(prepared.deps);
  expect(await getRun(prepared.deps.db, id)).toEqual(row);
});

it('does not bring back a run that is being deleted', async () => {
  const [listed, unlisted] = [await addRow(), await addRow()];
  await lookAfterRuns(prepared.deps);
  for (const id of [listed, unlisted]) {
    await abandonRun(prepared.deps.db, id);
    await prepared.deps.state.remove(id);
  }
  // Still on the list of runs to look after, as when the list was read before it was removed.
  await prepared.redis.sadd(`${prepared.prefix}runs:active`, listed);
  await lookAfterRuns(prepared.deps);
  for (const id of [listed, unlisted]) expect(await prepared.deps.state.progress(id)).toBeNull();
  expect(await prepared.deps.state.activeRuns()).not.toContain(listed);
});
