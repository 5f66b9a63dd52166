import { newSourceId, problemSchema, type SourceId, searchSchema, type UrlKey } from '@trawl/contracts';
import {
  embedSource,
  getRun,
  indexSource,
  migrate,
  openDb,
  type PageToSave,
  prepareVectors,
  savePages,
  vectorSupport,
} from '@trawl/db';
import { type Embeddings, openEmbeddings } from '@trawl/embeddings';
import {
  type EmbeddingsEndpoint,
  startEmbeddingsEndpoint,
  startVectorPostgres,
  testRedis,
  type VectorPostgres,
} from '@trawl/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createApi } from '../api.ts';
import { startTestApi, type TestApi } from '../test-api.ts';

const redis = testRedis();
let api: TestApi;
let endpoint: EmbeddingsEndpoint;
let embeddings: Embeddings;
let source: string;
beforeAll(async () => {
  api = await startTestApi(redis);
  endpoint = await startEmbeddingsEndpoint({ synonyms: { kettle: 'boiler' } });
  const opened = openEmbeddings({
    EMBEDDINGS_URL: endpoint.url,
    EMBEDDINGS_MODEL: 'hash',
    EMBEDDINGS_BATCH: 8,
    EMBEDDINGS_TIMEOUT_SECONDS: 5,
  });
  if (!opened) throw new Error('not configured');
  embeddings = opened;
  source = `/v1/sources/${await fill(api)}`;
});
beforeEach(() => endpoint.behave(() => undefined));
afterAll(async () => {
  await embeddings.close();
  await endpoint.close();
  await api.close();
});

const TEXTS = [
  'A kettle on the stove.',
  'Two kettles, one stove. '.repeat(3),
  'A boiler in the cellar.',
  '<b>stove</b> & "stove"',
];

/** A run that has ended, with a page for each text, indexed. */
async function fill(on: TestApi): Promise<SourceId> {
  const runId = await on.startRun();
  const run = await getRun(on.db, runId);
  if (!run) throw new Error('no run');
  await savePages(on.db, { runId, sourceId: run.sourceId }, TEXTS.map(pageOf));
  await on.finalize(runId, 'completed', TEXTS.length);
  await indexSource(on.db, run.sourceId);
  return run.sourceId;
}

function pageOf(text: string, n: number): PageToSave {
  const url = `https://example.com/${n % 2 ? 'odd' : 'even'}/${n}`;
  return {
    ...{ key: url as UrlKey, url, finalUrl: url, depth: 0, parentUrl: null, httpStatus: 200, contentType: 'text/html' },
    ...{
      title: `Page ${n}`,
      language: 'en',
      bytes: 1,
      elapsedMs: 1,
      contentHash: text,
      markdown: text,
      text,
      links: [],
    },
    metadata: {},
    chunks: [{ id: `c${n}`, index: 0, text, headingPath: ['Top'], tokens: 3, start: 0, end: text.length, overlap: 0 }],
    crawledAt: new Date(),
  };
}

async function ask(query: Record<string, string>, app: { request: TestApi['app']['request'] } = api.app, of = source) {
  const answer = await app.request(`${of}/search?${new URLSearchParams(query)}`);
  expect(answer.status, JSON.stringify(query)).toBe(200);
  return searchSchema.parse(await answer.json());
}

async function refused(
  query: Record<string, string>,
  app: { request: TestApi['app']['request'] } = api.app,
  of = source,
) {
  const answer = await app.request(`${of}/search?${new URLSearchParams(query)}`);
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  return problemSchema.parse(await answer.json());
}

