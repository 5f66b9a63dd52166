/**
 * What has become of a source's pages since a time, for whoever keeps a copy. Finalization gives all changes of a run one time,
 * later than that of every run before it and with the source held until it commits: so whoever has seen all up to a time misses
 * nothing, and a run that ends while a list is being read comes behind what was read.
 */
import type { SourceChange, SourceId } from '@trawl/contracts';
import { and, asc, desc, eq, gt, inArray, isNotNull, sql } from 'drizzle-orm';
import { changeCursor, pageId, parseChangeCursor } from './cursor.ts';
import type { Db } from './db.ts';
import { pages, runPages, runs } from './schema.ts';

export interface ListChangesOptions {
  readonly limit: number;
  readonly cursor?: string | undefined;
  /** Exclusive. Absent: from the beginning. */
  readonly since?: Date | undefined;
}

export type ListedChanges =
  | {
      readonly kind: 'listed';
      readonly items: readonly SourceChange[];
      readonly nextCursor: string | null;
      /** What has been told completely: up to the end at the end of the list, up to `since` before it. */
      readonly asOf: string | null;
    }
  | { readonly kind: 'bad-cursor' };

/** By time. A page that changed several times is listed once, as it is now and at its last change. */
export async function listChanges(db: Db, sourceId: SourceId, options: ListChangesOptions): Promise<ListedChanges> {
  const { limit, cursor, since } = options;
  const after = cursor === undefined ? undefined : parseChangeCursor(cursor);
  if (after === null) return { kind: 'bad-cursor' };
  const seen = db.orm
    .select({ id: runPages.id })
    .from(runPages)
    .where(and(eq(runPages.pageId, pages.id), eq(runPages.outcome, 'processed')))
    .orderBy(desc(runPages.id))
    .limit(1)
    .as('seen');
  const rows = await db.orm
    .select({
      id: pages.id,
      key: pages.key,
      url: pages.url,
      title: pages.title,
      contentHash: pages.contentHash,
      change: pages.change,
      changedAt: pages.changedAt,
      seenId: seen.id,
    })
    .from(pages)
    .leftJoinLateral(seen, sql`true`)
    .where(
      and(
        eq(pages.sourceId, sourceId),
        isNotNull(pages.changedAt),
        since === undefined ? undefined : gt(pages.changedAt, since),
        after && sql`(${pages.changedAt}, ${pages.id}) > (${after.changedAt.toISOString()}::timestamptz, ${after.id})`,
      ),
    )
    .orderBy(asc(pages.changedAt), asc(pages.id))
    .limit(limit + 1);
  const changes = rows.slice(0, limit).map(({ changedAt, change, ...row }) => {
    if (changedAt === null || change === null) throw new Error(`page ${row.id} has half a change`);
    // Written by finalization only, as one of these words.
    return { ...row, changedAt, change: change as SourceChange['change'] };
  });
  const last = changes.at(-1);
  const isEnd = rows.length <= limit;
  const end = last?.changedAt ?? after?.changedAt ?? since;
  const found = await runsThatEnded(db, sourceId, changes);
  return {
    kind: 'listed',
    items: changes.map(({ id: _id, seenId, changedAt, ...change }) => ({
      ...change,
      pageId: seenId === null ? null : pageId(seenId),
      runId: found.get(changedAt.getTime()) ?? null,
      changedAt: changedAt.toISOString(),
    })),
    nextCursor: last && !isEnd ? changeCursor({ changedAt: last.changedAt, id: last.id }) : null,
    asOf: (isEnd ? end : since)?.toISOString() ?? null,
  };
}

/** A run's changes have the time of its end. Missing: it has been deleted since. */
async function runsThatEnded(
  db: Db,
  sourceId: SourceId,
  changes: readonly { readonly changedAt: Date }[],
): Promise<ReadonlyMap<number, string>> {
  const times = [...new Map(changes.map(({ changedAt }) => [changedAt.getTime(), changedAt])).values()];
  if (times.length === 0) return new Map();
  const rows = await db.orm
    .select({ id: runs.id, finishedAt: runs.finishedAt })
    .from(runs)
    .where(and(eq(runs.sourceId, sourceId), inArray(runs.finishedAt, times)));
  return new Map(
    rows.flatMap(({ id, finishedAt }) => (finishedAt === null ? [] : [[finishedAt.getTime(), id] as const])),
  );
}
