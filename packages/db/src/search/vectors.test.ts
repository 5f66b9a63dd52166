import type { SourceId } from '@trawl/contracts';
import { startVectorPostgres, testDatabase, type VectorPostgres } from '@trawl/testing';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Db, openDb } from '../db.ts';
import { migrate } from '../migrate.ts';
import { embedSource, sourcesToEmbed } from './embed-source.ts';
import { indexSource } from './index-source.ts';
import { crawl, type GivenPage, indexedCrawl, names, search } from './search-fixture.ts';
import { fuse } from './search-source.ts';
import type { Embedder } from './search-types.ts';
import { findVectors, isAtLeast, prepareVectors, readVectorModel, vectorSupport } from './vector-store.ts';

let server: VectorPostgres;
let db: Db;
beforeAll(async () => {
  server = await startVectorPostgres();
  await migrate(server.url);
  db = openDb(server.url);
}, 180_000);
afterAll(async () => {
  await db?.close();
  await server?.stop();
});

const MEANINGS = ['tea', 'car', 'dog', 'sea'];
/** Which of a few things a text is about, by its letters alone. */
const vectorOf = (text: string): number[] => MEANINGS.map((word) => 0.01 + (text.toLowerCase().split(word).length - 1));

function embedder(o: { model?: string; batch?: number } = {}): Embedder & { readonly sent: string[] } {
  const sent: string[] = [];
  return {
    model: o.model ?? 'letters',
    batch: o.batch ?? 3,
    sent,
    async embed(texts) {
      sent.push(...texts);
      return { kind: 'embedded', vectors: texts.map(vectorOf) };
    },
  };
}

const pages: GivenPage[] = [
  { name: 'tea', title: 'T', chunks: ['tea in the morning', 'more tea, and a dog'] },
  { name: 'car', title: 'C', chunks: ['cars are loud'] },
  { name: 'dog', title: 'D', chunks: ['dogs bark, dogs run'] },
];
const near = (sourceId: SourceId, about: string, o: object = {}) =>
  names(db, sourceId, about, { mode: 'semantic', vector: vectorOf(about), perPage: 1, ...o });

describe('a database without pgvector', () => {
  it('says so, and is searched by words', async () => {
    const database = await testDatabase();
    const plain = openDb(database.url);
    try {
      await migrate(database.url);
      expect(await vectorSupport(plain)).toEqual({ kind: 'missing', reason: expect.stringContaining('no pgvector') });
      expect(await findVectors(plain, 'x')).toEqual({ kind: 'none', reason: expect.stringContaining('no pgvector') });
    } finally {
      await plain.close();
      await database.drop();
    }
  });

  it('says what to do where the extension may not be created', async () => {
    const admin = postgres(server.url, { max: 1 });
    await admin`CREATE ROLE visitor LOGIN`;
    await admin`CREATE DATABASE visited`;
    const url = new URL(server.url);
    url.pathname = '/visited';
    url.username = 'visitor';
    const visitor = openDb(url.href);
    try {
      expect(await vectorSupport(visitor)).toEqual({
        kind: 'missing',
        reason: expect.stringContaining('CREATE EXTENSION vector'),
      });
    } finally {
      await visitor.close();
      await admin.end();
    }
  });
});

