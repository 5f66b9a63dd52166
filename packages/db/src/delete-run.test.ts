import { newRunId } from '@trawl/contracts';
import { expect, it } from 'vitest';
import { blobRefsOf } from './delete-pages.ts';
import { deleteRun } from './delete-run.ts';
import { insertRun } from './insert-run.ts';
import { getRun } from './runs.ts';
import { savePages } from './save-pages.ts';
import { addRun, config, page, pagesOf, useStore } from './testing/store.ts';

const store = useStore();

async function rowsOf(sourceId: string): Promise<Record<string, number>> {
  const [counts] = await store.database.sql`
    SELECT (SELECT count(*) FROM sources WHERE id = ${sourceId})::int AS sources,
      (SELECT count(*) FROM runs WHERE source_id = ${sourceId})::int AS runs,
      (SELECT count(*) FROM pages WHERE source_id = ${sourceId})::int AS pages,
      (SELECT count(*) FROM chunks JOIN pages ON pages.id = page_id WHERE source_id = ${sourceId})::int AS chunks,
      (SELECT count(*) FROM run_pages JOIN runs ON runs.id = run_id WHERE source_id = ${sourceId})::int AS run_pages`;
  return { ...counts };
}

it('takes everything of a run that had its source to itself', async () => {
  const run = await addRun(store.db);
  await savePages(store.db, run, [page('a'), page('b')]);
  expect(await rowsOf(run.sourceId)).toEqual({ sources: 1, runs: 1, pages: 2, chunks: 2, run_pages: 2 });
  expect(await deleteRun(store.db, run.runId)).toEqual({ blobRefs: [], sourceId: run.sourceId });
  expect(await rowsOf(run.sourceId)).toEqual({ sources: 0, runs: 0, pages: 0, chunks: 0, run_pages: 0 });
  expect(await deleteRun(store.db, run.runId)).toBeNull();
});

it('leaves what another run of the source saw, until that one goes', async () => {
  const first = await addRun(store.db);
  const second = await addRun(store.db, first.sourceId);
  await savePages(store.db, first, [page('a'), page('b')]);
  await savePages(store.db, second, [page('b'), page('c')]);
  await deleteRun(store.db, second.runId);
  expect(await rowsOf(first.sourceId)).toEqual({ sources: 1, runs: 1, pages: 2, chunks: 2, run_pages: 2 });
  expect(await pagesOf(store.db, first.runId)).toHaveLength(2);
  await deleteRun(store.db, first.runId);
  expect(await rowsOf(first.sourceId)).toEqual({ sources: 0, runs: 0, pages: 0, chunks: 0, run_pages: 0 });
});

it('names the kept answers of the pages that go with it, before and after', async () => {
  const first = await addRun(store.db);
  const second = await addRun(store.db, first.sourceId);
  const kept = (name: string) => page(name, { rawRef: `ref of ${name}` });
  await savePages(store.db, first, [kept('a'), kept('b'), page('bare')]);
  await savePages(store.db, second, [kept('b'), kept('c')]);
  expect(await blobRefsOf(store.db, first.runId)).toEqual(['ref of a']);
  expect(await deleteRun(store.db, first.runId)).toEqual({ blobRefs: ['ref of a'], sourceId: null });
  expect([...(await blobRefsOf(store.db, second.runId))].sort()).toEqual(['ref of b', 'ref of c']);
  const deleted = await deleteRun(store.db, second.runId);
  expect([...(deleted?.blobRefs ?? [])].sort()).toEqual(['ref of b', 'ref of c']);
  expect(deleted?.sourceId).toBe(first.sourceId);
});

it('leaves a source that was set up by itself', async () => {
  const run = await addRun(store.db);
  await store.database.sql`UPDATE sources SET config = '{}' WHERE id = ${run.sourceId}`;
  await deleteRun(store.db, run.runId);
  expect(await rowsOf(run.sourceId)).toMatchObject({ sources: 1, runs: 0 });
});

it('never leaves a run without its content or source when it races with another run of the source', async () => {
  for (let race = 0; race < 20; race++) {
    const old = await addRun(store.db);
    const names = ['a', 'b', 'c', 'd'];
    await savePages(
      store.db,
      old,
      names.map((name) => page(name)),
    );
    const id = newRunId();
    const crawlAgain = async () => {
      const added = await insertRun(store.db, { id, sourceId: old.sourceId, config, overlap: true });
      if (added.kind === 'no-source') return;
      const run = { runId: id, sourceId: old.sourceId };
      for (const name of names) await savePages(store.db, run, [page(name), page(`${name}-more`)]);
    };
    const [wasThere] = await Promise.all([deleteRun(store.db, old.runId), crawlAgain()]);
    expect(wasThere).not.toBeNull();
    const all = (await getRun(store.db, id)) ? 2 * names.length : 0;
    expect(await rowsOf(old.sourceId)).toMatchObject({ runs: all && 1, pages: all, chunks: all, run_pages: all });
    const [bare] = await store.database.sql`
      SELECT count(*)::int FROM run_pages WHERE run_id = ${id} AND page_id IS NULL`;
    expect(bare?.count).toBe(0);
  }
});