describe('GET /v1/sources/:id/search', () => {
  it('answers with chunks, best first, with highlights and how far the index is', async () => {
    const { items, mode, index, warnings } = await ask({ q: 'kettle' });
    expect(items.map((item) => item.url)).toEqual(['https://example.com/odd/1', 'https://example.com/even/0']);
    expect(items[1]).toMatchObject({
      title: 'Page 0',
      headingPath: ['Top'],
      text: 'A kettle on the stove.',
      highlights: [{ text: 'A kettle on the stove', matches: [[2, 8]] }],
    });
    expect(mode).toBe('text');
    expect(warnings).toEqual([]);
    expect(index).toEqual({ complete: true, pages: 4, indexed: 4, checkedAt: expect.any(String), embeddings: null });
    const page = await api.get(`/v1/pages/${items[0]?.pageId}`);
    expect(page.status).toBe(200);
  });

  it('is read part by part, and narrowed by path and language', async () => {
    const first = await ask({ q: 'stove', limit: '2' });
    const rest = await ask({ q: 'stove', limit: '2', cursor: first.nextCursor ?? '' });
    expect(new Set([...first.items, ...rest.items].map((item) => item.chunkId)).size).toBe(3);
    expect(rest.nextCursor).toBeNull();
    expect((await ask({ q: 'stove', path: '/even/' })).items).toHaveLength(1);
    expect((await ask({ q: 'stove', language: 'EN' })).items).toHaveLength(3);
    expect((await ask({ q: 'stove', language: 'de' })).items).toHaveLength(0);
    expect(await refused({ q: 'kettle', limit: '2', cursor: first.nextCursor ?? '' })).toMatchObject({ status: 400 });
    expect(await refused({ q: 'stove', mode: 'semantic', cursor: first.nextCursor ?? '' })).toMatchObject({
      status: 400,
    });
  });

  it('says that nothing is indexed yet, rather than nothing found', async () => {
    const runId = await api.startRun();
    await api.savePages(runId, ['/1', '/2']);
    await api.finalize(runId, 'completed', 2);
    const id = (await getRun(api.db, runId))?.sourceId;
    expect(await ask({ q: 'title' }, api.app, `/v1/sources/${id}`)).toMatchObject({
      items: [],
      index: { complete: false, pages: 2, indexed: 0, checkedAt: null },
    });
  });

  it.each([
    ['no query', {}, 'q', 'is required'],
    ['an empty query', { q: '' }, 'q', 'must not be empty'],
    ['a long query', { q: 'x'.repeat(501) }, 'q', '500'],
    ['ten thousand quotes', { q: '"'.repeat(10_000) }, 'q', '500'],
    ['a NUL', { q: 'a\u0000' }, 'q', 'NUL'],
    ['a limit too high', { q: 'a', limit: '101' }, 'limit', 'from 1 to 100'],
    ['a limit too low', { q: 'a', limit: '0' }, 'limit', 'from 1 to 100'],
    ['no chunk of a page', { q: 'a', perPage: '0' }, 'perPage', 'from 1 to 100'],
    ['an unknown mode', { q: 'a', mode: 'magic' }, 'mode', ''],
    ['a cursor of nobody', { q: 'a', cursor: 'nonsense' }, 'cursor', 'not a cursor'],
    ['half a path', { q: 'a', path: 'docs' }, 'path', 'slash'],
    ['a NUL in a path', { q: 'a', path: '/\u0000' }, 'path', 'NUL'],
    ['a language by its name', { q: 'a', language: 'english' }, 'language', 'such as en'],
  ])('refuses %s', async (_, query, path, message) => {
    const problem = await refused({ ...query } as Record<string, string>);
    expect(problem).toMatchObject({ status: 400, errors: [{ path, message: expect.stringContaining(message) }] });
  });

  it.each([
    ['quotes', '"'.repeat(500)],
    ['brackets', '('.repeat(500)],
    ['operators', '& | !'],
    ['a minus', '-'],
    ['stop words', 'the of a'],
    ['a backslash', '\\'],
    ['a percent sign', '%'],
    ['a quote', "'"],
    ['Han', '字'],
    ['emoji', '😀'],
    ['a space', ' '],
  ])('answers a query of %s', async (_, q) => {
    expect((await ask({ q })).mode).toBe('text');
  });

  it('is a 404 where there is no such source', async () => {
    for (const id of [newSourceId(), 'x', '%00']) {
      expect(await refused({ q: 'a' }, api.app, `/v1/sources/${id}`)).toMatchObject({ status: 404 });
    }
  });

  it('is a 409 where meaning is asked for and embeddings are not configured, or have no place', async () => {
    for (const mode of ['semantic', 'hybrid']) {
      expect(await refused({ q: 'a', mode })).toMatchObject({
        status: 409,
        detail: expect.stringContaining('EMBEDDINGS_URL'),
      });
    }
    const configured = createApi({ ...api.deps, embeddings });
    expect(await refused({ q: 'a', mode: 'semantic' }, configured)).toMatchObject({
      status: 409,
      detail: expect.stringContaining('pgvector'),
    });
    const { mode, warnings } = await ask({ q: 'kettle' }, configured);
    expect([mode, warnings]).toEqual(['text', [expect.stringContaining('pgvector')]]);
  });
});

