import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { SourceId } from '@trawl/contracts';
import { waitFor } from '@trawl/testing';
import { describe, expect, it } from 'vitest';
import { openDb } from '../db.ts';
import { deleteRun } from '../delete-run.ts';
import { deleteSource } from '../delete-source.ts';
import { finalizeRun } from '../finalize-run.ts';
import { sealRun } from '../run-status.ts';
import { addRun, ending, outcome, useStore } from '../testing/store.ts';
import { dueSources } from './due-sources.ts';
import { indexSource } from './index-source.ts';
import { takeLease } from './lease.ts';
import { crawl, type GivenPage, indexedCrawl, names, save, search } from './search-fixture.ts';

const store = useStore();
const LOOK = { endedWithinMs: null, longRunMs: 60_000 };
const due = async (sourceId: SourceId) => (await dueSources(store.db, LOOK)).includes(sourceId);
const count = async (sourceId: SourceId) => {
  const [row] = await store.database.sql`
    SELECT count(*)::int AS chunks, count(DISTINCT page_id)::int AS pages
    FROM search_pages LEFT JOIN search_chunks USING (page_id) WHERE source_id = ${sourceId}`;
  return row;
};
const many = (pages: number, word = 'kettle'): GivenPage[] =>
  Array.from({ length: pages }, (_, n) => ({ name: `p${n}`, chunks: [`${word} one ${n}`, `${word} two ${n}`] }));

