/** How far the search index of a source is, so that nobody takes what it does not find for what there is not. */
import type { SourceId } from '@trawl/contracts';
import type postgres from 'postgres';

export interface IndexStatus {
  /** Everything that finished runs have brought is in it, and no run is under way. */
  readonly complete: boolean;
  /** Pages that belong into it. While it is not complete: pages that are there, of which some may not belong into it. */
  readonly pages: number;
  /** Pages that are in it. */
  readonly indexed: number;
  /** When it was last brought up to date. */
  readonly checkedAt: string | null;
}

export interface EmbeddingStatus {
  readonly complete: boolean;
  readonly embedded: number;
  /** Chunks that the model refused. */
  readonly skipped: number;
}

export async function readIndexStatus(sql: postgres.ISql, sourceId: SourceId): Promise<IndexStatus> {
  const [known] = await sql<{ complete: boolean; pages: number; checkedAt: string | null }[]>`
    SELECT known.pages, to_char(known.checked_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS "checkedAt",
      known.covers_until IS NOT DISTINCT FROM (SELECT max(finished_at) FROM runs WHERE source_id = ${sourceId})
        AND NOT EXISTS (SELECT FROM runs WHERE source_id = ${sourceId} AND finished_at IS NULL) AS complete
    FROM search_sources AS known WHERE source_id = ${sourceId}`;
  if (known?.complete) return { ...known, indexed: known.pages };
  // Counted only while it is behind: it takes as long as there are pages.
  const [counted] = await sql<{ pages: number; indexed: number; runs: number }[]>`
    SELECT (SELECT count(*)::int FROM pages WHERE source_id = ${sourceId} AND gone_at IS NULL) AS pages,
      (SELECT count(*)::int FROM search_pages WHERE source_id = ${sourceId}) AS indexed,
      (SELECT count(*)::int FROM runs WHERE source_id = ${sourceId}) AS runs`;
  const { pages = 0, indexed = 0, runs = 0 } = counted ?? {};
  // A source that never had a run has nothing to index.
  return { complete: runs === 0, pages, indexed, checkedAt: known?.checkedAt ?? null };
}

/** Only where the tables of embeddings exist. */
export async function readEmbeddingStatus(sql: postgres.ISql, sourceId: SourceId): Promise<EmbeddingStatus> {
  const [row] = await sql<EmbeddingStatus[]>`
    SELECT known.embedded, known.skipped, known.version IS NOT DISTINCT FROM indexed.version AS complete
    FROM search_vector_sources AS known LEFT JOIN search_sources AS indexed USING (source_id)
    WHERE source_id = ${sourceId}`;
  return row ?? { complete: false, embedded: 0, skipped: 0 };
}
