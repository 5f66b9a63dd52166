/** Reads runs. Progress while a run lives is not here: Redis has it. */
import { FINAL_STATUSES, type RunId, type SourceId } from '@trawl/contracts';
import { and, asc, desc, eq, isNull, notInArray, sql } from 'drizzle-orm';
import { parseRunCursor, runCursor } from './cursor.ts';
import type { Db } from './db.ts';
import { toRunRow } from './run-row.ts';
import { runs } from './schema.ts';
import type { Listed, ListRunsOptions, RunRow } from './types.ts';

export async function getRun(db: Db, runId: RunId): Promise<RunRow | null> {
  const [row] = await db.orm.select().from(runs).where(eq(runs.id, runId));
  return row ? toRunRow(row) : null;
}

/** Newest first; of one source, where it is given. */
export async function listRuns(
  db: Db,
  options: ListRunsOptions & { readonly sourceId?: SourceId | undefined },
): Promise<Listed<RunRow>> {
  const { limit, cursor, status, sourceId } = options;
  const after = cursor === undefined ? undefined : parseRunCursor(cursor);
  if (after === null) return { kind: 'bad-cursor' };
  const rows = await db.orm
    .select()
    .from(runs)
    .where(
      and(
        sourceId === undefined ? undefined : eq(runs.sourceId, sourceId),
        status === undefined ? undefined : eq(runs.status, status),
        after && sql`(${runs.createdAt}, ${runs.id}) < (${after.createdAt.toISOString()}::timestamptz, ${after.id})`,
      ),
    )
    .orderBy(desc(runs.createdAt), desc(runs.id))
    .limit(limit + 1);
  const items = rows.slice(0, limit);
  const last = rows.length > limit ? items.at(-1) : undefined;
  return {
    kind: 'listed',
    items: items.map(toRunRow),
    nextCursor: last ? runCursor({ createdAt: last.createdAt, id: last.id as RunId }) : null,
  };
}

/** Not over. One with a final status and no end is being deleted: it must not be brought back, nor be waited for. */
export const isUnfinished = and(isNull(runs.finishedAt), notInArray(runs.status, [...FINAL_STATUSES]));

/**
 * Runs that are not over, oldest first: what a coordinator compares with Redis, which may have lost them or never heard of
 * them. Younger than a second is left out: its creator is just about to tell Redis.
 */
export async function unfinishedRuns(db: Db, limit = 1000): Promise<readonly RunRow[]> {
  const rows = await db.orm
    .select()
    .from(runs)
    .where(and(isUnfinished, sql`${runs.createdAt} < now() - interval '1 second'`))
    .orderBy(asc(runs.createdAt), asc(runs.id))
    .limit(limit);
  return rows.map(toRunRow);
}