describe('the index', () => {
  it('follows what runs find: new, changed, the same, gone, back again', async () => {
    const { sourceId } = await crawl(store.db, [
      { name: 'same', chunks: ['alpha stays'] },
      { name: 'changes', chunks: ['alpha before', 'alpha kept'] },
      { name: 'goes', chunks: ['alpha leaves'] },
    ]);
    expect(await due(sourceId)).toBe(true);
    expect(await search(store.db, sourceId, 'alpha')).toMatchObject({
      items: [],
      index: { complete: false, pages: 3, indexed: 0 },
    });
    expect(await indexSource(store.db, sourceId)).toEqual({ kind: 'done', pages: 3, removed: 0, chunks: 4 });
    expect(await due(sourceId)).toBe(false);
    expect((await names(store.db, sourceId, 'alpha')).sort()).toEqual(['changes', 'changes', 'goes', 'same']);

    await crawl(
      store.db,
      [
        { name: 'same', chunks: ['alpha stays'] },
        { name: 'changes', chunks: ['alpha after', 'alpha kept'] },
        { name: 'comes', chunks: ['alpha arrives'] },
      ],
      { sourceId, outcomes: [outcome('goes')] },
    );
    expect(await due(sourceId)).toBe(true);
    expect(await indexSource(store.db, sourceId)).toEqual({ kind: 'done', pages: 2, removed: 1, chunks: 3 });
    expect(await search(store.db, sourceId, 'alpha')).toMatchObject({
      index: { complete: true, pages: 3, indexed: 3 },
    });
    expect((await names(store.db, sourceId, 'alpha')).sort()).toEqual(['changes', 'changes', 'comes', 'same']);
    expect(await names(store.db, sourceId, 'before or leaves')).toEqual([]);
    expect(await names(store.db, sourceId, 'after')).toEqual(['changes']);
    expect(await indexSource(store.db, sourceId)).toEqual({ kind: 'done', pages: 0, removed: 0, chunks: 0 });

    await crawl(store.db, [{ name: 'goes', chunks: ['alpha leaves'] }], { sourceId });
    await indexSource(store.db, sourceId);
    expect(await names(store.db, sourceId, 'leaves')).toEqual(['goes']);
  });

  it('follows a title or a language that alone has changed', async () => {
    const page = { name: 'a', chunks: ['running water'] };
    const sourceId = await indexedCrawl(store.db, [{ ...page, title: 'Old', language: null }]);
    expect(await names(store.db, sourceId, 'run')).toEqual([]);
    await crawl(store.db, [{ ...page, title: 'New', language: 'en' }], { sourceId });
    await indexSource(store.db, sourceId);
    expect(await names(store.db, sourceId, 'run new')).toEqual(['a']);
    expect(await names(store.db, sourceId, 'old')).toEqual([]);
  });

  it('has no page that was read for its links only, and takes one out that asks for it', async () => {
    const skipped = { code: 'ROBOTS_NOINDEX', message: 'x', retryable: false, attempts: 1 } as const;
    const sourceId = await indexedCrawl(store.db, [
      { name: 'a', chunks: ['alpha'] },
      { name: 'b', chunks: ['alpha'] },
    ]);
    const run = await addRun(store.db, sourceId);
    await save(store.db, run, [
      { name: 'b', chunks: ['alpha changed'], over: { skipped } },
      { name: 'c', chunks: ['alpha'], over: { skipped } },
    ]);
    await indexSource(store.db, sourceId);
    expect(await names(store.db, sourceId, 'alpha')).toEqual(['a']);
  });

  it('has one of two pages that say the same, and the other when that one is gone', async () => {
    const over = { contentHash: 'one and the same' };
    const [one, two] = [
      { name: '1', chunks: ['alpha'], over },
      { name: '2', chunks: ['alpha'], over },
    ];
    const sourceId = await indexedCrawl(store.db, [one, two]);
    const [first] = await names(store.db, sourceId, 'alpha');
    expect(await names(store.db, sourceId, 'alpha')).toHaveLength(1);
    expect(await search(store.db, sourceId, 'alpha')).toMatchObject({
      index: { complete: true, pages: 1, indexed: 1 },
    });
    await store.database
      .sql`UPDATE pages SET gone_at = now() WHERE source_id = ${sourceId} AND url LIKE ${`%/${first}`}`;
    await indexSource(store.db, sourceId);
    expect(await names(store.db, sourceId, 'alpha')).toEqual([first === '1' ? '2' : '1']);
  });

  it('goes with pages, runs and sources that are deleted', async () => {
    const { runId, sourceId } = await crawl(store.db, many(3));
    await crawl(store.db, many(1, 'other'), { sourceId });
    await indexSource(store.db, sourceId);
    expect(await count(sourceId)).toEqual({ pages: 3, chunks: 6 });
    await deleteRun(store.db, runId);
    expect(await count(sourceId)).toEqual({ pages: 1, chunks: 2 });
    await deleteSource(store.db, sourceId);
    expect(await count(sourceId)).toEqual({ pages: 0, chunks: 0 });
    expect(await indexSource(store.db, sourceId)).toEqual({ kind: 'busy' });
    const left = await store.database.sql`SELECT FROM search_sources WHERE source_id = ${sourceId}`;
    expect(left).toHaveLength(0);
  });

  it('is complete for a source that never had a run, and not while one is under way', async () => {
    const run = await addRun(store.db);
    expect((await search(store.db, run.sourceId, 'x')).index).toMatchObject({ complete: false });
    await save(store.db, run, [{ name: 'a', chunks: ['alpha'] }]);
    await indexSource(store.db, run.sourceId);
    expect(await search(store.db, run.sourceId, 'alpha')).toMatchObject({
      items: [{}],
      index: { complete: false, indexed: 1 },
    });
  });

  it('takes pages that are more than a tsvector holds, and goes on with the others', async () => {
    const words = (n: number, letters: string) =>
      Array.from({ length: n }, (_, i) => `${letters}${i.toString(36)}`).join(' ');
    const sourceId = await indexedCrawl(store.db, [
      { name: 'huge', title: 'alpha', chunks: [words(400_000, 'ü')] },
      { name: 'long word', title: 'alpha', chunks: ['x'.repeat(3_000_000)] },
      { name: 'plain', chunks: ['alpha'] },
      { name: 'empty', title: 'alpha', chunks: [] },
      { name: 'odd', chunks: ['alpha \u0000 \ud800 b'], language: 'de_', title: null },
    ]);
    expect((await names(store.db, sourceId, 'alpha')).sort()).toEqual(['huge', 'long word', 'odd', 'plain']);
    const problems = await store.database.sql`SELECT FROM search_pages WHERE problem IS NOT NULL`;
    expect(problems).toHaveLength(0);
  });

  it('keeps a page out that Postgres refuses, says why, and indexes the rest', async () => {
    await store.database.sql`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF NEW.text LIKE '%poison%' THEN RAISE EXCEPTION 'string is too long' USING ERRCODE = '54000'; END IF; RETURN NEW; END $$`;
    await store.database
      .sql`CREATE TRIGGER refuse BEFORE INSERT ON search_chunks FOR EACH ROW EXECUTE FUNCTION refuse()`;
    const sourceId = await indexedCrawl(store.db, [...many(5), { name: 'bad', chunks: ['kettle', 'poison'] }]);
    await store.database.sql`DROP FUNCTION refuse CASCADE`;
    expect(await names(store.db, sourceId, 'kettle')).toHaveLength(10);
    const [bad] = await store.database.sql`SELECT problem FROM search_pages WHERE url LIKE '%bad'`;
    expect(bad?.problem).toBe('string is too long');
    // Not tried again and again.
    expect(await indexSource(store.db, sourceId)).toMatchObject({ pages: 0 });
    await crawl(store.db, [{ name: 'bad', chunks: ['kettle', 'better'] }], { sourceId });
    await indexSource(store.db, sourceId);
    expect(await names(store.db, sourceId, 'better')).toEqual(['bad']);
  });
});

