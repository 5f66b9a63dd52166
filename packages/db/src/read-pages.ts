/** Reads what a run saw, as the API shows it. A page's content is the latest of its source: older versions are not kept. */
import type { Page, PageOutcome, PageSummary, RunId, UrlError } from '@trawl/contracts';
import { and, asc, eq, gt, ilike, or } from 'drizzle-orm';
import { pageCursor, pageId, parsePageCursor, parsePageId } from './cursor.ts';
import type { Db } from './db.ts';
import { pages, runPages } from './schema.ts';
import type { Listed, ListPagesOptions, PageLink } from './types.ts';

/** In the order in which rows were made. Exact for a finished run; one that runs may add rows behind a cursor. */
export async function listPages(db: Db, runId: RunId, options: ListPagesOptions): Promise<Listed<PageSummary>> {
  const { limit, cursor, outcome, q } = options;
  const after = cursor === undefined ? 0 : parsePageCursor(cursor);
  if (after === null) return { kind: 'bad-cursor' };
  const rows = await db.orm
    .select()
    .from(runPages)
    .where(
      and(
        eq(runPages.runId, runId),
        gt(runPages.id, after),
        outcome === undefined ? undefined : eq(runPages.outcome, outcome),
        q === undefined ? undefined : or(ilike(runPages.url, containing(q)), ilike(runPages.title, containing(q))),
      ),
    )
    .orderBy(asc(runPages.id))
    .limit(limit + 1);
  const items = rows.slice(0, limit);
  const last = rows.length > limit ? items.at(-1) : undefined;
  return { kind: 'listed', items: items.map(toSummary), nextCursor: last ? pageCursor(last.id) : null };
}

/**
 * Rows made after the one with the number `afterId` (0: from the start), for a live view. Numbers are given before
 * rows are committed, so a slow save can be passed by: what must be complete reads `listPages` at the end.
 */
export async function runPagesSince(
  db: Db,
  runId: RunId,
  afterId: number,
  limit: number,
): Promise<readonly PageSummary[]> {
  const rows = await db.orm
    .select()
    .from(runPages)
    .where(and(eq(runPages.runId, runId), gt(runPages.id, afterId)))
    .orderBy(asc(runPages.id))
    .limit(limit);
  return rows.map(toSummary);
}

/** A page with its content, and where the answer is kept as it came: reading that is the caller's matter. */
export type StoredPage = Omit<Page, 'html' | 'screenshot'> & {
  readonly rawRef: string | null;
  readonly shotRef: string | null;
};

/** Any id that `listPages` gave, failed and skipped URLs included: those have no content. */
export async function getPage(db: Db, publicId: string): Promise<StoredPage | null> {
  const id = parsePageId(publicId);
  if (id === null) return null;
  const [row] = await db.orm
    .select()
    .from(runPages)
    .leftJoin(pages, eq(pages.id, runPages.pageId))
    .where(eq(runPages.id, id));
  if (!row) return null;
  const summary = toSummary(row.run_pages);
  const content = row.pages;
  if (!content)
    return { ...summary, markdown: null, text: null, links: [], chunks: [], metadata: {}, rawRef: null, shotRef: null };
  return {
    ...summary,
    markdown: content.markdown,
    text: content.text,
    rawRef: content.rawRef,
    shotRef: content.shotRef,
    // All were written by savePages, from values of these types.
    links: content.links as PageLink[],
    metadata: content.metadata as Record<string, unknown>,
    chunks: content.chunks.map((chunk) => ({
      ...chunk,
      id: `${content.id}.${chunk.id}`,
      headingPath: [...chunk.headingPath],
    })),
  };
}

export function toSummary(row: typeof runPages.$inferSelect): PageSummary {
  return {
    id: pageId(row.id),
    url: row.url,
    finalUrl: row.finalUrl,
    depth: row.depth,
    parentUrl: row.parentUrl,
    // Words and errors come only from the statements of this package.
    outcome: row.outcome as PageOutcome,
    httpStatus: row.httpStatus,
    contentType: row.contentType,
    title: row.title,
    language: row.language,
    bytes: row.bytes,
    elapsedMs: row.elapsedMs,
    rendered: row.rendered,
    change: row.change as PageSummary['change'],
    contentHash: row.contentHash,
    duplicateOf: row.duplicateOf === null ? null : pageId(row.duplicateOf),
    crawledAt: row.crawledAt.toISOString(),
    error: row.error as UrlError | null,
  };
}

/** A LIKE pattern for text that holds `part`, whose own % and _ mean themselves. */
export const containing = (part: string): string => `%${part.replaceAll('\u0000', '').replace(/[\\%_]/g, '\\$&')}%`;
