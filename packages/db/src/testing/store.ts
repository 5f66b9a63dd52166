/** What the tests of this package share: a migrated database of their own, and pages to put into it. */
import {
  newRunId,
  type RunConfig,
  type RunId,
  type RunStats,
  runConfigSchema,
  type SourceId,
  type UrlKey,
} from '@trawl/contracts';
import { type TestDatabase, testDatabase, waitFor } from '@trawl/testing';
import { afterAll, beforeAll } from 'vitest';
import { type Db, openDb } from '../db.ts';
import { insertRun } from '../insert-run.ts';
import { migrate } from '../migrate.ts';
import { listPages } from '../read-pages.ts';
import type { CountedStats, FinalizeRunOptions, KeyDepth, OutcomeRow, PageToSave } from '../types.ts';

export interface Store {
  readonly db: Db;
  readonly database: TestDatabase;
}

/** One database for a test file; to be called at its top level. */
export function useStore(max = 10): Store {
  let opened: Store | undefined;
  const get = (): Store => {
    if (!opened) throw new Error('the store is only open inside tests');
    return opened;
  };
  beforeAll(async () => {
    const database = await testDatabase();
    await migrate(database.url);
    opened = { database, db: openDb(database.url, { max }) };
  });
  afterAll(async () => {
    await opened?.db.close();
    await opened?.database.drop();
  });
  return {
    get db() {
      return get().db;
    },
    get database() {
      return get().database;
    },
  };
}

export const config: RunConfig = runConfigSchema.parse({
  urls: ['https://example.com/docs'],
  maxUrls: 10_000,
  userAgent: 'Trawl/1',
});

export async function addRun(db: Db, sourceId: SourceId | null = null): Promise<{ runId: RunId; sourceId: SourceId }> {
  // Tests are about runs side by side more often than not.
  const result = await insertRun(db, { id: newRunId(), sourceId, config, overlap: true });
  if (result.kind !== 'inserted') throw new Error(`the run was not added: ${result.kind}`);
  return { runId: result.run.id, sourceId: result.run.sourceId };
}

export const key = (name: string): UrlKey => `example.com/${name}` as UrlKey;

export function page(name: string, over: Partial<PageToSave> = {}): PageToSave {
  const text = over.text ?? `text of ${name}`;
  return {
    key: key(name),
    url: `https://example.com/${name}`,
    finalUrl: `https://example.com/${name}`,
    depth: 1,
    parentUrl: 'https://example.com/',
    httpStatus: 200,
    contentType: 'text/html',
    title: `Title of ${name}`,
    language: 'en',
    bytes: 1234,
    elapsedMs: 12.4,
    contentHash: `hash of ${text}`,
    markdown: `# ${text}`,
    text,
    links: [{ url: 'https://example.com/next', text: 'next', rel: '' }],
    metadata: { description: 'a page' },
    chunks: [
      { id: 'c0', index: 0, text, headingPath: ['Top', 'Below'], tokens: 3, start: 0, end: text.length, overlap: 0 },
    ],
    crawledAt: new Date('2026-01-02T03:04:05.678Z'),
    ...over,
  };
}

export function outcome(name: string, over: Partial<OutcomeRow> = {}): OutcomeRow {
  return {
    key: key(name),
    url: `https://example.com/${name}`,
    finalUrl: null,
    depth: 2,
    parentUrl: null,
    outcome: 'failed',
    httpStatus: 404,
    contentType: null,
    bytes: null,
    elapsedMs: 3,
    error: { code: 'HTTP_404', message: 'The server answered 404.', retryable: false, attempts: 1 },
    crawledAt: new Date('2026-01-02T03:04:06.000Z'),
    ...over,
  };
}

export const stats: Omit<RunStats, keyof CountedStats> = {
  total: 2,
  queued: 0,
  fetched: 0,
  processed: 2,
  failed: 0,
  skipped: 0,
  discoveredBeyondLimit: 0,
  currentDepth: 1,
  pagesPerSecond: 1.5,
  refused: {},
  durationMs: 1000,
};

/** What crawl-state would say of a run at its end. */
export function ending(
  processed: readonly string[],
  more: { depths?: readonly KeyDepth[]; outcomes?: readonly OutcomeRow[] } = {},
): FinalizeRunOptions {
  return {
    status: 'completed',
    stats,
    warnings: ['Something was odd.'],
    processedCount: processed.length,
    processedKeys: () => inParts(processed.map(key)),
    depths: () => inParts(more.depths ?? []),
    outcomes: inParts(more.outcomes ?? []),
  };
}

/** In parts of two, so that more than one part is seen. */
export async function* inParts<T>(all: readonly T[]): AsyncIterable<readonly T[]> {
  for (let from = 0; from < all.length; from += 2) yield all.slice(from, from + 2);
}

export async function pagesOf(db: Db, runId: RunId) {
  const listed = await listPages(db, runId, { limit: 10_000 });
  if (listed.kind !== 'listed') throw new Error(listed.kind);
  return listed.items;
}

/** Resolves once that many connections to the database wait for a lock. */
export async function waiters({ database }: Store, count: number): Promise<void> {
  const countWaiting = async () => {
    const [row] = await database.sql`
      SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    return row?.count;
  };
  await waitFor(async () => (await countWaiting()) === count);
}