describe('indexing', () => {
  it('is done once when two do it at the same time', async () => {
    const { sourceId } = await crawl(store.db, many(200));
    const results = await Promise.all(Array.from({ length: 4 }, () => indexSource(store.db, sourceId)));
    expect(results.map((result) => result.kind).sort()).toEqual(['busy', 'busy', 'busy', 'done']);
    expect(await count(sourceId)).toEqual({ pages: 200, chunks: 400 });
  });

  it('is right even where two are at it, while runs save, end and are deleted', async () => {
    const { sourceId } = await crawl(store.db, many(60));
    let over = false;
    const indexers = Array.from({ length: 3 }, async () => {
      while (!over) {
        await indexSource(store.db, sourceId);
        // As if its lease had run out under it.
        await store.database
          .sql`UPDATE search_sources SET leased_until = now() - interval '1 second' WHERE source_id = ${sourceId}`;
      }
    });
    for (let round = 0; round < 6; round++) {
      const { runId } = await crawl(store.db, many(60, `round${round}`), { sourceId, outcomes: [] });
      const cut = await addRun(store.db, sourceId);
      await save(store.db, cut, many(20, `cut${round}`));
      await sealRun(store.db, cut.runId);
      await finalizeRun(store.db, cut.runId, ending(['p1']));
      if (round % 2) await deleteRun(store.db, runId);
    }
    over = true;
    await Promise.all(indexers);
    await store.database.sql`UPDATE search_sources SET lease = NULL, leased_until = NULL WHERE source_id = ${sourceId}`;
    expect((await indexSource(store.db, sourceId)).kind).toBe('done');
    const [wrong] = await store.database.sql`
      SELECT (SELECT count(*)::int FROM search_pages AS i JOIN pages ON pages.id = i.page_id
          WHERE pages.source_id = ${sourceId} AND i.rendition <> pages.rendition) AS outdated,
        (SELECT count(*)::int FROM chunks JOIN pages ON pages.id = chunks.page_id WHERE pages.source_id = ${sourceId}
          AND NOT EXISTS (SELECT FROM search_chunks AS c WHERE c.page_id = pages.id AND c.text = chunks.text)) AS missing,
        (SELECT count(*)::int FROM search_chunks AS c JOIN search_pages AS i USING (page_id) WHERE i.source_id = ${sourceId}
          AND NOT EXISTS (SELECT FROM chunks WHERE chunks.page_id = c.page_id AND chunks.text = c.text)) AS extra`;
    expect(wrong).toEqual({ outdated: 0, missing: 0, extra: 0 });
  });

  it('goes on where one that was killed left off, once its lease has run out', async () => {
    const { sourceId } = await crawl(store.db, many(1000));
    const child = spawn(
      process.execPath,
      ['--input-type=module', '-e', CHILD, store.database.url, sourceId, fileURLToPath(new URL('..', import.meta.url))],
      { stdio: ['ignore', 'inherit', 'inherit'] },
    );
    const exited = new Promise((resolve) => child.once('exit', resolve));
    await waitFor(async () => Number((await count(sourceId))?.pages) > 100);
    child.kill('SIGKILL');
    await exited;
    // A statement that was under way ends by itself.
    await waitFor(async () => {
      const [busy] = await store.database.sql`
        SELECT count(*)::int FROM pg_stat_activity WHERE application_name = 'killed indexer'`;
      return busy?.count === 0;
    });
    const { pages } = (await count(sourceId)) ?? {};
    expect(pages).toBeLessThan(1000);
    const whole = await store.database.sql`
      SELECT page_id FROM search_pages JOIN search_chunks USING (page_id) WHERE source_id = ${sourceId}
      GROUP BY page_id HAVING count(*) <> 2`;
    expect(whole).toHaveLength(0);
    expect(await due(sourceId)).toBe(false);
    expect(await indexSource(store.db, sourceId)).toEqual({ kind: 'busy' });
    await store.database.sql`UPDATE search_sources SET leased_until = now() WHERE source_id = ${sourceId}`;
    expect(await due(sourceId)).toBe(true);
    expect(await indexSource(store.db, sourceId)).toMatchObject({ kind: 'done', pages: 1000 - Number(pages) });
    expect(await count(sourceId)).toEqual({ pages: 1000, chunks: 2000 });
  });

  it('stops between two batches when it is told to, and does not stand in the way of the next one', async () => {
    const { sourceId } = await crawl(store.db, many(200));
    expect(await indexSource(store.db, sourceId, { signal: AbortSignal.abort() })).toEqual({ kind: 'stopped' });
    const stopping = new AbortController();
    const under = indexSource(store.db, sourceId, { signal: stopping.signal, rest: async () => 1000 });
    await waitFor(async () => Number((await count(sourceId))?.pages) > 0);
    stopping.abort();
    expect(await under).toEqual({ kind: 'stopped' });
    expect(await due(sourceId)).toBe(true);
    expect(await indexSource(store.db, sourceId)).toMatchObject({ kind: 'done' });
  });

  it('never makes a save wait, nor waits for one', async () => {
    const { sourceId } = await crawl(store.db, many(3));
    const other = openDb(store.database.url, { max: 1 });
    try {
      await other.sql.begin(async (tx) => {
        // What a save of these pages holds.
        await tx`SELECT FROM pages WHERE source_id = ${sourceId} FOR NO KEY UPDATE`;
        expect(await indexSource(store.db, sourceId)).toMatchObject({ kind: 'done', pages: 3 });
      });
      await other.sql.begin(async (tx) => {
        // What indexing them holds.
        await tx`SELECT FROM pages WHERE source_id = ${sourceId} FOR KEY SHARE`;
        await tx`UPDATE search_pages SET title = 'x' WHERE source_id = ${sourceId}`;
        await save(store.db, await addRun(store.db, sourceId), many(3, 'new'));
      });
    } finally {
      await other.close();
    }
  });
});

