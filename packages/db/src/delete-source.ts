/** Takes a source out of the store, with its runs and pages. Keys and bodies of its runs are others' to remove. */
import type { RunId, SourceId } from '@trawl/contracts';
import { eq, sql } from 'drizzle-orm';
import type postgres from 'postgres';
import type { Db } from './db.ts';
import { runs } from './schema.ts';
import { forgetOwnSitemaps } from './sitemap-cache.ts';

/** Runs of a source, as far as their traces outside of Postgres go. */
export interface TracedRun {
  readonly id: RunId;
  readonly isFinished: boolean;
}

/** Those that are not over, and those that ended not long ago: of older ones nothing is left but rows. */
export async function tracedRuns(db: Db, sourceId: SourceId, withinMs: number): Promise<readonly TracedRun[]> {
  const rows = await db.orm
    .select({ id: runs.id, finishedAt: runs.finishedAt })
    .from(runs)
    .where(
      sql`${eq(runs.sourceId, sourceId)}
        AND (${runs.finishedAt} IS NULL OR ${runs.finishedAt} > now() - ${withinMs} * interval '1 millisecond')`,
    );
  return rows.map((row) => ({ id: row.id as RunId, isFinished: row.finishedAt !== null }));
}

/** A run that is added while the others are being locked makes it begin again; so many in a row means that something else is wrong. */
const MOST_TRIES = 20;

/**
 * The runs it took that were not finished, or null where there is no such source. Waits for saves and finalizations under way;
 * later ones find no run.
 */
export async function deleteSource(db: Db, sourceId: SourceId): Promise<readonly RunId[] | null> {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const result = await db.sql.begin((tx) => tryToDelete(tx, sourceId));
    if (result.kind !== 'again') return result.kind === 'deleted' ? result.unfinished : null;
  }
  throw new Error(`runs were added to source ${sourceId} faster than it could be deleted`);
}

/**
 * Runs first, then the source: the order in which saving, finalizing and deleting a run lock them. So a run that came in
 * between can't be locked any more (a save of it may hold it and wait for the source), and everything is let go.
 */
async function tryToDelete(tx: postgres.ISql, sourceId: SourceId): Promise<Tried> {
  const locked = await tx`SELECT id FROM runs WHERE source_id = ${sourceId} ORDER BY id FOR UPDATE`;
  const source = await tx`SELECT FROM sources WHERE id = ${sourceId} FOR UPDATE`;
  if (source.count === 0) return { kind: 'no-source' };
  // A statement of its own, so that it sees what was added while the last one waited. None is added from here on.
  const present = await tx<{ id: RunId; is_finished: boolean }[]>`
    SELECT id, finished_at IS NOT NULL AS is_finished FROM runs WHERE source_id = ${sourceId}`;
  if (present.length !== locked.length) return { kind: 'again' };
  // In this order nothing is left to cascade: row by row, it would ask of every page which rows refer to it.
  await tx`DELETE FROM run_pages USING runs WHERE runs.id = run_pages.run_id AND runs.source_id = ${sourceId}`;
  await tx`DELETE FROM pages WHERE source_id = ${sourceId}`;
  await tx`DELETE FROM runs WHERE source_id = ${sourceId}`;
  const [gone] = await tx<{ had_access: boolean }[]>`
    DELETE FROM sources WHERE id = ${sourceId} RETURNING access IS NOT NULL AS had_access`;
  if (gone?.had_access) await forgetOwnSitemaps(tx, sourceId);
  return { kind: 'deleted', unfinished: present.filter((run) => !run.is_finished).map((run) => run.id) };
}

type Tried =
  | { readonly kind: 'deleted'; readonly unfinished: readonly RunId[] }
  | { readonly kind: 'no-source' | 'again' };
