import { createHash } from 'node:crypto';
import type { RunId, SourceId } from '@trawl/contracts';
import { deleteSource, insertSource, listRuns, type NewSource, updateSource } from '@trawl/db';
import { waitFor } from '@trawl/testing';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { reconcileSchedules } from './schedules.ts';
import { startScheduledRun } from './start-scheduled-run.ts';
import { startSchedules } from './start-schedules.ts';
import { prepareCoordinator, type TestCoordinator } from './test-coordinator.ts';

const EACH_SECOND = '* * * * * *';
const YEARLY = '0 0 1 1 *';

let prepared: TestCoordinator;
beforeAll(async () => {
  prepared = await prepareCoordinator();
});
afterAll(() => prepared.close());

const addSource = (over: Partial<NewSource> = {}) =>
  insertSource(prepared.deps.db, {
    name: 'Docs',
    config: { url: 'https://example.com/', maxPages: 5 },
    schedule: EACH_SECOND,
    timezone: 'UTC',
    overlap: false,
    access: null,
    ...over,
  });

/** One more coordinator, as far as schedules go, until the test ends. */
function start(): void {
  const coordinator = startSchedules(prepared.deps, {
    connection: prepared.redis,
    prefix: prepared.prefix,
    tickMs: 50,
  });
  onTestFinished(() => coordinator.stop());
}

async function runsOf(sourceId: SourceId) {
  const listed = await listRuns(prepared.deps.db, { limit: 1000, sourceId });
  if (listed.kind !== 'listed') throw new Error(listed.kind);
  return listed.items.toReversed();
}
/** All of them set up: one that has only a row can't be ended yet. */
const runsReach = (sourceId: SourceId, count: number) =>
  waitFor(
    async () => {
      const runs = await runsOf(sourceId);
      return runs.length >= count && runs.every((run) => run.status !== 'pending');
    },
    { what: `${count} runs` },
  );

const keyOf = (sourceId: SourceId, atMs: number): string =>
  createHash('sha256').update(`schedule repeat:source-${sourceId}:${atMs}`).digest('base64url');

/** Which whole seconds of the last minutes have a run, and how many runs belong to none. */
async function ticksOf(sourceId: SourceId): Promise<{ ticks: number[]; others: number }> {
  const rows = await prepared.database.sql`SELECT idempotency_key AS key FROM runs WHERE source_id = ${sourceId}`;
  const keys = new Set(rows.map((row) => row.key));
  const now = Math.floor(Date.now() / 1000) * 1000;
  const seconds = Array.from({ length: 300 }, (_, i) => now - (299 - i) * 1000);
  const ticks = seconds.filter((atMs) => keys.has(keyOf(sourceId, atMs)));
  return { ticks, others: rows.length - ticks.length };
}

/** No schedule, and no job that was due already: no run can come from here on. */
const nothingLeft = () =>
  waitFor(
    async () =>
      (await prepared.queues.schedules.list()).size === 0 &&
      (await prepared.redis.keys(`${prepared.prefix}queue:schedule:repeat:*`)).length === 0,
    { what: 'no schedule and no job of one' },
  );

async function stopAll(): Promise<void> {
  await prepared.database.sql`UPDATE sources SET schedule = NULL`;
  await nothingLeft();
}

// Seconds pass for real here, and more of them on a busy machine.
describe('a source with a schedule', { timeout: 60_000 }, () => {
  it('gets run after run, none beside another, with the configuration it has then', async () => {
    const info = vi.spyOn(prepared.deps.logger, 'info');
    onTestFinished(() => info.mockRestore());
    const { id } = await addSource();
    start();
    await runsReach(id, 1);
    const [first] = await runsOf(id);
    expect(first).toMatchObject({ config: { maxPages: 5, maxDepth: 2, userAgent: 'Trawl/test' } });
    expect(await prepared.deps.state.progress(first?.id as RunId)).toMatchObject({ status: 'running' });
    expect(await prepared.queues.waiting('discover')).toBe(1);

    const refusals = () => info.mock.calls.filter(([, message]) => String(message).includes('is not finished'));
    await waitFor(() => refusals().length >= 2, { what: 'two ticks that start nothing' });
    expect(refusals()[0]?.[0]).toMatchObject({ sourceId: id, runId: first?.id });
    expect(await runsOf(id)).toHaveLength(1);

    await updateSource(prepared.deps.db, id, { config: { url: 'https://example.com/', maxPages: 7 } });
    for (let count = 1; count < 4; count++) {
      await prepared.end((await runsOf(id)).at(-1)?.id as RunId);
      await runsReach(id, count + 1);
    }
    const runs = await runsOf(id);
    expect(runs.map((run) => run.config.maxPages)).toEqual([5, 7, 7, 7]);
    runs.slice(1).forEach((run, i) => {
      expect(Date.parse(run.createdAt)).toBeGreaterThanOrEqual(Date.parse(runs[i]?.finishedAt ?? ''));
    });
    await stopAll();
  });

  it('gets one run per tick from two coordinators at once', async () => {
    const { id } = await addSource({ overlap: true });
    start();
    start();
    await runsReach(id, 5);
    await stopAll();
    const { ticks, others } = await ticksOf(id);
    expect(others).toBe(0);
    expect(ticks.length).toBeGreaterThanOrEqual(5);
  });

  it('gets no more runs when its schedule is taken away, and again when it is back', async () => {
    const { id } = await addSource({ overlap: true });
    start();
    await runsReach(id, 1);
    await updateSource(prepared.deps.db, id, { schedule: null });
    await nothingLeft();
    const count = (await runsOf(id)).length;
    await updateSource(prepared.deps.db, id, { schedule: EACH_SECOND });
    await runsReach(id, count + 1);
    const { others } = await ticksOf(id);
    expect(others).toBe(0);
    await stopAll();
  });

  it('takes its schedule with it when it is deleted', async () => {
    const { id } = await addSource({ overlap: true });
    start();
    await runsReach(id, 1);
    await deleteSource(prepared.deps.db, id);
    await nothingLeft();
    expect(await runsOf(id)).toEqual([]);
  });

  it('gets runs again after Redis came back empty', async () => {
    const { id } = await addSource({ overlap: true });
    start();
    await runsReach(id, 1);
    await prepared.server.restart();
    const count = (await runsOf(id)).length;
    await runsReach(id, count + 2);
    expect((await ticksOf(id)).others).toBe(0);
    await stopAll();
  });
});

