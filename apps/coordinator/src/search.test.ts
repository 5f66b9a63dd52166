import { completeRunConfig, createRunSchema, newRunId, type SourceId, type UrlKey } from '@trawl/contracts';
import { type Db, finalizeRun, insertRun, migrate, openDb, savePages, sealRun, searchSource } from '@trawl/db';
import { type Embeddings, openEmbeddings } from '@trawl/embeddings';
import { createLogger } from '@trawl/runtime';
import {
  type EmbeddingsEndpoint,
  startEmbeddingsEndpoint,
  startVectorPostgres,
  testDatabase,
  type VectorPostgres,
  waitFor,
} from '@trawl/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createEmbedRound } from './embed-sources.ts';
import { createIndexRound } from './index-sources.ts';
import { startSearch } from './start-search.ts';

const logger = createLogger({ level: 'silent', role: 'coordinator' });
let server: VectorPostgres;
let db: Db;
let endpoint: EmbeddingsEndpoint;
beforeAll(async () => {
  [server, endpoint] = await Promise.all([
    startVectorPostgres(),
    startEmbeddingsEndpoint({ synonyms: { auto: 'car' } }),
  ]);
  await migrate(server.url);
  db = openDb(server.url);
}, 180_000);
beforeEach(() => {
  endpoint.behave(() => undefined);
  endpoint.resetRecord();
});
afterAll(async () => {
  await db?.close();
  await Promise.all([server?.stop(), endpoint?.close()]);
});

const KEY = 'sk-very-secret';
function client(over: { model?: string; timeout?: number } = {}): Embeddings {
  const embeddings = openEmbeddings({
    EMBEDDINGS_URL: endpoint.url,
    EMBEDDINGS_MODEL: over.model ?? 'hash',
    EMBEDDINGS_API_KEY: KEY,
    EMBEDDINGS_BATCH: 4,
    EMBEDDINGS_TIMEOUT_SECONDS: over.timeout ?? 5,
  });
  if (!embeddings) throw new Error('not configured');
  return embeddings;
}

/** A run that saw one page for each text, up to its end. */
async function crawl(texts: readonly string[], on: Db = db): Promise<SourceId> {
  const config = completeRunConfig(createRunSchema.parse({ url: 'https://example.com/' }), { userAgent: 'x' });
  const inserted = await insertRun(on, { id: newRunId(), sourceId: null, config });
  if (inserted.kind !== 'inserted') throw new Error(inserted.kind);
  const { id: runId, sourceId } = inserted.run;
  await savePages(
    on,
    { runId, sourceId },
    texts.map((text, n) => ({
      key: `example.com/${n}` as UrlKey,
      url: `https://example.com/${n}`,
      finalUrl: `https://example.com/${n}`,
      depth: 0,
      parentUrl: null,
      httpStatus: 200,
      contentType: 'text/html',
      title: null,
      language: 'en',
      bytes: 1,
      elapsedMs: 1,
      contentHash: `${sourceId} ${n}`,
      markdown: text,
      text,
      links: [],
      metadata: {},
      chunks: [{ id: 'c0', index: 0, text, headingPath: [], tokens: 3, start: 0, end: text.length, overlap: 0 }],
      crawledAt: new Date(),
    })),
  );
  await sealRun(on, runId);
  async function* nothing() {}
  await finalizeRun(on, runId, {
    status: 'completed',
    stats: {
      ...{ total: 1, queued: 0, fetched: 0, processed: texts.length, failed: 0, skipped: 0, discoveredBeyondLimit: 0 },
      ...{ currentDepth: 0, pagesPerSecond: 1, refused: {}, durationMs: 1 },
    },
    warnings: [],
    processedCount: texts.length,
    processedKeys: nothing,
    depths: nothing,
    outcomes: nothing(),
  });
  return sourceId;
}

async function find(sourceId: SourceId, q: string, o: { vector?: readonly number[]; on?: Db } = {}) {
  const mode = o.vector ? 'semantic' : 'text';
  const found = await searchSource(o.on ?? db, sourceId, { q, limit: 10, perPage: 3, mode, vector: o.vector });
  if (found.kind !== 'found') throw new Error(found.kind);
  return found;
}

const vectorFor = async (text: string): Promise<readonly number[]> => {
  const answer = await client().embed([text]);
  if (answer.kind !== 'embedded') throw new Error(answer.kind);
  return answer.vectors[0] ?? [];
};

const { signal } = new AbortController();
const indexRound = (on: Db = db) => createIndexRound({ db: on, logger, signal })();

describe('a finished run', () => {
  it('is indexed and embedded by whichever coordinator is there, once', async () => {
    const coordinators = [client(), client()].map((embeddings) =>
      startSearch({ db, logger, embeddings }, { tickMs: 20 }),
    );
    try {
      const sourceId = await crawl(['the car is red', 'a dog barks', 'tea is hot', 'one', 'two', 'three', 'four']);
      await waitFor(async () => (await find(sourceId, 'tea')).index.complete);
      expect((await find(sourceId, 'barking')).items).toMatchObject([{ url: 'https://example.com/1' }]);
      const vector = await waitFor(async () => {
        const given = await vectorFor('auto');
        const { index } = await find(sourceId, 'auto', { vector: given }).catch(() => ({ index: null }));
        return index?.embeddings?.complete && given;
      });
      // Nothing says "auto": the model knows it for a car.
      expect((await find(sourceId, 'auto', { vector })).items[0]).toMatchObject({ url: 'https://example.com/0' });
      expect((await find(sourceId, 'auto')).items).toEqual([]);
      const sent = endpoint.texts().filter((text) => text !== 'auto' && text !== 'test');
      expect(new Set(sent).size).toBe(7);
      expect(sent).toHaveLength(7);
      for (const { authorization } of endpoint.requests()) expect(authorization).toBe(`Bearer ${KEY}`);
    } finally {
      await Promise.all(coordinators.map((coordinator) => coordinator.stop()));
    }
  });
});

