/**
 * Says that a run saw pages as the source knows them: a row for each in what the run saw, and nothing of their content written again.
 * Gives back their links, which the run follows all the same. Safe to repeat and to race, as `savePages` is.
 */
import type { RunId, SourceId, UrlKey } from '@trawl/contracts';
import type { Db } from './db.ts';
import { keyHash } from './key-hash.ts';
import { storableJson } from './storable.ts';
import type { KnownLinks, PageLink, UnchangedPage } from './types.ts';

export type SaveUnchangedResult =
  /** A page that is missing is no longer known: it has to be fetched after all. */
  | { readonly kind: 'saved'; readonly pages: ReadonlyMap<UrlKey, KnownLinks & { readonly contentHash: string }> }
  | { readonly kind: 'sealed' }
  | { readonly kind: 'no-run' };

export async function saveUnchanged(
  db: Db,
  run: { readonly runId: RunId; readonly sourceId: SourceId },
  pages: readonly UnchangedPage[],
): Promise<SaveUnchangedResult> {
  const byKey = new Map(pages.map((page) => [page.key, page]));
  const rows = [...byKey.values()].map((page) => ({
    key_hash: keyHash(page.key),
    depth: page.depth,
    parent_url: page.parentUrl,
    http_status: page.httpStatus,
    elapsed_ms: Math.round(page.elapsedMs),
    crawled_at: page.crawledAt,
    etag: page.etag,
    last_modified: page.lastModified,
  }));
  const answer = await db.sql<SavedRow[]>`
    WITH run AS MATERIALIZED (
      SELECT sealed FROM runs WHERE id = ${run.runId} AND source_id = ${run.sourceId} FOR KEY SHARE
    ),
    input AS MATERIALIZED (
      SELECT page.* FROM run, json_to_recordset(${storableJson(rows)}::json) AS page(
        key_hash uuid, depth int, parent_url text, http_status int, elapsed_ms int, crawled_at timestamptz, etag text, last_modified text)
      WHERE NOT run.sealed
    ),
    locked AS MATERIALIZED (
      SELECT pages.id, input.* FROM pages JOIN input USING (key_hash)
      WHERE pages.source_id = ${run.sourceId} AND pages.gone_at IS NULL
      ORDER BY pages.key_hash
      FOR NO KEY UPDATE OF pages
    ),
    touched AS (
      UPDATE pages SET last_run_id = ${run.runId},
        -- One that was not asked for keeps the time it was: that is what makes it due again.
        crawled_at = coalesce(locked.crawled_at, pages.crawled_at),
        etag = coalesce(locked.etag, pages.etag), last_modified = coalesce(locked.last_modified, pages.last_modified)
      FROM locked WHERE pages.id = locked.id
      RETURNING pages.id, pages.key, pages.key_hash, pages.url, pages.final_url, pages.content_type, pages.title, pages.language,
        pages.bytes, pages.content_hash, pages.crawled_at, pages.links, pages.metadata, pages.told_hash
    ),
    seen AS (
      INSERT INTO run_pages AS first (
        run_id, page_id, key_hash, key, url, final_url, depth, parent_url, outcome, http_status, content_type, title, language,
        bytes, elapsed_ms, content_hash, crawled_at, change)
      SELECT ${run.runId}, touched.id, touched.key_hash, touched.key, touched.url, touched.final_url, locked.depth, locked.parent_url,
        'processed', locked.http_status, touched.content_type, touched.title, touched.language, touched.bytes, locked.elapsed_ms,
        touched.content_hash, touched.crawled_at,
        -- As the source has it, which need not be what was told of it.
        CASE WHEN touched.told_hash IS NULL THEN 'new' WHEN touched.told_hash = touched.content_hash THEN 'unchanged' ELSE 'changed' END
      FROM touched JOIN locked ON locked.id = touched.id
      ON CONFLICT (run_id, key_hash) DO UPDATE SET
        depth = least(first.depth, excluded.depth),
        parent_url = CASE WHEN excluded.depth < first.depth THEN excluded.parent_url ELSE first.parent_url END
    )
    SELECT run.sealed, touched.key, touched.url, touched.links, touched.metadata ->> 'canonicalUrl' AS "canonicalUrl",
      coalesce((touched.metadata -> 'robots' ->> 'nofollow')::boolean, false) AS nofollow, touched.content_hash AS "contentHash"
    FROM run LEFT JOIN touched ON true`;
  const [first] = answer;
  if (!first) return { kind: 'no-run' };
  if (first.sealed) return { kind: 'sealed' };
  const saved = answer.flatMap(({ sealed: _, key, ...page }) => (key === null ? [] : [[key, page] as const]));
  return { kind: 'saved', pages: new Map(saved) };
}

interface SavedRow {
  readonly sealed: boolean;
  /** Null where none of the pages is known. */
  readonly key: UrlKey | null;
  readonly url: string;
  readonly links: PageLink[];
  readonly canonicalUrl: string | null;
  readonly nofollow: boolean;
  readonly contentHash: string;
}