describe('sources that are due', () => {
  it('are those whose newest run is not in the index, however long ago it ended', async () => {
    const { runId, sourceId } = await crawl(store.db, many(1));
    const recent = { endedWithinMs: 60_000, longRunMs: 60_000 };
    expect(await dueSources(store.db, recent)).toContain(sourceId);
    await store.database.sql`UPDATE runs SET finished_at = now() - interval '1 year' WHERE id = ${runId}`;
    expect(await dueSources(store.db, recent)).not.toContain(sourceId);
    expect(await due(sourceId)).toBe(true);
    await indexSource(store.db, sourceId);
    expect(await due(sourceId)).toBe(false);
  });

  it('are those whose run has gone on for long, again and again', async () => {
    const run = await addRun(store.db);
    await save(store.db, run, many(1));
    const { sourceId, runId } = run;
    expect(await due(sourceId)).toBe(false);
    await store.database.sql`UPDATE runs SET started_at = now() - interval '2 minutes' WHERE id = ${runId}`;
    expect(await due(sourceId)).toBe(true);
    await indexSource(store.db, sourceId);
    expect(await due(sourceId)).toBe(false);
    await store.database
      .sql`UPDATE search_sources SET checked_at = now() - interval '16 seconds' WHERE source_id = ${sourceId}`;
    expect(await due(sourceId)).toBe(true);
  });

  it('are not those that somebody is at', async () => {
    const { sourceId } = await crawl(store.db, many(1));
    expect(await takeLease(store.db, sourceId)).not.toBeNull();
    expect(await due(sourceId)).toBe(false);
  });
});

const CHILD = `
  const [url, sourceId, folder] = process.argv.slice(1);
  const { openDb } = await import(folder + 'db.ts');
  const { indexSource } = await import(folder + 'search/index-source.ts');
  await indexSource(openDb(url, { applicationName: 'killed indexer' }), sourceId, { rest: async () => 3 });
`;
