/**
 * Who brings a source's search index up to date: one at a time, by a lease in its row. The lease saves work twice done and no more;
 * what is written would be right with two at it as well.
 */
import { randomUUID } from 'node:crypto';
import type { SourceId } from '@trawl/contracts';
import type postgres from 'postgres';
import type { Db } from '../db.ts';

/** Renewed with every batch. A holder that died is followed after this long. */
const LEASE_SECONDS = 20;

export interface SearchLease {
  readonly sourceId: SourceId;
  readonly token: string;
  /** The end of the newest finished run, as it was before anything else was looked at. */
  readonly newestEnd: string | null;
}

/** Null: another has it, or there is no such source. */
export async function takeLease(db: Db, sourceId: SourceId): Promise<SearchLease | null> {
  const token = randomUUID();
  const [row] = await db.sql<{ newestEnd: string | null }[]>`
    INSERT INTO search_sources AS known (source_id, lease, leased_until)
    SELECT id, ${token}, now() + ${LEASE_SECONDS} * interval '1 second' FROM sources WHERE id = ${sourceId}
    ON CONFLICT (source_id) DO UPDATE SET lease = excluded.lease, leased_until = excluded.leased_until
    WHERE known.leased_until IS NULL OR known.leased_until < now()
    RETURNING (SELECT max(finished_at)::text FROM runs WHERE source_id = ${sourceId}) AS "newestEnd"`;
  return row ? { sourceId, token, newestEnd: row.newestEnd } : null;
}

/** False: it ran out and another took it. `changes`: something of the index is changed in this transaction. */
export async function renewLease(sql: postgres.ISql, lease: SearchLease, changes: boolean): Promise<boolean> {
  const renewed = await sql`
    UPDATE search_sources SET leased_until = now() + ${LEASE_SECONDS} * interval '1 second', version = version + ${changes ? 1 : 0}
    WHERE source_id = ${lease.sourceId} AND lease = ${lease.token}`;
  return renewed.count > 0;
}

export async function releaseLease(db: Db, lease: SearchLease): Promise<void> {
  await db.sql`
    UPDATE search_sources SET lease = NULL, leased_until = NULL
    WHERE source_id = ${lease.sourceId} AND lease = ${lease.token}`;
}
