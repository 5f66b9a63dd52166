/** Adds a run, and a source where none is given. Does not start anything: the row is `pending` until someone picks it up. */
import { newSourceId, type RunId } from '@trawl/contracts';
import { and, eq, sql } from 'drizzle-orm';
import type { Db } from './db.ts';
import { toRunRow } from './run-row.ts';
import { isUnfinished } from './runs.ts';
import { runs, sources } from './schema.ts';
import type { InsertRunResult, NewRun } from './types.ts';

type Transaction = Parameters<Parameters<Db['orm']['transaction']>[0]>[0];

export interface RunToInsert extends NewRun {
  /** True: beside whatever run of the source is not finished. Otherwise the source decides, which says no unless it was told. */
  readonly overlap?: boolean | undefined;
}

export type RunInserted =
  | InsertRunResult
  /** A run of the source is not finished, and this one may not overlap with it. */
  | { readonly kind: 'in-progress'; readonly runId: RunId };

export function insertRun(db: Db, run: RunToInsert): Promise<RunInserted> {
  return db.orm.transaction(async (tx): Promise<RunInserted> => {
    const known = await findByKey(tx, run);
    if (known) return known;
    const sourceId = run.sourceId ?? (await insertSource(tx, run));
    const refused = run.sourceId === null ? null : await refusedBy(tx, run, run.sourceId);
    if (refused) return refused;
    const [row] = await tx
      .insert(runs)
      .values({
        id: run.id,
        sourceId,
        status: 'pending',
        config: run.config,
        idempotencyKey: run.idempotencyKey ?? null,
        requestHash: run.requestHash ?? null,
      })
      .onConflictDoNothing({ target: runs.idempotencyKey })
      .returning();
    if (row) return { kind: 'inserted', run: toRunRow(row) };
    // The same key came in at the same time and was first. The insert has waited for it, so it can be read now.
    if (run.sourceId === null) await tx.delete(sources).where(eq(sources.id, sourceId));
    const first = await findByKey(tx, run);
    if (!first) throw new Error(`run ${run.id} was neither added nor found by its idempotency key`);
    return first;
  });
}

/**
 * Adding runs to one source is done one after the other, or two could each find that there is no other. By a lock that is
 * only for this: one on the source's row would wait for finalizations, which hold it for as long as they take.
 */
async function refusedBy(tx: Transaction, run: RunToInsert, sourceId: string): Promise<RunInserted | null> {
  await tx.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended(${`add a run to ${sourceId}`}, 0))`);
  // Held until the end: a source must not go with its last run while the next one is being added.
  const [source] = await tx
    .select({ overlap: sources.overlap })
    .from(sources)
    .where(eq(sources.id, sourceId))
    .for('key share');
  if (!source) return { kind: 'no-source' };
  if (run.overlap === true || source.overlap) return null;
  // Again: the run that is in the way may be this very request, sent twice.
  const known = await findByKey(tx, run);
  if (known) return known;
  const [other] = await tx
    .select({ id: runs.id })
    .from(runs)
    .where(and(eq(runs.sourceId, sourceId), isUnfinished))
    .limit(1);
  // Ids were checked when they were written.
  return other ? { kind: 'in-progress', runId: other.id as RunId } : null;
}

async function findByKey(tx: Transaction, run: NewRun): Promise<InsertRunResult | null> {
  if (run.idempotencyKey === undefined) return null;
  const [row] = await tx.select().from(runs).where(eq(runs.idempotencyKey, run.idempotencyKey));
  if (!row) return null;
  return row.requestHash === (run.requestHash ?? null)
    ? { kind: 'exists', run: toRunRow(row) }
    : { kind: 'key-reused' };
}

async function insertSource(tx: Transaction, run: NewRun): Promise<string> {
  const { id, access } = run.newSource ?? { id: newSourceId(), access: null };
  const [firstUrl] = run.config.urls;
  if (firstUrl === undefined) throw new Error(`the configuration of run ${run.id} names no URL`);
  await tx.insert(sources).values({ id, name: new URL(firstUrl).host, access });
  return id;
}