describe('an endpoint that fails', () => {
  const rows = async (sourceId: SourceId) => {
    const [row] = await db.sql<{ embedded: number; skipped: number }[]>`
      SELECT count(embedding)::int AS embedded, count(problem)::int AS skipped FROM search_vectors WHERE source_id = ${sourceId}`;
    return row;
  };
  const start = (embeddings: Embeddings) => startSearch({ db, logger, embeddings }, { tickMs: 20 });

  it('is asked again after what its Retry-After says, and text search does not wait for it', async () => {
    const sourceId = await crawl(['alpha 429', 'beta 429']);
    const times: number[] = [];
    endpoint.behave(({ texts }) => {
      if (texts[0] === 'test') return undefined;
      times.push(performance.now());
      return times.length === 1 ? { status: 429, headers: { 'retry-after': '2' } } : undefined;
    });
    const coordinator = start(client());
    await waitFor(async () => (await find(sourceId, 'alpha')).items.length === 1);
    expect(times.length).toBeLessThan(2);
    await waitFor(async () => (await rows(sourceId))?.embedded === 2);
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(1900);
    await coordinator.stop();
  });

  it.each([
    ['a 500', { status: 500 }],
    ['garbage', { status: 200, body: '{"data":[' }],
    [
      'other dimensions',
      { status: 200, body: '{"data":[{"index":0,"embedding":[1,2]},{"index":1,"embedding":[1,2]}]}' },
    ],
    ['silence', 'hang' as const],
  ])('is asked again after %s', async (name, failure) => {
    const sourceId = await crawl([`alpha ${name}`, `beta ${name}`]);
    await indexRound();
    let failed = 0;
    endpoint.behave(({ texts }) => (texts[0] === 'test' || failed++ > 0 ? undefined : failure));
    const coordinator = start(client({ timeout: 1 }));
    await waitFor(async () => (await rows(sourceId))?.embedded === 2);
    expect(failed).toBeGreaterThan(1);
    expect((await rows(sourceId))?.skipped).toBe(0);
    await coordinator.stop();
  });

  it('by refusing one text that is too long costs no other text its embedding', async () => {
    const sourceId = await crawl([
      'gamma one',
      `gamma ${'long '.repeat(50)}`,
      'gamma three',
      'gamma four',
      'gamma five',
    ]);
    await indexRound();
    endpoint.behave(({ texts }) =>
      texts.some((text) => text.length > 100) ? { status: 400, body: 'too long' } : undefined,
    );
    const coordinator = start(client());
    const done = await waitFor(async () => {
      const counted = await rows(sourceId);
      return counted?.embedded === 4 && counted.skipped === 1 && counted;
    });
    expect(done).toEqual({ embedded: 4, skipped: 1 });
    await coordinator.stop();
  });

  it('by refusing everything costs no chunk its embedding later', async () => {
    const sourceId = await crawl(['delta one', 'delta two']);
    await indexRound();
    let refusing = true;
    endpoint.behave(({ texts }, nth) =>
      refusing && (nth > 1 || texts[0] !== 'test') ? { status: 400, body: 'no such option' } : undefined,
    );
    const round = createEmbedRound({ db, embeddings: client(), logger, signal });
    await round();
    expect(await rows(sourceId)).toEqual({ embedded: 0, skipped: 0 });
    refusing = false;
    await createEmbedRound({ db, embeddings: client(), logger, signal })();
    expect(await rows(sourceId)).toEqual({ embedded: 2, skipped: 0 });
  });
});

describe('without pgvector', () => {
  it('everything goes on by words, and one warning says why', async () => {
    const database = await testDatabase();
    const plain = openDb(database.url);
    const warned: unknown[] = [];
    const listening = Object.assign(Object.create(logger), { warn: (about: unknown) => warned.push(about) });
    try {
      await migrate(database.url);
      const sourceId = await crawl(['alpha'], plain);
      await indexRound(plain);
      const round = createEmbedRound({ db: plain, embeddings: client(), logger: listening, signal });
      await round();
      await round();
      expect(warned).toEqual([{ model: 'hash', reason: expect.stringContaining('no pgvector') }]);
      expect(endpoint.requests()).toEqual([]);
      expect((await find(sourceId, 'alpha', { on: plain })).items).toHaveLength(1);
    } finally {
      await plain.close();
      await database.drop();
    }
  });
});

describe('two coordinators with different models', () => {
  it('do not undo each other', async () => {
    const sourceId = await crawl(['epsilon']);
    await indexRound();
    const [old, renewed] = ['old', 'new'].map((model) =>
      createEmbedRound({ db, embeddings: client({ model }), logger, signal }),
    );
    await old?.();
    await renewed?.();
    endpoint.resetRecord();
    for (let round = 0; round < 3; round++) {
      await old?.();
      await renewed?.();
    }
    expect(endpoint.requests()).toEqual([]);
    expect((await find(sourceId, 'epsilon')).items).toHaveLength(1);
  });
});
