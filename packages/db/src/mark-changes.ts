/**
 * What a run's end means to its source: which pages are new, changed or gone, all at one time that is later than that of every run
 * before. Part of finalization, in its transaction, with the source's row held: a consumer who has seen all up to a time misses nothing.
 */
import type { RunId } from '@trawl/contracts';
import type postgres from 'postgres';

type Tx = postgres.ISql;

/** Held until the transaction ends. Adding runs and saving pages go on meanwhile. */
export async function holdSource(tx: Tx, sourceId: string): Promise<void> {
  await tx`SELECT FROM sources WHERE id = ${sourceId} FOR NO KEY UPDATE`;
}

/** Returns how many pages are gone that the run did not even meet, and the time of it all. */
export async function markChanges(
  tx: Tx,
  run: { readonly runId: RunId; readonly sourceId: string },
  wasToFind: ((url: string) => boolean) | null,
): Promise<{ readonly unmet: number; readonly at: string }> {
  const unmet = wasToFind ? await unmetPages(tx, run, wasToFind) : [];
  const [time] = await tx<{ at: string }[]>`
    SELECT greatest(
      date_trunc('milliseconds', clock_timestamp()),
      (SELECT max(changed_at) + interval '1 millisecond' FROM pages WHERE source_id = ${run.sourceId})
    )::text AS at`;
  if (!time) throw new Error('the database tells no time');
  await tx`
    WITH changed AS MATERIALIZED (
      SELECT pages.id, CASE WHEN seen.change = 'gone' THEN 'gone' WHEN pages.told_hash IS NULL THEN 'new' ELSE 'changed' END AS change
      FROM run_pages AS seen
      JOIN pages ON pages.source_id = ${run.sourceId} AND pages.key_hash = seen.key_hash
      WHERE seen.run_id = ${run.runId}
        AND (seen.change = 'gone' OR (seen.outcome = 'processed' AND pages.told_hash IS DISTINCT FROM pages.content_hash))
      ORDER BY pages.key_hash
      FOR NO KEY UPDATE OF pages
    )
    UPDATE pages SET change = changed.change, changed_at = ${time.at}::timestamptz,
      gone_at = CASE WHEN changed.change = 'gone' THEN ${time.at}::timestamptz END,
      told_hash = CASE WHEN changed.change = 'gone' THEN NULL ELSE content_hash END
    FROM changed WHERE pages.id = changed.id`;
  if (unmet.length > 0) {
    await tx`
      UPDATE pages SET change = 'gone', changed_at = ${time.at}::timestamptz, gone_at = ${time.at}::timestamptz, told_hash = NULL
      FROM json_array_elements_text(${JSON.stringify(unmet)}::json) AS unmet(id)
      WHERE pages.id = unmet.id::bigint`;
  }
  return { unmet: unmet.length, at: time.at };
}

async function unmetPages(
  tx: Tx,
  run: { readonly runId: RunId; readonly sourceId: string },
  wasToFind: (url: string) => boolean,
): Promise<number[]> {
  // A known page that the run met and could not read may have hidden the way to others.
  const [blind] = await tx<{ found: boolean }[]>`
    SELECT EXISTS (
      SELECT FROM run_pages AS seen
      JOIN pages ON pages.source_id = ${run.sourceId} AND pages.key_hash = seen.key_hash AND pages.gone_at IS NULL
      WHERE seen.run_id = ${run.runId} AND seen.outcome <> 'processed' AND seen.change IS DISTINCT FROM 'gone'
    ) AS found`;
  if (blind?.found) return [];
  const ids: number[] = [];
  const rows = tx<{ id: string; url: string }[]>`
    WITH alike AS MATERIALIZED (
      -- Only what a run that looked in the same way has found is this one's to find.
      SELECT before.id FROM runs AS before, runs AS this
      WHERE this.id = ${run.runId} AND before.source_id = ${run.sourceId}
        AND (${views(tx, 'before')}) = (${views(tx, 'this')})
    )
    SELECT id, url FROM pages
    WHERE source_id = ${run.sourceId} AND gone_at IS NULL AND last_run_id IN (SELECT id FROM alike)
      AND NOT EXISTS (SELECT FROM run_pages WHERE run_id = ${run.runId} AND run_pages.key_hash = pages.key_hash)
    ORDER BY key_hash
    FOR NO KEY UPDATE`;
  for await (const part of rows.cursor(1000)) {
    for (const { id, url } of part) if (wasToFind(url)) ids.push(Number(id));
  }
  return ids;
}

/** What decides which pages a run comes to see. */
const VIEW = [
  ...[
    'urls',
    'sites',
    'mode',
    'sitemap',
    'maxDepth',
    'scope',
    'include',
    'exclude',
    'urlFilter',
    'preset',
    'normalize',
  ],
  ...['render', 'guards', 'respectRobots', 'respectMetaRobots', 'respectXRobotsTag', 'respectNofollow'],
];
const views = (tx: Tx, of: 'before' | 'this') =>
  tx`SELECT jsonb_object_agg(option.key, option.value) FROM jsonb_each(${tx(of)}.config) AS option
    WHERE option.key IN (SELECT json_array_elements_text(${JSON.stringify(VIEW)}::json))`;
