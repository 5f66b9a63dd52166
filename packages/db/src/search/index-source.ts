/**
 * Brings the search index of a source up to date: pages that are new or changed are indexed, those that are gone are taken out. Runs
 * behind the crawl, in small transactions, each complete in itself: it may be repeated, raced, and killed anywhere.
 * Decides neither when (`due-sources.ts`) nor what a page's rows are (`search-rows.ts`).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { SourceId } from '@trawl/contracts';
import type { Db } from '../db.ts';
import { indexPages } from './index-pages.ts';
import { releaseLease, renewLease, type SearchLease, takeLease } from './lease.ts';
import { type PendingPage, pendingPages } from './pending-pages.ts';

/** Of one transaction. 64 pages of a few chunks each take about 100 ms. */
const MOST_PAGES = 64;
const MOST_BYTES = 1_000_000;

export interface IndexSourceOptions {
  readonly signal?: AbortSignal | undefined;
  /** Asked after each batch: the rest is so many times as long as it took. The crawl comes first. */
  readonly rest?: (() => Promise<number>) | undefined;
}

export type IndexedSource =
  | { readonly kind: 'done'; readonly pages: number; readonly removed: number; readonly chunks: number }
  /** Another is at it, or the source is gone. */
  | { readonly kind: 'busy' }
  | { readonly kind: 'stopped' };

export async function indexSource(db: Db, sourceId: SourceId, o: IndexSourceOptions = {}): Promise<IndexedSource> {
  const lease = await takeLease(db, sourceId);
  if (lease === null) return { kind: 'busy' };
  try {
    return await pass(db, lease, o);
  } finally {
    await releaseLease(db, lease);
  }
}

async function pass(db: Db, lease: SearchLease, o: IndexSourceOptions): Promise<IndexedSource> {
  const startedAt = performance.now();
  const total = { pages: 0, removed: 0, chunks: 0 };
  const configs = await knownConfigs(db);
  const pending = await pendingPages(db, lease.sourceId);
  for (const batch of batches(pending)) {
    if (o.signal?.aborted) return { kind: 'stopped' };
    const batchAt = performance.now();
    const ids = batch.map((page) => page.id);
    const done = await indexPages(db, lease, ids, configs);
    if (done === null) return { kind: 'busy' };
    total.pages += done.pages;
    total.removed += done.removed;
    total.chunks += done.chunks;
    const factor = (await o.rest?.()) ?? 0;
    if (factor > 0) await rest((performance.now() - batchAt) * factor, db, lease, o.signal);
  }
  if (total.chunks > 0) await settleIndex(db);
  const passMs = Math.round(performance.now() - startedAt);
  await db.sql`
    UPDATE search_sources SET covers_until = ${lease.newestEnd}::timestamptz, checked_at = now(), pass_ms = ${passMs},
      pages = (SELECT count(*) FROM search_pages WHERE source_id = ${lease.sourceId})
    WHERE source_id = ${lease.sourceId} AND lease = ${lease.token}`;
  return { kind: 'done', ...total };
}

/** Collected entries go into the index now, instead of with somebody's search or the next vacuum. */
async function settleIndex(db: Db): Promise<void> {
  try {
    await db.sql`SELECT gin_clean_pending_list('search_chunks_document'::regclass)`;
  } catch (error) {
    // Only the owner of the index may ask for it; for others the vacuum does it.
    if (!(error instanceof Error && 'code' in error && error.code === '42501')) throw error;
  }
}

async function knownConfigs(db: Db): Promise<ReadonlySet<string>> {
  const rows = await db.sql<{ cfgname: string }[]>`
    SELECT cfgname FROM pg_ts_config WHERE cfgnamespace = 'pg_catalog'::regnamespace`;
  return new Set(rows.map((row) => row.cfgname));
}

function* batches(pages: readonly PendingPage[]): Generator<PendingPage[]> {
  let batch: PendingPage[] = [];
  let bytes = 0;
  for (const page of pages) {
    if (batch.length > 0 && (batch.length === MOST_PAGES || bytes + page.bytes > MOST_BYTES)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(page);
    bytes += page.bytes;
  }
  if (batch.length > 0) yield batch;
}

/** At most for a quarter of a lease. */
async function rest(ms: number, db: Db, lease: SearchLease, signal: AbortSignal | undefined): Promise<void> {
  // An abort ends the rest; the pass then finds out for itself.
  await sleep(Math.min(ms, 5000), undefined, signal ? { signal } : {}).catch(() => {});
  await renewLease(db.sql, lease, false);
}
