/**
 * Indexes a handful of pages in one transaction, as they are at this moment; those that no longer belong into the index are taken out.
 *
 * Locks: pages first and in the order of their keys, as everywhere, and so weakly that saving pages goes on; then the rows of the index.
 * Deleting pages takes the same way. A page that is saved again meanwhile is indexed as it was, with the rendition it had: the next
 * pass sees that it has another.
 */
import type postgres from 'postgres';
import type { Db } from '../db.ts';
import { againAfterDeadlock, codeOf } from '../deadlock.ts';
import { storableJson } from '../storable.ts';
import type { ChunkToSave } from '../types.ts';
import { renewLease, type SearchLease } from './lease.ts';
import { belongs, judgedPages } from './pending-pages.ts';
import { type PageToIndex, searchRows } from './search-rows.ts';

type Tx = postgres.ISql;

export interface IndexedPages {
  readonly pages: number;
  readonly removed: number;
  readonly chunks: number;
}

/** Null: the lease is lost. */
export async function indexPages(
  db: Db,
  lease: SearchLease,
  ids: readonly number[],
  configs: ReadonlySet<string>,
): Promise<IndexedPages | null> {
  try {
    // Embeddings that are being saved hold chunks in an order of their own.
    return await againAfterDeadlock(() => db.sql.begin((tx) => replace(tx, lease, ids, configs, null)));
  } catch (error) {
    if (!isAboutData(error)) throw error;
    if (ids.length === 1) return db.sql.begin((tx) => replace(tx, lease, ids, configs, messageOf(error)));
  }
  // One of them is more than Postgres takes. Alone, each fails or not for itself.
  const total = { pages: 0, removed: 0, chunks: 0 };
  for (const id of ids) {
    const done = await indexPages(db, lease, [id], configs);
    if (done === null) return null;
    total.pages += done.pages;
    total.removed += done.removed;
    total.chunks += done.chunks;
  }
  return total;
}

/** With a `problem`, the page is in the index without its chunks: found by nobody, and not tried again until it changes. */
async function replace(
  tx: Tx,
  lease: SearchLease,
  ids: readonly number[],
  configs: ReadonlySet<string>,
  problem: string | null,
): Promise<IndexedPages | null> {
  // A plan made for a handful of rows is right for every handful; one made for none is not.
  await tx`SET LOCAL plan_cache_mode = force_custom_plan`;
  await tx`
    SELECT FROM pages WHERE id IN (SELECT json_array_elements_text(${JSON.stringify(ids)}::json)::bigint)
    ORDER BY key_hash FOR KEY SHARE`;
  if (!(await renewLease(tx, lease, true))) return null;
  const found = await tx<(Omit<PageToIndex, 'id' | 'chunks'> & { id: string; chunks: ChunkToSave[] })[]>`
    SELECT pages.id, pages.url, pages.title, pages.language, pages.rendition, pages.chunks FROM ${judgedPages(tx)}
    WHERE pages.id IN (SELECT json_array_elements_text(${JSON.stringify(ids)}::json)::bigint) AND ${belongs(tx)}`;
  const kept = new Set(found.map((page) => Number(page.id)));
  const removed = await tx`
    DELETE FROM search_pages
    WHERE page_id IN (SELECT json_array_elements_text(${JSON.stringify(ids.filter((id) => !kept.has(id)))}::json)::bigint)`;
  const rows = found.map((page) => searchRows({ ...page, id: Number(page.id) }, configs));
  const chunks = problem === null ? rows.flatMap(([, chunkRows]) => chunkRows) : [];
  await writePages(
    tx,
    lease,
    rows.map(([page]) => ({ ...page, problem })),
  );
  await writeChunks(tx, lease, [...kept], chunks);
  return { pages: rows.length, removed: removed.count, chunks: chunks.length };
}

async function writePages(tx: Tx, lease: SearchLease, rows: readonly object[]): Promise<void> {
  if (rows.length === 0) return;
  await tx`
    INSERT INTO search_pages (page_id, source_id, rendition, url, path, title, language, config, problem)
    SELECT page_id, ${lease.sourceId}, rendition, url, path, title, language, config, problem
    FROM json_to_recordset(${storableJson(rows)}::json) AS page(
      page_id bigint, rendition uuid, url text, path text, title text, language text, config text, problem text)
    ORDER BY page_id
    ON CONFLICT (page_id) DO UPDATE SET rendition = excluded.rendition, url = excluded.url, path = excluded.path,
      title = excluded.title, language = excluded.language, config = excluded.config, problem = excluded.problem`;
}

/** A chunk that is as it was is left as it is, and its embedding with it. */
async function writeChunks(
  tx: Tx,
  lease: SearchLease,
  pageIds: readonly number[],
  rows: readonly { readonly page_id: number; readonly chunk_id: string }[],
): Promise<void> {
  const names = rows.map(({ page_id, chunk_id }) => ({ page_id, chunk_id }));
  await tx`
    DELETE FROM search_chunks AS old
    WHERE old.page_id IN (SELECT json_array_elements_text(${JSON.stringify(pageIds)}::json)::bigint)
      AND (old.page_id, old.chunk_id) NOT IN (
        SELECT page_id, chunk_id FROM json_to_recordset(${storableJson(names)}::json) AS kept(page_id bigint, chunk_id text))`;
  if (rows.length === 0) return;
  await tx`
    INSERT INTO search_chunks AS old (page_id, chunk_id, index, heading_path, tokens, text, hash, document)
    SELECT page_id, chunk_id, index, heading_path, tokens, text, hash,
      setweight(to_tsvector(by.config, title), 'A') || setweight(to_tsvector(by.config, headings), 'B')
        || setweight(to_tsvector(by.config, words), 'D')
        || array_to_tsvector(ARRAY[${lease.sourceId}::text || ' ' || chunk.config])
    FROM json_to_recordset(${storableJson(rows)}::json) AS chunk(
      page_id bigint, chunk_id text, index int, heading_path json, tokens int, text text, hash uuid, config text, title text,
      headings text, words text),
      LATERAL (SELECT ('pg_catalog.' || chunk.config)::regconfig AS config) AS by
    ON CONFLICT (page_id, chunk_id) DO UPDATE SET index = excluded.index, heading_path = excluded.heading_path,
      tokens = excluded.tokens, text = excluded.text, hash = excluded.hash, document = excluded.document
    WHERE (old.index, old.hash, old.document) IS DISTINCT FROM (excluded.index, excluded.hash, excluded.document)`;
}

/** Of SQL's classes of errors: what the data are too much for, or are not fit for. */
function isAboutData(error: unknown): boolean {
  const code = codeOf(error);
  return code.startsWith('54') || code.startsWith('22');
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message.slice(0, 500) : String(error));
