/** Which sources have something that their search index has not: the rows say it, so nothing that is lost keeps an index behind. */
import type { SourceId } from '@trawl/contracts';
import type { Db } from '../db.ts';

export interface DueSourcesOptions {
  /** Runs that ended within this time are looked at; null: every run there is, which takes longer. */
  readonly endedWithinMs: number | null;
  /** Of a run that has been going on for longer, pages are indexed meanwhile. */
  readonly longRunMs: number;
}

/** A source whose run goes on is looked at again after this, or so many times as long as the last look took. */
const AGAIN_SECONDS = 15;
const AGAIN_TIMES = 20;
const MOST = 100;

/** Those first that have waited longest. */
export async function dueSources(db: Db, o: DueSourcesOptions): Promise<readonly SourceId[]> {
  const { sql } = db;
  const ended =
    o.endedWithinMs === null ? sql`true` : sql`finished_at > now() - ${o.endedWithinMs} * interval '1 millisecond'`;
  const rows = await sql<{ source_id: SourceId }[]>`
    WITH candidates AS (
      SELECT source_id, false AS goes_on FROM runs WHERE finished_at IS NOT NULL AND ${ended}
      UNION ALL
      SELECT source_id, true FROM runs
      WHERE finished_at IS NULL AND started_at < now() - ${o.longRunMs} * interval '1 millisecond'
    )
    SELECT candidate.source_id
    FROM (SELECT source_id, bool_or(goes_on) AS goes_on FROM candidates GROUP BY source_id) AS candidate
    LEFT JOIN search_sources AS known USING (source_id)
    CROSS JOIN LATERAL (SELECT max(finished_at) AS at FROM runs WHERE source_id = candidate.source_id) AS newest
    WHERE (known.leased_until IS NULL OR known.leased_until < now())
      AND (newest.at IS DISTINCT FROM known.covers_until
        OR (candidate.goes_on AND (known.checked_at IS NULL
          OR known.checked_at < now() - greatest(${AGAIN_SECONDS} * 1000, ${AGAIN_TIMES} * known.pass_ms) * interval '1 millisecond')))
    ORDER BY newest.at NULLS LAST
    LIMIT ${MOST}`;
  return rows.map((row) => row.source_id);
}

/** Whether a crawl is at work, whose part of the machine this is. */
export async function areRunsUnderWay(db: Db): Promise<boolean> {
  const [row] = await db.sql<{ found: boolean }[]>`
    SELECT EXISTS (SELECT FROM runs WHERE finished_at IS NULL AND status IN ('pending', 'discovering', 'running', 'finalizing')) AS found`;
  return row?.found ?? false;
}
