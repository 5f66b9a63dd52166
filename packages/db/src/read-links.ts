/** Gives back the links of pages a run has processed, for sending them again when a shorter way to a page was found. */
import type { RunId, UrlKey } from '@trawl/contracts';
import type { Db } from './db.ts';
import { keyHash } from './key-hash.ts';
import type { KnownLinks, PageLink } from './types.ts';

/** Keys the run has not processed are missing from the answer. */
export async function readLinks(
  db: Db,
  runId: RunId,
  keys: readonly UrlKey[],
): Promise<ReadonlyMap<UrlKey, KnownLinks>> {
  if (keys.length === 0) return new Map();
  const rows = await db.sql<
    { key: UrlKey; url: string; links: PageLink[]; nofollow: boolean; canonicalUrl: string | null }[]
  >`
    SELECT seen.key, seen.url, pages.links, pages.metadata ->> 'canonicalUrl' AS "canonicalUrl",
      coalesce((pages.metadata -> 'robots' ->> 'nofollow')::boolean, false) AS nofollow
    FROM json_array_elements_text(${JSON.stringify(keys.map(keyHash))}::json) AS wanted(key_hash)
    JOIN run_pages AS seen ON seen.run_id = ${runId} AND seen.key_hash = wanted.key_hash::uuid
    JOIN pages ON pages.id = seen.page_id
    WHERE seen.outcome <> 'failed'`;
  return new Map(rows.map(({ key, ...known }) => [key, known]));
}
