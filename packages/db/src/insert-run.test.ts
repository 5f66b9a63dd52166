import { newRunId, type RunId, type SourceId } from '@trawl/contracts';
import { beforeEach, describe, expect, it } from 'vitest';
import { finalizeRun } from './finalize-run.ts';
import { insertRun, type RunToInsert } from './insert-run.ts';
import { abandonRun, sealRun } from './run-status.ts';
import { addRun, config, ending, useStore } from './testing/store.ts';
import { updateSource } from './write-source.ts';

const store = useStore(20);
let first: { runId: RunId; sourceId: SourceId };
beforeEach(async () => {
  first = await addRun(store.db);
});

const insert = (over: Partial<RunToInsert> = {}) =>
  insertRun(store.db, { id: newRunId(), sourceId: first.sourceId, config, ...over });

async function finish(runId: RunId): Promise<void> {
  await sealRun(store.db, runId);
  await finalizeRun(store.db, runId, ending([]));
}

describe('a run of a source that has one which is not finished', () => {
  it('is refused, naming that one', async () => {
    expect(await insert()).toEqual({ kind: 'in-progress', runId: first.runId });
    await sealRun(store.db, first.runId);
    expect(await insert()).toEqual({ kind: 'in-progress', runId: first.runId });
  });

  it('is added once that one has ended, or is about to be deleted', async () => {
    await finish(first.runId);
    const second = await insert();
    expect(second.kind).toBe('inserted');
    if (second.kind === 'inserted') await abandonRun(store.db, second.run.id);
    expect((await insert()).kind).toBe('inserted');
  });

  it('is added where it, or its source, may overlap', async () => {
    expect((await insert({ overlap: true })).kind).toBe('inserted');
    expect((await insert({ overlap: false })).kind).toBe('in-progress');
    await updateSource(store.db, first.sourceId, { overlap: true });
    expect((await insert()).kind).toBe('inserted');
  });

  it('is the same run where the request was only repeated', async () => {
    await finish(first.runId);
    const key = { idempotencyKey: `key of ${first.runId}`, requestHash: 'a' };
    const added = await insert(key);
    const again = await insert(key);
    expect(added.kind).toBe('inserted');
    expect(again.kind).toBe('exists');
    expect('run' in again && 'run' in added && again.run.id === added.run.id).toBe(true);
    expect(await insert({ ...key, requestHash: 'b' })).toEqual({ kind: 'key-reused' });
  });
});

describe('when 20 clients race', () => {
  it('one run is added to a source', async () => {
    for (let race = 0; race < 5; race++) {
      await finish(first.runId);
      const results = await Promise.all(Array.from({ length: 20 }, () => insert()));
      expect(results.map((result) => result.kind).sort()).toEqual([...Array(19).fill('in-progress'), 'inserted']);
      const added = results.find((result) => result.kind === 'inserted');
      if (added?.kind === 'inserted') first = { ...first, runId: added.run.id };
    }
  });

  it('with one key, all get the one run', async () => {
    await finish(first.runId);
    const key = { idempotencyKey: `race of ${first.runId}`, requestHash: 'a' };
    const results = await Promise.all(Array.from({ length: 20 }, () => insert(key)));
    expect(results.map((result) => result.kind).sort()).toEqual([...Array(19).fill('exists'), 'inserted']);
  });
});

it('does not wait for a finalization of the source', async () => {
  await store.db.sql.begin(async (tx) => {
    // As finalization holds it.
    await tx`SELECT FROM sources WHERE id = ${first.sourceId} FOR NO KEY UPDATE`;
    expect((await insert({ overlap: true })).kind).toBe('inserted');
  });
});
