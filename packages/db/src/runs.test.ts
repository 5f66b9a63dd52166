import { newRunId, newSourceId, type RunId } from '@trawl/contracts';
import { describe, expect, it } from 'vitest';
import { ping } from './db.ts';
import { insertRun } from './insert-run.ts';
import { markStarted, reopenRun, sealRun, setRunStatus } from './run-status.ts';
import { getRun, listRuns, unfinishedRuns } from './runs.ts';
import { addRun, config, useStore } from './testing/store.ts';

const store = useStore();

describe('insertRun', () => {
  it('adds a pending run with a source named after the host', async () => {
    const id = newRunId();
    const result = await insertRun(store.db, { id, sourceId: null, config });
    expect(result).toMatchObject({
      kind: 'inserted',
      run: { id, status: 'pending', sealed: false, config, stats: null, warnings: [], error: null, startedAt: null },
    });
    const sources = await store.database
      .sql`SELECT name FROM sources JOIN runs ON source_id = sources.id WHERE runs.id = ${id}`;
    expect(sources).toEqual([{ name: 'example.com' }]);
    expect(await getRun(store.db, id)).toEqual(result.kind === 'inserted' ? result.run : null);
  });

  it('refuses a source that does not exist', async () => {
    expect(await insertRun(store.db, { id: newRunId(), sourceId: newSourceId(), config })).toEqual({
      kind: 'no-source',
    });
  });

  it('adds one run and one source when 10 requests race with one key, and refuses the key for another request', async () => {
    const before = await countSources();
    const results = await Promise.all(
      Array.from({ length: 10 }, () =>
        insertRun(store.db, { id: newRunId(), sourceId: null, config, idempotencyKey: 'once', requestHash: 'a' }),
      ),
    );
    expect(results.map((r) => r.kind).sort()).toEqual([...Array(9).fill('exists'), 'inserted']);
    expect(new Set(results.map((r) => ('run' in r ? r.run.id : r.kind))).size).toBe(1);
    expect(await countSources()).toBe(before + 1);
    const other = { id: newRunId(), sourceId: null, config, idempotencyKey: 'once', requestHash: 'b' };
    expect(await insertRun(store.db, other)).toEqual({ kind: 'key-reused' });
  });
});

describe('status', () => {
  it('starts a pending run once', async () => {
    const { runId } = await addRun(store.db);
    await markStarted(store.db, runId, 'discovering');
    const started = await getRun(store.db, runId);
    expect(started).toMatchObject({ status: 'discovering', startedAt: expect.any(String) });
    await markStarted(store.db, runId, 'running');
    expect(await getRun(store.db, runId)).toEqual(started);
  });

  it('does not change after sealing, which can be repeated', async () => {
    const { runId } = await addRun(store.db);
    expect(await setRunStatus(store.db, runId, 'running')).toBe(true);
    const sealed = await sealRun(store.db, runId);
    expect(sealed).toMatchObject({ sealed: true, status: 'finalizing' });
    expect(await sealRun(store.db, runId)).toEqual(sealed);
    expect(await setRunStatus(store.db, runId, 'paused')).toBe(false);
    await markStarted(store.db, runId, 'running');
    expect(await getRun(store.db, runId)).toEqual(sealed);
  });

  it('is pending and open again after reopening, unless the run has ended', async () => {
    const { runId } = await addRun(store.db);
    await sealRun(store.db, runId);
    await reopenRun(store.db, runId);
    expect(await getRun(store.db, runId)).toMatchObject({ status: 'pending', sealed: false });
    await sealRun(store.db, runId);
    await store.database.sql`UPDATE runs SET finished_at = now() WHERE id = ${runId}`;
    await reopenRun(store.db, runId);
    expect(await getRun(store.db, runId)).toMatchObject({ status: 'finalizing', sealed: true });
  });

  it('says so where there is no such run', async () => {
    expect(await getRun(store.db, newRunId())).toBeNull();
    expect(await sealRun(store.db, newRunId())).toBeNull();
    expect(await setRunStatus(store.db, newRunId(), 'running')).toBe(false);
  });

  it('finds the runs that are not over and older than a second, oldest first', async () => {
    const [old, older, young, over] = await Promise.all(Array.from({ length: 4 }, () => addRun(store.db)));
    const age = (id: RunId | undefined, seconds: number) =>
      store.database.sql`UPDATE runs SET created_at = now() - make_interval(secs => ${seconds}) WHERE id = ${id ?? ''}`;
    await Promise.all([age(old?.runId, 5000), age(older?.runId, 6000), age(young?.runId, -60), age(over?.runId, 7000)]);
    await setRunStatus(store.db, old?.runId ?? newRunId(), 'running');
    await store.database.sql`UPDATE runs SET finished_at = now() WHERE id = ${over?.runId ?? ''}`;
    expect((await unfinishedRuns(store.db, 2)).map((run) => run.id)).toEqual([older?.runId, old?.runId]);
    expect((await unfinishedRuns(store.db)).map((run) => run.id)).not.toContain(young?.runId);
  });

  it('opens a sealed run again, but never one that is over', async () => {
    const { runId } = await addRun(store.db);
    await sealRun(store.db, runId);
    await reopenRun(store.db, runId);
    expect(await getRun(store.db, runId)).toMatchObject({ sealed: false, status: 'pending' });
    await sealRun(store.db, runId);
    await store.database.sql`UPDATE runs SET finished_at = now() WHERE id = ${runId}`;
    await reopenRun(store.db, runId);
    expect(await getRun(store.db, runId)).toMatchObject({ sealed: true });
  });
});

describe('listRuns', () => {
  it('gives every run once, newest first, also where runs share their time', async () => {
    for (let i = 0; i < 7; i++) await addRun(store.db);
    await store.database.sql`UPDATE runs SET created_at = date_trunc('minute', created_at)`;
    const expected = await store.database.sql`SELECT id FROM runs ORDER BY created_at DESC, id DESC`;
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const part = await listRuns(store.db, { limit: 3, cursor });
      if (part.kind !== 'listed') throw new Error(part.kind);
      seen.push(...part.items.map((run) => run.id));
      cursor = part.nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(seen).toEqual(expected.map((row) => row.id));
  });

  it('filters by status', async () => {
    const { runId } = await addRun(store.db);
    await setRunStatus(store.db, runId, 'paused');
    const paused = await listRuns(store.db, { limit: 10, status: 'paused' });
    expect(paused).toMatchObject({ kind: 'listed', items: [{ id: runId }], nextCursor: null });
  });

  it.each([
    '',
    'x',
    '%%%',
    Buffer.from('run 1 run_x').toString('base64url'),
    Buffer.from('page 3').toString('base64url'),
    Buffer.from(`run 999999999999999 ${newRunId()}`).toString('base64url'),
  ])('refuses the cursor %j', async (cursor) => {
    expect(await listRuns(store.db, { limit: 3, cursor })).toEqual({ kind: 'bad-cursor' });
  });
});

it('answers a ping', async () => {
  await ping(store.db);
});

async function countSources(): Promise<number> {
  const [row] = await store.database.sql`SELECT count(*)::int AS count FROM sources`;
  return row?.count;
}
