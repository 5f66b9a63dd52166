import { newRunId, newSourceId } from '@trawl/contracts';
import { expect, it } from 'vitest';
import { deleteRun } from './delete-run.ts';
import { deleteSource, tracedRuns } from './delete-source.ts';
import { finalizeRun } from './finalize-run.ts';
import { insertRun } from './insert-run.ts';
import { sealRun } from './run-status.ts';
import { savePages } from './save-pages.ts';
import { addRun, config, ending, page, useStore, waiters } from './testing/store.ts';

const store = useStore();
const HOUR_MS = 3600_000;

async function rowsOf(sourceId: string): Promise<Record<string, number>> {
  const [counts] = await store.database.sql`
    SELECT (SELECT count(*) FROM sources WHERE id = ${sourceId})::int AS sources,
      (SELECT count(*) FROM runs WHERE source_id = ${sourceId})::int AS runs,
      (SELECT count(*) FROM pages WHERE source_id = ${sourceId})::int AS pages,
      (SELECT count(*) FROM run_pages JOIN runs ON runs.id = run_id WHERE source_id = ${sourceId})::int AS run_pages`;
  return { ...counts };
}
const NOTHING = { sources: 0, runs: 0, pages: 0, run_pages: 0 };

it('takes a source with its runs and pages, leaves others, and tells which runs were not finished', async () => {
  const [first, other] = [await addRun(store.db), await addRun(store.db)];
  await savePages(store.db, first, [page('a'), page('b')]);
  await savePages(store.db, other, [page('a')]);
  await sealRun(store.db, first.runId);
  await finalizeRun(store.db, first.runId, ending(['a', 'b']));
  const second = await addRun(store.db, first.sourceId);
  await savePages(store.db, second, [page('b'), page('c')]);

  expect(await deleteSource(store.db, first.sourceId)).toEqual([second.runId]);
  expect(await rowsOf(first.sourceId)).toEqual(NOTHING);
  expect(await rowsOf(other.sourceId)).toEqual({ sources: 1, runs: 1, pages: 1, run_pages: 1 });
  expect(await deleteSource(store.db, first.sourceId)).toBeNull();
  expect(await deleteSource(store.db, newSourceId())).toBeNull();
});

it('knows the runs that may have left traces: those not finished, and those finished lately', async () => {
  const first = await addRun(store.db);
  const more = [await addRun(store.db, first.sourceId), await addRun(store.db, first.sourceId)];
  const [late, old] = more.map((run) => run.runId);
  await store.database.sql`UPDATE runs SET finished_at = now() - interval '10 minutes' WHERE id = ${late ?? ''}`;
  await store.database.sql`UPDATE runs SET finished_at = now() - interval '2 hours' WHERE id = ${old ?? ''}`;
  const traced = await tracedRuns(store.db, first.sourceId, HOUR_MS);
  expect(new Map(traced.map((run) => [run.id, run.isFinished]))).toEqual(
    new Map([
      [first.runId, false],
      [late, true],
    ]),
  );
});

it('begins again when a run was added while it waited', async () => {
  const first = await addRun(store.db);
  const id = newRunId();
  let deleted: Promise<unknown> | undefined;
  await store.db.sql.begin(async (tx) => {
    await tx`SELECT FROM runs WHERE id = ${first.runId} FOR KEY SHARE`;
    deleted = deleteSource(store.db, first.sourceId);
    await waiters(store, 1);
    const added = await insertRun(store.db, { id, sourceId: first.sourceId, config, overlap: true });
    expect(added.kind).toBe('inserted');
  });
  expect(new Set((await deleted) as string[])).toEqual(new Set([first.runId, id]));
  expect(await rowsOf(first.sourceId)).toEqual(NOTHING);
});

it('leaves nothing, and nobody in a deadlock, when saving, adding, finalizing and deleting runs race with it', async () => {
  for (let race = 0; race < 15; race++) {
    const first = await addRun(store.db);
    const second = await addRun(store.db, first.sourceId);
    const names = ['a', 'b', 'c', 'd'];
    await savePages(
      store.db,
      first,
      names.map((name) => page(name)),
    );
    await sealRun(store.db, first.runId);
    const crawl = async () => {
      const id = newRunId();
      const added = await insertRun(store.db, { id, sourceId: first.sourceId, config, overlap: true });
      if (added.kind !== 'inserted') return;
      for (const name of names)
        await savePages(store.db, { ...first, runId: id }, [page(name), page(`${name}-${race}`)]);
    };
    const save = async () => {
      for (const name of names) await savePages(store.db, second, [page(name), page(`${name}-2`)]);
    };
    await Promise.all([
      crawl(),
      save(),
      finalizeRun(store.db, first.runId, ending(names)),
      deleteRun(store.db, second.runId),
      deleteSource(store.db, first.sourceId),
    ]);
    expect(await rowsOf(first.sourceId)).toEqual(NOTHING);
  }
});
