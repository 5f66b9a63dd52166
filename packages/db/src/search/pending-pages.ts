/**
 * Which pages belong into the search index, and which of them are not in it as they are now. A page belongs into it while it is there,
 * unless it was read for its links only, or says what another page of the source says that is there.
 */
import type { SourceId } from '@trawl/contracts';
import type postgres from 'postgres';
import type { Db } from '../db.ts';

export interface PendingPage {
  readonly id: number;
  /** Of its chunks, as they are stored. */
  readonly bytes: number;
}

/** In the order of their keys, which is the one in which everybody locks pages. */
export async function pendingPages(db: Db, sourceId: SourceId): Promise<PendingPage[]> {
  const { sql } = db;
  const rows = await sql<{ id: string; bytes: number }[]>`
    SELECT pages.id, pg_column_size(pages.chunks) AS bytes
    FROM ${judgedPages(sql)} LEFT JOIN search_pages AS indexed ON indexed.page_id = pages.id
    WHERE pages.source_id = ${sourceId} AND CASE
      WHEN ${belongs(sql)} THEN indexed.page_id IS NULL
        OR (indexed.rendition, indexed.url) <> (pages.rendition, pages.url)
        OR indexed.title IS DISTINCT FROM pages.title OR indexed.language IS DISTINCT FROM pages.language
      ELSE indexed.page_id IS NOT NULL END
    ORDER BY pages.key_hash`;
  return rows.map((row) => ({ id: Number(row.id), bytes: row.bytes }));
}

/** Each page beside what the run that saved it last says of it, and beside the page that it repeats. */
export const judgedPages = (sql: postgres.ISql) => sql`
  pages
  LEFT JOIN run_pages AS seen ON seen.run_id = pages.last_run_id AND seen.key_hash = pages.key_hash
  LEFT JOIN run_pages AS original ON original.id = seen.duplicate_of
  LEFT JOIN pages AS other ON other.id = original.page_id AND other.id <> pages.id AND other.gone_at IS NULL
  LEFT JOIN run_pages AS other_seen ON other_seen.run_id = other.last_run_id AND other_seen.key_hash = other.key_hash`;

/**
 * Of two runs, each may call one of two pages the other's duplicate: one that is a duplicate itself stands for nobody, else both
 * would be missing.
 */
export const belongs = (sql: postgres.ISql) => sql`(
  pages.gone_at IS NULL AND seen.outcome IS DISTINCT FROM 'skipped'
  AND (other.id IS NULL OR other_seen.duplicate_of IS NOT NULL OR other_seen.outcome = 'skipped'))`;
