/**
 * Moves a run's row along: pending → (discovering | running | paused …) → sealed as finalizing → final, the last by
 * `finalizeRun`. A sealed run takes no other status and no pages any more. Redis has the status that workers go by.
 */
import { isFinal, RUN_STATUSES, type RunId, type RunStatus } from '@trawl/contracts';
import { and, eq, inArray, isNull, sql } from 'drizzle-orm';
import type { Db } from './db.ts';
import { toRunRow } from './run-row.ts';
import { runs } from './schema.ts';
import type { RunRow } from './types.ts';

/** Only the first call for a pending run does anything. */
export async function markStarted(db: Db, runId: RunId, status: RunStatus): Promise<void> {
  await db.orm
    .update(runs)
    .set({ status, startedAt: sql`now()` })
    .where(and(eq(runs.id, runId), eq(runs.status, 'pending'), eq(runs.sealed, false)));
}

/** False where the run is sealed or does not exist. */
export async function setRunStatus(db: Db, runId: RunId, status: RunStatus): Promise<boolean> {
  const changed = await db.orm
    .update(runs)
    .set({ status })
    .where(and(eq(runs.id, runId), eq(runs.sealed, false)))
    .returning({ id: runs.id });
  return changed.length > 0;
}

/** Its end will never be written, since it is about to be deleted: nobody brings it back or waits for it any more. */
export async function abandonRun(db: Db, runId: RunId): Promise<void> {
  await db.orm
    .update(runs)
    .set({ status: 'cancelled' })
    .where(and(eq(runs.id, runId), isNull(runs.finishedAt)));
}

/**
 * Waits for saves of this run that are under way; once it returns, none can succeed. Repeatable.
 * FOR UPDATE is what makes it wait: the lock of a plain update does not exclude the one that `savePages` holds.
 */
export function sealRun(db: Db, runId: RunId): Promise<RunRow | null> {
  return db.orm.transaction(async (tx) => {
    const [locked] = await tx.select({ id: runs.id }).from(runs).where(eq(runs.id, runId)).for('update');
    if (!locked) return null;
    const [row] = await tx
      .update(runs)
      .set({
        sealed: true,
        status: sql`CASE WHEN ${inArray(runs.status, RUN_STATUSES.filter(isFinal))} THEN ${runs.status} ELSE 'finalizing' END`,
      })
      .where(eq(runs.id, runId))
      .returning();
    return row ? toRunRow(row) : null;
  });
}

/** Undoes a seal whose finalization can't be finished since Redis lost the run: it starts again. */
export async function reopenRun(db: Db, runId: RunId): Promise<void> {
  await db.orm
    .update(runs)
    .set({ sealed: false, status: 'pending' })
    .where(and(eq(runs.id, runId), isNull(runs.finishedAt)));
}