describe('embeddings', () => {
  it('are kept for every chunk, found by what is near, and sent once', async () => {
    expect(await findVectors(db, 'letters')).toEqual({
      kind: 'none',
      reason: expect.stringContaining('Nothing has been embedded'),
    });
    expect(await vectorSupport(db)).toEqual({ kind: 'ready', version: expect.stringMatching(/^0\./) });
    expect(await prepareVectors(db, { model: 'letters', dimensions: 4 })).toBe('made');
    expect(await prepareVectors(db, { model: 'letters', dimensions: 4 })).toBe('kept');
    const sourceId = await indexedCrawl(db, pages);
    expect(await sourcesToEmbed(db)).toContain(sourceId);
    const model = embedder();
    expect(await embedSource(db, sourceId, model)).toEqual({ kind: 'done', embedded: 4, skipped: 0, copied: 0 });
    expect(model.sent).toHaveLength(4);
    expect(await sourcesToEmbed(db)).not.toContain(sourceId);
    expect(await near(sourceId, 'a car')).toHaveLength(3);
    expect((await near(sourceId, 'a car'))[0]).toBe('car');
    expect((await near(sourceId, 'dog'))[0]).toBe('dog');
    expect(await near(sourceId, 'car', { path: '/d' })).toEqual(['dog']);
    expect((await search(db, sourceId, 'x', { mode: 'semantic', vector: vectorOf('tea') })).index.embeddings).toEqual({
      complete: true,
      embedded: 4,
      skipped: 0,
    });

    // One chunk is new, one is gone, one says what another page says already: one text is sent.
    await crawl(
      db,
      [
        { name: 'tea', title: 'T', chunks: ['tea in the morning', 'sea water'] },
        { name: 'tea-again', title: 'T', chunks: ['tea in the morning'] },
        ...pages.slice(1),
      ],
      { sourceId },
    );
    await indexSource(db, sourceId);
    expect(await sourcesToEmbed(db)).toContain(sourceId);
    const again = embedder();
    expect(await embedSource(db, sourceId, again)).toEqual({ kind: 'done', embedded: 1, skipped: 0, copied: 1 });
    expect(again.sent).toEqual(['T\n\nsea water']);
    expect((await near(sourceId, 'sea'))[0]).toBe('tea');
  });

  it('of one source are not found in another', async () => {
    const [one, two] = [await indexedCrawl(db, pages), await indexedCrawl(db, pages)];
    const model = embedder();
    await embedSource(db, one, model);
    expect(await near(two, 'tea')).toEqual([]);
    // What reads the same is known already.
    expect(await embedSource(db, two, model)).toMatchObject({ embedded: 0, copied: 4 });
    expect((await near(two, 'tea'))[0]).toBe('tea');
  });

  it('are found in a source of many chunks among many others, through the index', async () => {
    const many = (from: number): GivenPage[] =>
      Array.from({ length: 300 }, (_, n) => ({
        name: `p${n}`,
        title: null,
        chunks: [`${'tea '.repeat(n % 7)}${'car '.repeat(n % 5)} x${from + n}`],
      }));
    const sources = [await indexedCrawl(db, many(0)), await indexedCrawl(db, many(1000))];
    for (const sourceId of sources) await embedSource(db, sourceId, embedder({ batch: 100 }));
    const [first] = sources;
    if (!first) throw new Error('no source');
    const { items } = await search(db, first, 'q', {
      mode: 'semantic',
      vector: vectorOf('tea'),
      limit: 100,
      perPage: 1,
    });
    expect(items).toHaveLength(100);
    expect(items.map((item) => item.score)).toEqual(items.map((item) => item.score).sort((a, b) => b - a));
    // The same without the index: what it found was the nearest there is.
    const [exact] = await db.sql<{ nearest: number }[]>`
      SELECT count(*)::int AS nearest FROM search_vectors
      WHERE source_id = ${first} AND 1 - (embedding <=> ${JSON.stringify(vectorOf('tea'))}::vector) > ${items.at(-1)?.score ?? 0}::float8 + 1e-6`;
    expect(exact?.nearest).toBeLessThanOrEqual(100);
  });

  it('and words together put first what both find', async () => {
    const sourceId = await indexedCrawl(db, [
      { name: 'words', title: null, chunks: ['kettle handbook'] },
      { name: 'meaning', title: null, chunks: ['tea tea tea'] },
      { name: 'both', title: null, chunks: ['kettle for tea, in a longer sentence about other things'] },
    ]);
    await embedSource(db, sourceId, embedder());
    const hybrid = { mode: 'hybrid' as const, vector: vectorOf('tea') };
    expect((await names(db, sourceId, 'kettle', hybrid))[0]).toBe('both');
    const whole = await names(db, sourceId, 'kettle', hybrid);
    const parts: string[] = [];
    let cursor: string | undefined;
    do {
      const part = await search(db, sourceId, 'kettle', { ...hybrid, limit: 1, cursor });
      parts.push(...part.items.map((item) => item.url.split('/').at(-1) ?? ''));
      cursor = part.nextCursor ?? undefined;
    } while (cursor);
    expect(parts).toEqual(whole);
    expect(fuse([[], []])).toEqual([]);
  });

  it('are given by one when several try at once', async () => {
    const sourceId = await indexedCrawl(
      db,
      pages.map((page) => ({ ...page, title: 'Race' })),
    );
    const model = embedder({ batch: 1 });
    // Held until the others have been turned away: one that is done before they ask is in nobody's way.
    const { promise: othersAreBusy, resolve: goOn } = Promise.withResolvers<void>();
    const held: Embedder = { ...model, embed: (...asked) => othersAreBusy.then(() => model.embed(...asked)) };
    let busy = 0;
    const tries = Array.from({ length: 4 }, async () => {
      const result = await embedSource(db, sourceId, held);
      if (result.kind === 'busy' && ++busy === 3) goOn();
      return result;
    });
    const results = await Promise.all(tries);
    expect(results.map((result) => result.kind).sort()).toEqual(['busy', 'busy', 'busy', 'done']);
    expect(model.sent).toHaveLength(4);
  });

  it('are those of the chunks there are, whatever changed while they were made', async () => {
    const versions = (round: number): GivenPage[] =>
      Array.from({ length: 20 }, (_, n) => ({
        name: `v${n}`,
        title: null,
        chunks: Array.from({ length: 5 }, (_, m) => `tea ${n} ${m} ${(n + m + round) % 3}`),
      }));
    const sourceId = await indexedCrawl(db, versions(0));
    let over = false;
    const embedding = (async () => {
      while (!over) await embedSource(db, sourceId, embedder({ batch: 7 }));
    })();
    for (let round = 1; round < 8; round++) {
      await crawl(db, versions(round), { sourceId });
      await indexSource(db, sourceId);
    }
    over = true;
    await embedding;
    await embedSource(db, sourceId, embedder());
    const [wrong] = await db.sql`
      SELECT count(*)::int AS chunks, count(*) FILTER (WHERE known.hash IS DISTINCT FROM chunk.hash)::int AS wrong
      FROM search_pages AS page JOIN search_chunks AS chunk USING (page_id)
      LEFT JOIN search_vectors AS known ON known.page_id = chunk.page_id AND known.chunk_id = chunk.chunk_id
      WHERE page.source_id = ${sourceId}`;
    expect(wrong).toEqual({ chunks: 100, wrong: 0 });
  });

  it('that a model refuses are skipped with its reason, and tried again when the chunk has changed', async () => {
    const sourceId = await indexedCrawl(db, [{ name: 'a', title: 'Refused', chunks: ['tea', 'too long'] }]);
    const model: Embedder = {
      ...embedder(),
      embed: async (texts) =>
        texts.some((text) => text.includes('too long'))
          ? { kind: 'refused', reason: 'It answered 400: too long' }
          : { kind: 'embedded', vectors: texts.map(vectorOf) },
    };
    expect(await embedSource(db, sourceId, model)).toEqual({ kind: 'done', embedded: 1, skipped: 1, copied: 0 });
    const [row] = await db.sql`SELECT problem FROM search_vectors WHERE source_id = ${sourceId} AND embedding IS NULL`;
    expect(row?.problem).toBe('It answered 400: too long');
    expect(
      (await search(db, sourceId, 'x', { mode: 'semantic', vector: vectorOf('tea') })).index.embeddings,
    ).toMatchObject({ skipped: 1, embedded: 1 });
    expect(await sourcesToEmbed(db)).not.toContain(sourceId);
  });

  it('stay due while the model is away, and what was embedded until then is kept', async () => {
    const sourceId = await indexedCrawl(
      db,
      pages.map((page) => ({ ...page, title: 'Away' })),
    );
    const model = embedder({ batch: 1 });
    const away: Embedder = {
      ...model,
      embed: async (texts) =>
        model.sent.length >= 2 ? { kind: 'unavailable', reason: 'away', retryAfterMs: 9 } : model.embed(texts),
    };
    expect(await embedSource(db, sourceId, away)).toEqual({ kind: 'unavailable', reason: 'away', retryAfterMs: 9 });
    expect(await sourcesToEmbed(db)).toContain(sourceId);
    const back = embedder();
    expect(await embedSource(db, sourceId, back)).toMatchObject({ kind: 'done', embedded: 2 });
    expect(back.sent).toHaveLength(2);
  });

  it('are made anew for another model, and only then', async () => {
    const sourceId = await indexedCrawl(db, [{ name: 'model', title: null, chunks: ['tea'] }]);
    await embedSource(db, sourceId, embedder());
    const made = await Promise.all(
      Array.from({ length: 4 }, () => prepareVectors(db, { model: 'other', dimensions: 4 })),
    );
    expect(made.sort()).toEqual(['kept', 'kept', 'kept', 'made']);
    expect(await readVectorModel(db.sql)).toEqual({ model: 'other', dimensions: 4 });
    expect(await findVectors(db, 'letters')).toEqual({ kind: 'none', reason: expect.stringContaining('other') });
    expect(await sourcesToEmbed(db)).toContain(sourceId);
    const model = embedder({ model: 'other' });
    expect(await embedSource(db, sourceId, model)).toMatchObject({ embedded: 1 });
    await expect(prepareVectors(db, { model: 'huge', dimensions: 100_000 })).rejects.toThrow('dimensions');
    expect(await prepareVectors(db, { model: 'wide', dimensions: 3000 })).toBe('made');
  });
});

it('knows versions', () => {
  expect([isAtLeast('0.8.0', 0, 8), isAtLeast('0.4.4', 0, 5), isAtLeast('1.0', 0, 5), isAtLeast(null, 0, 5)]).toEqual([
    true,
    false,
    true,
    false,
  ]);
});