describe('a round', () => {
  const round = () =>
    reconcileSchedules({
      db: prepared.deps.db,
      schedules: prepared.queues.schedules,
      logger: prepared.deps.logger,
    });
  const list = () => prepared.queues.schedules.list();

  it('sets what is new or different, leaves what is the same, and removes what has no row', async () => {
    const [a, b] = [await addSource({ schedule: YEARLY }), await addSource({ schedule: YEARLY })];
    const set = vi.spyOn(prepared.queues.schedules, 'set');
    onTestFinished(() => set.mockRestore());
    await round();
    expect(set).toHaveBeenCalledTimes(2);
    await round();
    expect(set).toHaveBeenCalledTimes(2);
    await updateSource(prepared.deps.db, a.id, { timezone: 'Asia/Tokyo' });
    await updateSource(prepared.deps.db, b.id, { schedule: '0 0 2 1 *' });
    await round();
    expect(set).toHaveBeenCalledTimes(4);
    expect((await list()).get(a.id)).toMatchObject({ pattern: YEARLY, timezone: 'Asia/Tokyo' });
    expect((await list()).get(b.id)).toMatchObject({ pattern: '0 0 2 1 *', timezone: 'UTC' });
    await deleteSource(prepared.deps.db, a.id);
    await round();
    expect([...(await list()).keys()]).toEqual([b.id]);
    await stopAllByRound();
  });

  it('is not held up by a schedule that the queue refuses', async () => {
    const error = vi.spyOn(prepared.deps.logger, 'error');
    onTestFinished(() => error.mockRestore());
    const bad = await addSource({ schedule: 'not a cron line at all' });
    const good = await addSource({ schedule: YEARLY });
    await round();
    expect([...(await list()).keys()]).toEqual([good.id]);
    expect(error.mock.calls).toMatchObject([[{ sourceId: bad.id }, expect.stringContaining('tries again')]]);
    await stopAllByRound();
  });

  it('by twenty coordinators at once leaves one job per source', async () => {
    const sources = await Promise.all(Array.from({ length: 5 }, () => addSource({ schedule: YEARLY })));
    await Promise.all(Array.from({ length: 20 }, round));
    expect([...(await list()).keys()].sort()).toEqual(sources.map((source) => source.id).sort());
    const jobs = await prepared.redis.zcard(`${prepared.prefix}queue:schedule:delayed`);
    expect(jobs).toBe(5);
    await stopAllByRound();
  });

  async function stopAllByRound(): Promise<void> {
    await prepared.database.sql`UPDATE sources SET schedule = NULL`;
    await round();
    expect((await list()).size).toBe(0);
  }
});

describe('a tick', () => {
  const tick = (sourceId: SourceId, n: number) =>
    startScheduledRun({ sourceId, id: `repeat:source-${sourceId}:${n}` }, prepared.deps);

  it('starts one run however often and wherever it is delivered, even after that run has ended', async () => {
    const { id } = await addSource();
    await Promise.all(Array.from({ length: 10 }, () => tick(id, 1)));
    expect(await runsOf(id)).toHaveLength(1);
    await prepared.end((await runsOf(id))[0]?.id as RunId);
    await tick(id, 1);
    expect(await runsOf(id)).toHaveLength(1);
    await tick(id, 2);
    expect(await runsOf(id)).toHaveLength(2);
  });

  it('finishes what its first delivery died in', async () => {
    const { id } = await addSource();
    const dying = { ...prepared.deps, state: { create: () => Promise.reject(new Error('died')) } };
    await expect(startScheduledRun({ sourceId: id, id: `repeat:source-${id}:1` }, dying)).rejects.toThrow('died');
    expect(await runsOf(id)).toMatchObject([{ status: 'pending' }]);
    await tick(id, 1);
    expect(await runsOf(id)).toMatchObject([{ status: 'running' }]);
    expect(await prepared.deps.state.progress((await runsOf(id))[0]?.id as RunId)).not.toBeNull();
  });

  it('starts nothing for a source that is gone, off its schedule, or can not be crawled', async () => {
    const error = vi.spyOn(prepared.deps.logger, 'error');
    onTestFinished(() => error.mockRestore());
    const gone = await addSource();
    await deleteSource(prepared.deps.db, gone.id);
    const off = await addSource({ schedule: null });
    const bad = await addSource({ config: { url: 'https://example.com/', colour: 'red' } as NewSource['config'] });
    for (const { id } of [gone, off, bad]) {
      await tick(id, 1);
      expect(await runsOf(id)).toEqual([]);
    }
    expect(error.mock.calls).toMatchObject([
      [{ sourceId: bad.id, problems: [expect.any(String)] }, expect.any(String)],
    ]);
  });
});