describe('with embeddings', () => {
  let server: VectorPostgres;
  let app: ReturnType<typeof createApi>;
  let of: string;
  let vectors: TestApi;
  beforeAll(async () => {
    server = await startVectorPostgres();
    await migrate(server.url);
    const db = openDb(server.url);
    // The same API on the other database.
    vectors = { ...api, db };
    const deps = { ...api.deps, db, embeddings };
    app = createApi(deps);
    const created = await app.request('/v1/runs', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"url":"https://example.com/"}',
    });
    const { id: runId, sourceId } = (await created.json()) as { id: Parameters<typeof getRun>[1]; sourceId: SourceId };
    await savePages(db, { runId, sourceId }, TEXTS.map(pageOf));
    await db.sql`UPDATE runs SET finished_at = now(), status = 'completed' WHERE id = ${runId}`;
    await indexSource(db, sourceId);
    await vectorSupport(db);
    of = `/v1/sources/${sourceId}`;
    expect(await refused({ q: 'a', mode: 'semantic' }, app, of)).toMatchObject({
      status: 409,
      detail: expect.stringContaining('yet'),
    });
    await prepareVectors(db, { model: 'hash', dimensions: 64 });
    await embedSource(db, sourceId, embeddings);
  }, 180_000);
  afterAll(async () => {
    await vectors?.db.close();
    await server?.stop();
  });

  it('words and meaning go together unless something else is asked for', async () => {
    const hybrid = await ask({ q: 'kettle' }, app, of);
    expect(hybrid.mode).toBe('hybrid');
    expect(hybrid.items.map((item) => item.url)).toContain('https://example.com/even/2');
    expect(hybrid.index.embeddings).toEqual({ model: 'hash', complete: true, embedded: 4, skipped: 0 });
    const text = await ask({ q: 'kettle', mode: 'text' }, app, of);
    expect(text.items.map((item) => item.url)).not.toContain('https://example.com/even/2');
    const semantic = await ask({ q: 'boiler', mode: 'semantic', limit: '2' }, app, of);
    expect(semantic.items[0]?.url).toMatch(/even\/[02]$/);
    const rest = await ask({ q: 'boiler', limit: '2', cursor: semantic.nextCursor ?? '' }, app, of);
    expect([rest.mode, rest.items.length]).toEqual(['semantic', 2]);
  });

  it('an endpoint that is away leaves words, and is said; asked for, it is a 503', async () => {
    endpoint.behave(() => ({ status: 500 }));
    const { mode, items, warnings } = await ask({ q: 'kettle' }, app, of);
    expect([mode, items.length, warnings]).toEqual(['text', 2, [expect.stringContaining('500')]]);
    expect(await refused({ q: 'kettle', mode: 'hybrid' }, app, of)).toMatchObject({ status: 503 });
  });
});
