import { newRunId } from '@trawl/contracts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDb } from './db.ts';
import { updateDepths } from './depths.ts';
import { finalizeRun } from './finalize-run.ts';
import { getPage } from './read-pages.ts';
import { sealRun } from './run-status.ts';
import { getRun } from './runs.ts';
import { savePages } from './save-pages.ts';
import { addRun, ending, inParts, key, outcome, page, pagesOf, stats, useStore } from './testing/store.ts';

const store = useStore();

async function savedRun(names: readonly string[], sourceId: Parameters<typeof addRun>[1] = null) {
  const run = await addRun(store.db, sourceId);
  await savePages(
    store.db,
    run,
    names.map((name) => page(name)),
  );
  return run;
}

async function finalize(
  run: { runId: Awaited<ReturnType<typeof addRun>>['runId'] },
  options: Parameters<typeof finalizeRun>[2],
) {
  await sealRun(store.db, run.runId);
  return finalizeRun(store.db, run.runId, options);
}

const byName = async (run: Awaited<ReturnType<typeof addRun>>) =>
  new Map((await pagesOf(store.db, run.runId)).map((p) => [p.url.replace('https://example.com/', ''), p]));

describe('finalizeRun', () => {
  it('writes status, numbers and warnings, and the same when called again', async () => {
    const run = await savedRun(['a', 'b']);
    const options = () => ending(['a', 'b'], { outcomes: [outcome('x'), outcome('y'), outcome('z')] });
    expect(await finalize(run, options())).toEqual({ rowsRemoved: 0, blobRefs: [] });
    const after = [await getRun(store.db, run.runId), await pagesOf(store.db, run.runId)];
    expect(after[0]).toMatchObject({
      status: 'completed',
      sealed: true,
      stats: { ...stats, new: 2, changed: 0, unchanged: 0, gone: 0, bytes: 2468, rendered: 0 },
      warnings: ['Something was odd.'],
      error: null,
      finishedAt: expect.any(String),
    });
    expect(await finalize(run, options())).toEqual({ rowsRemoved: 0, blobRefs: [] });
    expect([await getRun(store.db, run.runId), await pagesOf(store.db, run.runId)]).toEqual(after);
  });

  it('keeps why a run failed', async () => {
    const run = await savedRun([]);
    await finalize(run, { ...ending([]), status: 'failed', error: 'No start page could be fetched.' });
    expect(await getRun(store.db, run.runId)).toMatchObject({
      status: 'failed',
      error: 'No start page could be fetched.',
    });
  });

  it('removes rows that were never counted, with their pages unless another run saw them', async () => {
    const earlier = await savedRun(['late-known']);
    const run = await savedRun(['a', 'b', 'c', 'late', 'late-known'], earlier.sourceId);
    expect(await finalize(run, ending(['a', 'b', 'c']))).toEqual({ rowsRemoved: 2, blobRefs: [] });
    expect([...(await byName(run)).keys()]).toEqual(['a', 'b', 'c']);
    const known = await store.database.sql`SELECT url FROM pages WHERE source_id = ${run.sourceId} ORDER BY url`;
    expect(known.map((row) => row.url.replace('https://example.com/', ''))).toEqual(['a', 'b', 'c', 'late-known']);
    expect((await byName(earlier)).size).toBe(1);
  });

  it('does not ask for the keys when the numbers agree', async () => {
    const run = await savedRun(['a']);
    const processedKeys = () => {
      throw new Error('the keys were read');
    };
    expect(await finalize(run, { ...ending(['a']), processedKeys })).toEqual({ rowsRemoved: 0, blobRefs: [] });
  });

  it('corrects depths in both directions', async () => {
    const run = await savedRun(['a', 'b', 'c']);
    const depths = [
      { key: key('a'), depth: 0 },
      { key: key('b'), depth: 1 },
      { key: key('c'), depth: 4 },
      { key: key('unknown'), depth: 4 },
    ];
    await finalize(run, ending(['a', 'b', 'c'], { depths }));
    expect([...(await byName(run)).values()].map((p) => p.depth)).toEqual([0, 1, 4]);
  });

  it('keeps failed and skipped URLs with their errors, as pages without content', async () => {
    const run = await savedRun([]);
    const error = { code: 'REDIRECTED', message: 'It leads\u0000 elsewhere.', retryable: false, attempts: 1 } as const;
    const redirected = outcome('old', {
      outcome: 'skipped',
      httpStatus: 301,
      finalUrl: 'https://example.com/new',
      error,
    });
    await finalize(run, ending([], { outcomes: [redirected, outcome('missing')] }));
    const rows = await byName(run);
    expect(rows.get('old')).toMatchObject({
      outcome: 'skipped',
      httpStatus: 301,
      finalUrl: 'https://example.com/new',
      error: { ...error, message: 'It leads elsewhere.' },
      change: null,
    });
    const missing = rows.get('missing');
    expect(missing).toMatchObject({ outcome: 'failed', depth: 2, elapsedMs: 3, change: null, title: null });
    expect(await getPage(store.db, missing?.id ?? '')).toEqual({
      ...missing,
      markdown: null,
      text: null,
      links: [],
      chunks: [],
      metadata: {},
      rawRef: null,
      shotRef: null,
    });
  });

  it('names the kept answers of pages that the run did not count after all', async () => {
    const run = await addRun(store.db);
    const kept = (name: string) => page(name, { rawRef: `ref of ${name}` });
    await savePages(store.db, run, [kept('a'), kept('late'), page('bare')]);
    expect(await finalize(run, ending(['a']))).toEqual({ rowsRemoved: 2, blobRefs: ['ref of late'] });
  });

  it('counts what changed since the last run, and pages that are gone', async () => {
    const first = await savedRun(['same', 'other', 'gone', 'down']);
    await finalize(first, ending(['same', 'other', 'gone', 'down']));
    const second = await addRun(store.db, first.sourceId);
    await savePages(store.db, second, [page('same'), page('other', { text: 'changed' }), page('fresh')]);
    const outcomes = [
      outcome('gone', { httpStatus: 410 }),
      outcome('down', { httpStatus: 503 }),
      outcome('never-known'),
    ];
    await finalize(second, ending(['same', 'other', 'fresh'], { outcomes }));
    expect((await getRun(store.db, second.runId))?.stats).toMatchObject({ new: 1, changed: 1, unchanged: 1, gone: 1 });
    expect((await byName(second)).get('gone')?.change).toBe('gone');
  });

  it('names the first of equal pages as the original', async () => {
    const run = await addRun(store.db);
    await savePages(store.db, run, [page('a', { text: 'equal' })]);
    await savePages(store.db, run, [page('b', { text: 'equal' }), page('c')]);
    await finalize(run, ending(['a', 'b', 'c']));
    const rows = await byName(run);
    expect(['a', 'b', 'c'].map((name) => rows.get(name)?.duplicateOf)).toEqual([null, rows.get('a')?.id, null]);
  });

  it('leaves nothing of an attempt that broke half-way', async () => {
    const run = await savedRun(['a', 'late']);
    const breaks = async function* () {
      yield* inParts([outcome('x'), outcome('y')]);
      throw new Error('Redis went away');
    };
    await expect(finalize(run, { ...ending(['a']), outcomes: breaks() })).rejects.toThrow('Redis went away');
    expect([...(await byName(run)).keys()].sort()).toEqual(['a', 'late']);
    expect(await finalize(run, ending(['a'], { outcomes: [outcome('x')] }))).toEqual({ rowsRemoved: 1, blobRefs: [] });
    expect([...(await byName(run)).keys()].sort()).toEqual(['a', 'x']);
  });

  it('gives one result when two coordinators race', async () => {
    const run = await savedRun(['a', 'b', 'late']);
    const end = () => finalize(run, ending(['a', 'b'], { outcomes: [outcome('x')] }));
    const removed = (await Promise.all([end(), end(), end()])).map((r) => r.rowsRemoved);
    expect(removed.sort()).toEqual([0, 0, 1]);
    expect((await byName(run)).size).toBe(3);
  });

  it('refuses a run that is still open, and takes one that is gone as done', async () => {
    const run = await savedRun(['a']);
    await expect(finalizeRun(store.db, run.runId, ending(['a']))).rejects.toThrow('not sealed');
    expect(await finalizeRun(store.db, newRunId(), ending([]))).toEqual({ rowsRemoved: 0, blobRefs: [] });
  });
});

