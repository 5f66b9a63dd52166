/**
 * Writes the end of a run in one transaction: rows made equal to what Redis says, what has changed, duplicates, final numbers. The caller has
 * sealed the run and read its sets. Repeatable: an attempt that died left nothing, and a finished run is not touched again.
 */
import type { RunId } from '@trawl/contracts';
import type postgres from 'postgres';
import type { Db } from './db.ts';
import { deleteUnseenPages, lockPagesOf } from './delete-pages.ts';
import { correctDepths } from './depths.ts';
import { keyHash } from './key-hash.ts';
import { holdSource, markChanges } from './mark-changes.ts';
import { markDuplicates } from './mark-duplicates.ts';
import { storableJson } from './storable.ts';
import type { CountedStats, FinalizeRunOptions, OutcomeRow } from './types.ts';

type Tx = postgres.ISql;

export interface FinalizedRun {
  readonly rowsRemoved: number;
  /** Blobs of pages that went with those rows. */
  readonly blobRefs: readonly string[];
}

export async function finalizeRun(db: Db, runId: RunId, options: FinalizeRunOptions): Promise<FinalizedRun> {
  return db.sql.begin(async (tx) => {
    // A plan kept from when the tables were small joins every page with every row: 10,000 pages took 49 s.
    await tx`SET LOCAL plan_cache_mode = force_custom_plan`;
    const [run] = await tx<{ source_id: string; sealed: boolean; is_finished: boolean }[]>`
      SELECT source_id, sealed, finished_at IS NOT NULL AS is_finished FROM runs WHERE id = ${runId} FOR UPDATE`;
    // Deleted meanwhile, or finished by an earlier call.
    if (!run || run.is_finished) return { rowsRemoved: 0, blobRefs: [] };
    if (!run.sealed) throw new Error(`run ${runId} was not sealed before its finalization`);
    const about = { runId, sourceId: run.source_id };
    // Before any page is locked, as everywhere.
    await holdSource(tx, run.source_id);
    const removed = await removeUnprocessed(tx, runId, options);
    for await (const depths of options.depths()) await correctDepths(tx, runId, depths);
    for await (const outcomes of options.outcomes) await writeOutcomes(tx, about, outcomes);
    const { unmet, at } = await markChanges(tx, about, options.wasToFind?.() ?? null);
    await markDuplicates(tx, about, options.compare);
    const counted = await countRows(tx, runId);
    const stats = { ...options.stats, ...counted, gone: counted.gone + unmet };
    await tx`
      UPDATE runs SET status = ${options.status}, stats = ${storableJson(stats)}::jsonb,
        warnings = ${storableJson(options.warnings)}::jsonb, error = ${options.error ?? null}, finished_at = ${at}::timestamptz
      WHERE id = ${runId}`;
    return removed;
  });
}

/**
 * A page is committed before Redis counts it, so rows can only be too many: a worker died in between, or came back after
 * its lease, or it was read for its links only. Equal numbers therefore mean equal sets, and the keys need not be read.
 */
async function removeUnprocessed(tx: Tx, runId: RunId, options: FinalizeRunOptions): Promise<FinalizedRun> {
  const [rows] = await tx<{ count: number }[]>`
    SELECT count(*)::int AS count FROM run_pages WHERE run_id = ${runId} AND page_id IS NOT NULL`;
  if (rows?.count === options.processedCount) return { rowsRemoved: 0, blobRefs: [] };
  await tx`CREATE TEMPORARY TABLE processed_keys (key_hash uuid) ON COMMIT DROP`;
  for await (const keys of options.processedKeys()) {
    await tx`
      INSERT INTO processed_keys
      SELECT key_hash::uuid FROM json_array_elements_text(${JSON.stringify(keys.map(keyHash))}::json) AS given(key_hash)`;
  }
  await tx`ANALYZE processed_keys`;
  await lockPagesOf(tx, runId);
  const removed = await tx`
    DELETE FROM run_pages
    WHERE run_id = ${runId} AND page_id IS NOT NULL
      AND NOT EXISTS (SELECT FROM processed_keys WHERE processed_keys.key_hash = run_pages.key_hash)`;
  return { rowsRemoved: removed.count, blobRefs: await deleteUnseenPages(tx) };
}

/** A page that is known from before is gone when it answers 404 or 410, has moved for good, or asks not to be kept. */
async function writeOutcomes(
  tx: Tx,
  run: { readonly runId: RunId; readonly sourceId: string },
  outcomes: readonly OutcomeRow[],
): Promise<void> {
  if (outcomes.length === 0) return;
  const rows = outcomes.map((row) => ({
    key_hash: keyHash(row.key),
    key: row.key,
    url: row.url,
    final_url: row.finalUrl,
    depth: row.depth,
    parent_url: row.parentUrl,
    outcome: row.outcome,
    http_status: row.httpStatus,
    content_type: row.contentType,
    bytes: row.bytes,
    elapsed_ms: row.elapsedMs === null ? null : Math.round(row.elapsedMs),
    error: row.error,
    crawled_at: row.crawledAt,
  }));
  await tx`
    INSERT INTO run_pages (
      run_id, key_hash, key, url, final_url, depth, parent_url, outcome, http_status, content_type, bytes, elapsed_ms,
      error, crawled_at, change)
    SELECT DISTINCT ON (ended.key_hash) ${run.runId}, ended.key_hash, ended.key, ended.url, ended.final_url, ended.depth,
      ended.parent_url, ended.outcome, ended.http_status, ended.content_type, ended.bytes, ended.elapsed_ms, ended.error,
      ended.crawled_at, CASE WHEN known.id IS NOT NULL THEN 'gone' END
    FROM json_to_recordset(${storableJson(rows)}::json) AS ended(
      key_hash uuid, key text, url text, final_url text, depth int, parent_url text, outcome text, http_status int,
      content_type text, bytes bigint, elapsed_ms int, error jsonb, crawled_at timestamptz)
    LEFT JOIN pages AS known
      ON known.source_id = ${run.sourceId} AND known.key_hash = ended.key_hash AND known.gone_at IS NULL
        AND (ended.http_status IN (404, 410) OR ended.error ->> 'code' = 'ROBOTS_NOINDEX'
          OR (ended.http_status IN (301, 308) AND ended.error ->> 'code' = 'REDIRECTED'))
    ORDER BY ended.key_hash
    ON CONFLICT (run_id, key_hash) DO UPDATE SET
      page_id = NULL, url = excluded.url, final_url = excluded.final_url, depth = excluded.depth,
      parent_url = excluded.parent_url, outcome = excluded.outcome, http_status = excluded.http_status,
      content_type = excluded.content_type, bytes = excluded.bytes, elapsed_ms = excluded.elapsed_ms,
      error = excluded.error, crawled_at = excluded.crawled_at, change = excluded.change,
      title = NULL, language = NULL, content_hash = NULL`;
}

async function countRows(tx: Tx, runId: RunId): Promise<CountedStats> {
  const [counts] = await tx<[CountedStats]>`
    SELECT count(*) FILTER (WHERE change = 'new')::int AS new, count(*) FILTER (WHERE change = 'changed')::int AS changed,
      count(*) FILTER (WHERE change = 'unchanged')::int AS unchanged, count(*) FILTER (WHERE change = 'gone')::int AS gone,
      count(*) FILTER (WHERE rendered)::int AS rendered,
      coalesce(sum(bytes) FILTER (WHERE outcome = 'processed'), 0)::float8 AS bytes
    FROM run_pages WHERE run_id = ${runId}`;
  return counts;
}
