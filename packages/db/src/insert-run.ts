/** Adds a run, and a source where none is given. Does not start anything: the row is `pending` until someone picks it up. */
import { newSourceId } from '@trawl/contracts';
import { eq } from 'drizzle-orm';
import type { Db } from './db.ts';
import { toRunRow } from './run-row.ts';
import { runs, sources } from './schema.ts';
import type { InsertRunResult, NewRun } from './types.ts';

type Transaction = Parameters<Parameters<Db['orm']['transaction']>[0]>[0];

export function insertRun(db: Db, run: NewRun): Promise<InsertRunResult> {
  return db.orm.transaction(async (tx): Promise<InsertRunResult> => {
    const known = await findByKey(tx, run);
    if (known) return known;
    const sourceId = run.sourceId ?? (await insertSource(tx, run));
    // Held until the end: a source must not go with its last run while the next one is being added.
    const source = await tx.select({ id: sources.id }).from(sources).where(eq(sources.id, sourceId)).for('key share');
    if (source.length === 0) return { kind: 'no-source' };
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

async function findByKey(tx: Transaction, run: NewRun): Promise<InsertRunResult | null> {
  if (run.idempotencyKey === undefined) return null;
  const [row] = await tx.select().from(runs).where(eq(runs.idempotencyKey, run.idempotencyKey));
  if (!row) return null;
  return row.requestHash === (run.requestHash ?? null)
    ? { kind: 'exists', run: toRunRow(row) }
    : { kind: 'key-reused' };
}

async function insertSource(tx: Transaction, run: NewRun): Promise<string> {
  const id = newSourceId();
  const [firstUrl] = run.config.urls;
  if (firstUrl === undefined) throw new Error(`the configuration of run ${run.id} names no URL`);
  await tx.insert(sources).values({ id, name: new URL(firstUrl).host });
  return id;
}