it('a large run takes no longer for the small ones before it, be its pages different or equal', async () => {
  const names = Array.from({ length: 4000 }, (_, i) => `large-${i}`);
  // As a coordinator's connection: its plans were made when there was nearly nothing.
  const db = openDb(store.database.url, { max: 1 });
  onTestFinished(() => db.close());
  for (let n = 0; n < 12; n++) {
    const run = await savedRun(['a', 'b']);
    await sealRun(db, run.runId);
    await finalizeRun(db, run.runId, ending(['a', 'b']));
  }
  for (const text of [undefined, 'the same']) {
    const run = await addRun(store.db);
    for (let from = 0; from < names.length; from += 500)
      await savePages(
        store.db,
        run,
        names.slice(from, from + 500).map((name) => page(name, text === undefined ? {} : { text })),
      );
    await sealRun(db, run.runId);
    const startedAt = performance.now();
    await finalizeRun(db, run.runId, ending(names));
    // 0.2 s here. Where every page was compared with every row it was 6 s and more, growing with the square.
    expect(performance.now() - startedAt).toBeLessThan(3000);
  }
}, 60_000);

describe('updateDepths', () => {
  it('lets depths fall, never rise, and not after sealing', async () => {
    const run = await savedRun(['a', 'b']);
    await updateDepths(store.db, run.runId, [
      { key: key('a'), depth: 0 },
      { key: key('b'), depth: 9 },
    ]);
    await updateDepths(store.db, run.runId, []);
    expect([...(await byName(run)).values()].map((p) => p.depth)).toEqual([0, 1]);
    await sealRun(store.db, run.runId);
    await updateDepths(store.db, run.runId, [{ key: key('b'), depth: 0 }]);
    expect((await byName(run)).get('b')?.depth).toBe(1);
  });
});
