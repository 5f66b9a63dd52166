/** Reads the pages of a source as they are now, over all of its runs. Each is shown as the last run that kept it saw it. */
import type { PageChange, PageSummary, SourceId } from '@trawl/contracts';
import { and, asc, desc, eq, gt, ilike, isNotNull, isNull, or, sql } from 'drizzle-orm';
import { parseSourcePageCursor, sourcePageCursor } from './cursor.ts';
import type { Db } from './db.ts';
import { containing, toSummary } from './read-pages.ts';
import { pages, runPages } from './schema.ts';
import type { Listed } from './types.ts';

export interface ListSourcePagesOptions {
  readonly limit: number;
  readonly cursor?: string | undefined;
  /** Part of the URL or the title, taken literally; case does not matter. */
  readonly q?: string | undefined;
  /** What the last run that saw it found. `gone`: pages that are no longer there, which are not shown otherwise. */
  readonly change?: PageChange | undefined;
}

/** By the hash of their identity, the one order of a source's pages that has an index: any part costs the same. */
export async function listSourcePages(
  db: Db,
  sourceId: SourceId,
  options: ListSourcePagesOptions,
): Promise<Listed<PageSummary>> {
  const { limit, cursor, q, change } = options;
  const after = cursor === undefined ? undefined : parseSourcePageCursor(cursor);
  if (after === null) return { kind: 'bad-cursor' };
  const isGone = change === 'gone';
  // Without the contents, which are most of a page's row.
  const known = db.orm
    .select({ id: pages.id, keyHash: pages.keyHash })
    .from(pages)
    .where(
      and(
        eq(pages.sourceId, sourceId),
        after === undefined ? undefined : gt(pages.keyHash, after),
        isGone ? isNotNull(pages.goneAt) : isNull(pages.goneAt),
        q === undefined ? undefined : or(ilike(pages.url, containing(q)), ilike(pages.title, containing(q))),
      ),
    )
    .as('known');
  // A page that was read for its links only has a row that is not `processed`, until its run is finalized.
  const seen = db.orm
    .select()
    .from(runPages)
    .where(and(eq(runPages.pageId, known.id), eq(runPages.outcome, 'processed')))
    .orderBy(desc(runPages.id))
    .limit(1)
    .as('seen');
  const rows = await db.orm
    .select()
    .from(known)
    .innerJoinLateral(seen, sql`true`)
    .where(change === undefined || isGone ? undefined : eq(seen.change, change))
    .orderBy(asc(known.keyHash))
    .limit(limit + 1);
  const items = rows.slice(0, limit);
  const last = rows.length > limit ? items.at(-1) : undefined;
  return {
    kind: 'listed',
    // A page that is gone has no row of its own in the run that missed it.
    items: items.map((row) => ({ ...toSummary(row.seen), ...(isGone ? { change: 'gone' as const } : {}) })),
    nextCursor: last ? sourcePageCursor(last.known.keyHash) : null,
  };
}
