/** Keeps `pages` to what some run saw. Both deleting a run and finalizing one take rows of `run_pages` away. */
import type { RunId } from '@trawl/contracts';
import type postgres from 'postgres';
import type { Db } from './db.ts';

/**
 * Starts taking away: locks the pages of a run, in the order in which saves lock theirs, and remembers them. With the
 * locks held, a save of another run has either been committed and is seen below, or waits and will insert the page anew.
 */
export async function lockPagesOf(tx: postgres.ISql, runId: RunId): Promise<void> {
  await tx`CREATE TEMPORARY TABLE locked_pages (id bigint PRIMARY KEY) ON COMMIT DROP`;
  await tx`
    INSERT INTO locked_pages
    SELECT id FROM (
      SELECT pages.id FROM run_pages JOIN pages ON pages.id = run_pages.page_id
      WHERE run_pages.run_id = ${runId}
      ORDER BY pages.key_hash
      FOR UPDATE OF pages
    ) AS locked`;
}

/** Ends it: of the locked pages, those that no row refers to any more go, with their chunks. Returns the blobs they had. */
export async function deleteUnseenPages(tx: postgres.ISql): Promise<readonly string[]> {
  await tx`ANALYZE locked_pages`;
  const [gone] = await tx<{ refs: string[] | null }[]>`
    WITH gone AS (
      DELETE FROM pages USING locked_pages
      WHERE pages.id = locked_pages.id
        AND NOT EXISTS (SELECT FROM run_pages WHERE run_pages.page_id = pages.id)
      RETURNING pages.raw_ref, pages.shot_ref
    )
    SELECT json_agg(ref) AS refs FROM gone CROSS JOIN LATERAL (VALUES (raw_ref), (shot_ref)) AS kept(ref) WHERE ref IS NOT NULL`;
  return gone?.refs ?? [];
}

/** The blobs of those pages that only this run saw: they go with it. */
export async function blobRefsOf(db: Db, runId: RunId): Promise<readonly string[]> {
  const rows = await db.sql<{ ref: string }[]>`
    SELECT ref FROM run_pages AS seen JOIN pages ON pages.id = seen.page_id
    CROSS JOIN LATERAL (VALUES (raw_ref), (shot_ref)) AS kept(ref)
    WHERE seen.run_id = ${runId} AND ref IS NOT NULL
      AND NOT EXISTS (SELECT FROM run_pages AS other WHERE other.page_id = pages.id AND other.run_id <> ${runId})`;
  return rows.map(({ ref }) => ref);
}
