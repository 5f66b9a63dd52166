/** What a source knows of pages from earlier runs: what to ask the server by, and whether they are due. */
import type { RunConfig, RunId, SourceId, UrlKey } from '@trawl/contracts';
import type { Db } from './db.ts';
import { keyHash } from './key-hash.ts';
import { OWNED, sitemapSite } from './sitemap-cache.ts';
import { storableJson } from './storable.ts';
import type { KnownPage } from './types.ts';

/** What decides how pages come out: only those of a run with the same are as another run wants them. */
type Kept = Pick<RunConfig, 'output' | 'extractor'>;

/**
 * Whether an earlier run of the source kept its pages as this one wants them: only then need a page that is the same not be read again.
 */
export async function hasEarlierRun(
  db: Db,
  run: { readonly runId: RunId; readonly sourceId: SourceId; readonly config: Kept },
): Promise<boolean> {
  const [row] = await db.sql<{ same: boolean }[]>`
    SELECT config -> 'output' = ${storableJson(run.config.output)}::jsonb
      AND coalesce((config ->> 'extractor')::int, 1) = ${run.config.extractor} AS same FROM runs
    WHERE source_id = ${run.sourceId} AND id <> ${run.runId} AND finished_at IS NOT NULL
    ORDER BY created_at DESC, id DESC LIMIT 1`;
  return row?.same ?? false;
}

/** `kept`: only pages that were kept like this count as known. `identity`: the page's key by the default normalization, which sitemaps are kept by. Pages that are not known, or gone, are missing. */
export async function knownPages(
  db: Db,
  sourceId: SourceId,
  pages: readonly { readonly key: UrlKey; readonly identity: UrlKey }[],
  kept?: Kept,
): Promise<ReadonlyMap<UrlKey, KnownPage>> {
  if (pages.length === 0) return new Map();
  const wanted = pages.map(({ key, identity }) => ({ key_hash: keyHash(key), identity: keyHash(identity) }));
  const rows = await db.sql<KnownRow[]>`
    SELECT pages.key, pages.http_status, pages.content_type, pages.etag, pages.last_modified, pages.body_hash, pages.content_hash,
      pages.crawled_at, pages.rendered, entry.lastmod, entry.changefreq, entry.is_dropped
    FROM json_to_recordset(${JSON.stringify(wanted)}::json) AS wanted(key_hash uuid, identity uuid)
    JOIN pages ON pages.source_id = ${sourceId} AND pages.key_hash = wanted.key_hash AND pages.gone_at IS NULL
      AND (${kept === undefined} OR EXISTS (
        SELECT FROM runs WHERE runs.id = pages.last_run_id AND config -> 'output' = ${storableJson(kept?.output ?? null)}::jsonb
          AND coalesce((config ->> 'extractor')::int, 1) = ${kept?.extractor ?? 0}
      ))
    LEFT JOIN LATERAL (
      SELECT lastmod, changefreq, seen_at < coalesce(sitemap_sites.read_at, seen_at) AS is_dropped
      FROM sitemap_entries LEFT JOIN sitemap_sites USING (host)
      WHERE sitemap_entries.key_hash = wanted.identity
        AND (strpos(host, ${OWNED}) = 0 OR starts_with(host, ${sitemapSite('', sourceId)}))
      ORDER BY seen_at DESC LIMIT 1
    ) AS entry ON true`;
  return new Map(rows.map((row) => [row.key, toKnown(row)]));
}

/** Whether what is kept of the page, if anything, is what a browser made of it. */
export async function wasRendered(db: Db, sourceId: SourceId, key: UrlKey): Promise<boolean> {
  const [row] = await db.sql<{ rendered: boolean }[]>`
    SELECT rendered FROM pages WHERE source_id = ${sourceId} AND key_hash = ${keyHash(key)} AND gone_at IS NULL`;
  return row?.rendered ?? false;
}

interface KnownRow {
  readonly key: UrlKey;
  readonly http_status: number;
  readonly content_type: string | null;
  readonly etag: string | null;
  readonly last_modified: string | null;
  readonly body_hash: string | null;
  readonly content_hash: string;
  readonly crawled_at: string;
  readonly rendered: boolean;
  readonly lastmod: string | null;
  readonly changefreq: string | null;
  /** Null where no sitemap ever named it. */
  readonly is_dropped: boolean | null;
}

function toKnown(row: KnownRow): KnownPage {
  return {
    httpStatus: row.http_status,
    contentType: row.content_type,
    etag: row.etag,
    lastModified: row.last_modified,
    bodyHash: row.body_hash,
    contentHash: row.content_hash,
    crawledAt: new Date(row.crawled_at),
    rendered: row.rendered,
    sitemap:
      row.is_dropped === null
        ? null
        : {
            lastmod: row.lastmod === null ? null : new Date(row.lastmod),
            changefreq: row.changefreq,
            isDropped: row.is_dropped,
          },
  };
}
