/** Adds a source of its own, and changes one. Its schedule is only written here: coordinators make the queue follow it. */
import { newSourceId, type SourceId } from '@trawl/contracts';
import { eq, sql } from 'drizzle-orm';
import type { Db } from './db.ts';
import { sources } from './schema.ts';
import { forgetOwnSitemaps } from './sitemap-cache.ts';
import { toSourceRow } from './source-row.ts';
import type { NewSource, SourcePatch, SourceRow } from './source-types.ts';
import { getSource } from './sources.ts';

export async function insertSource(db: Db, source: NewSource): Promise<SourceRow> {
  const [row] = await db.orm
    .insert(sources)
    .values({ ...source, id: source.id ?? newSourceId() })
    .returning();
  if (!row) throw new Error('the source was not added');
  return toSourceRow(row);
}

/** Null where there is no such source. */
export async function updateSource(db: Db, sourceId: SourceId, patch: SourcePatch): Promise<SourceRow | null> {
  const given = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined)) as SourcePatch;
  const before = await getSource(db, sourceId);
  if (Object.keys(given).length === 0) return before;
  // Let in by other means, or by none, it may be shown another site. Before the change: should this be all that is done, a cache is lost.
  if (given.access !== undefined && before?.access) await db.sql.begin((tx) => forgetOwnSitemaps(tx, sourceId));
  const [row] = await db.orm
    .update(sources)
    .set({ ...given, updatedAt: sql`now()` })
    .where(eq(sources.id, sourceId))
    .returning();
  return row ? toSourceRow(row) : null;
}
