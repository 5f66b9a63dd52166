/**
 * What sitemaps said, for all sources, or for one that is let in where others are not: written while they are read, trusted for a while once a site's were read to the end.
 * Entries that a later reading does not meet stay, with their older time: they tell that a page is no longer named.
 */
import type { SourceId, UrlKey } from '@trawl/contracts';
import type postgres from 'postgres';
import type { Db } from './db.ts';
import { keyHash } from './key-hash.ts';
import { storableJson } from './storable.ts';
import type { SitemapEntryRow } from './types.ts';

/** How many entries one call of `cachedSitemapEntries` gives. */
const ENTRIES_PER_PART = 2000;

/** What a site is called here. With `owner`, what that source alone was shown: nobody else is to crawl by it. */
export const sitemapSite = (host: string, owner: SourceId | null): string =>
  owner === null ? host : `${owner}${OWNED}${host}`;
/** In no host, and in no id. */
export const OWNED = '@';

export interface SitemapReading {
  readonly readAt: Date;
  readonly sitemaps: unknown;
}

/** The last reading of a site's sitemaps that came to its end, if it is no older than so many hours. */
export async function cachedSitemaps(db: Db, site: string, maxAgeHours: number): Promise<SitemapReading | null> {
  if (maxAgeHours <= 0) return null;
  const [row] = await db.sql<{ readAt: string; sitemaps: unknown }[]>`
    SELECT read_at AS "readAt", sitemaps FROM sitemap_sites
    WHERE host = ${site} AND read_at > now() - make_interval(secs => ${maxAgeHours * 3600})`;
  return row ? { readAt: new Date(row.readAt), sitemaps: row.sitemaps } : null;
}

/** Everything a reading met, in parts, and what was met since: that it is named is true all the same. */
export async function* cachedSitemapEntries(
  db: Db,
  site: string,
  reading: SitemapReading,
): AsyncGenerator<readonly SitemapEntryRow[]> {
  let after = '00000000-0000-0000-0000-000000000000';
  for (;;) {
    const rows = await db.sql<(Omit<SitemapEntryRow, 'lastmod'> & { key_hash: string; lastmod: string | null })[]>`
      SELECT key_hash, url, lastmod, changefreq, priority FROM sitemap_entries
      WHERE host = ${site} AND key_hash > ${after}::uuid AND seen_at >= ${reading.readAt.toISOString()}::timestamptz
      ORDER BY key_hash LIMIT ${ENTRIES_PER_PART}`;
    const last = rows.at(-1);
    if (!last) return;
    yield rows.map(({ key_hash: _, lastmod, ...row }) => ({
      ...row,
      lastmod: lastmod === null ? null : new Date(lastmod),
    }));
    after = last.key_hash;
  }
}

/** Entries of a reading that began at `readAt`; `identity` is the key by the default normalization. */
export async function saveSitemapEntries(
  db: Db,
  site: string,
  readAt: Date,
  entries: readonly (SitemapEntryRow & { readonly identity: UrlKey })[],
): Promise<void> {
  // An upsert can't touch a row twice; a sitemap may well name a page twice, and then the last word counts.
  const byKey = new Map(entries.map((entry) => [keyHash(entry.identity), entry]));
  if (byKey.size === 0) return;
  const rows = [...byKey].map(([key_hash, { identity: _, ...entry }]) => ({ key_hash, ...entry }));
  await db.sql`
    INSERT INTO sitemap_entries (host, key_hash, url, lastmod, changefreq, priority, discovered_at, seen_at)
    SELECT ${site}, key_hash, url, lastmod, changefreq, priority, now(), ${readAt.toISOString()}::timestamptz
    FROM json_to_recordset(${storableJson(rows)}::json) AS entry(
      key_hash uuid, url text, lastmod timestamptz, changefreq text, priority real)
    ORDER BY key_hash
    ON CONFLICT (host, key_hash) DO UPDATE SET
      url = excluded.url, lastmod = excluded.lastmod, changefreq = excluded.changefreq, priority = excluded.priority,
      seen_at = excluded.seen_at
    -- The word of a newer reading stands.
    WHERE sitemap_entries.seen_at <= excluded.seen_at`;
}

/** The reading came to its end: it may be trusted, and what it did not meet is no longer named. */
export async function finishSitemapReading(db: Db, site: string, reading: SitemapReading): Promise<void> {
  await db.sql`
    INSERT INTO sitemap_sites (host, read_at, sitemaps)
    VALUES (${site}, ${reading.readAt.toISOString()}::timestamptz, ${storableJson(reading.sitemaps)}::jsonb)
    ON CONFLICT (host) DO UPDATE SET read_at = excluded.read_at, sitemaps = excluded.sitemaps
    WHERE sitemap_sites.read_at <= excluded.read_at`;
}

/** What only this source was shown. Reads the whole cache: for sources that had access, which end seldom. */
export async function forgetOwnSitemaps(tx: postgres.ISql, owner: SourceId): Promise<void> {
  const prefix = sitemapSite('', owner);
  await tx`DELETE FROM sitemap_entries WHERE starts_with(host, ${prefix})`;
  await tx`DELETE FROM sitemap_sites WHERE starts_with(host, ${prefix})`;
}
