/** Finds the chunks of a source whose embeddings are nearest to that of a query. */
import type { SourceId } from '@trawl/contracts';
import type postgres from 'postgres';
import { pageFilters } from './search-text.ts';
import type { Hit, SearchFilters } from './search-types.ts';
import { installedVersion, isAtLeast } from './vector-store.ts';

type Tx = postgres.ISql;

/** Nearest first; the score is the cosine of the angle between the two. */
export async function searchVectors(
  tx: Tx,
  sourceId: SourceId,
  vector: readonly number[],
  o: SearchFilters & { readonly limit: number },
): Promise<Hit[]> {
  // The index knows nothing of sources: it goes on until it has found enough of this one. Older ones give up, see below.
  if (isAtLeast(await installedVersion(tx), 0, 8)) {
    await tx`SELECT set_config('hnsw.iterative_scan', 'strict_order', true)`;
  } else {
    await tx`SELECT set_config('hnsw.ef_search', '400', true)`;
  }
  const found = await nearest(tx, sourceId, vector, o);
  if (found.length === o.limit) return found;
  // Fewer than wanted: the source has no more, or the index gave up. Without the index all of the source's are looked at.
  await tx`SET LOCAL enable_indexscan = off`;
  const exact = await nearest(tx, sourceId, vector, o);
  await tx`SET LOCAL enable_indexscan = on`;
  return exact;
}

async function nearest(
  tx: Tx,
  sourceId: SourceId,
  vector: readonly number[],
  o: SearchFilters & { readonly limit: number },
): Promise<Hit[]> {
  const given = JSON.stringify(vector);
  const rows = await tx<{ page_id: string; chunk_id: string; index: number; score: number }[]>`
    SELECT near.page_id, near.chunk_id, chunk.index, (1 - near.distance)::float8 AS score
    FROM (
      SELECT kept.page_id, kept.chunk_id, kept.embedding <=> ${given}::vector AS distance
      FROM search_vectors AS kept ${filtered(tx, o)}
      WHERE kept.source_id = ${sourceId} AND kept.embedding IS NOT NULL
      ORDER BY kept.embedding <=> ${given}::vector
      LIMIT ${o.limit}
    ) AS near JOIN search_chunks AS chunk USING (page_id, chunk_id)
    ORDER BY near.distance, near.page_id, chunk.index`;
  return rows.map((row) => ({
    pageId: Number(row.page_id),
    chunkId: row.chunk_id,
    index: row.index,
    score: Number(row.score),
  }));
}

const filtered = (tx: Tx, filters: SearchFilters) =>
  filters.language === undefined && filters.path === undefined
    ? tx``
    : tx`JOIN search_pages AS page ON page.page_id = kept.page_id ${pageFilters(tx, filters)}`;
