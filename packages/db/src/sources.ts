/** Reads sources. */
import type { RunId, RunStatus, SourceId } from '@trawl/contracts';
import { desc, eq, getTableColumns, isNotNull, sql } from 'drizzle-orm';
import { parseSourceCursor, sourceCursor } from './cursor.ts';
import type { Db } from './db.ts';
import { pages, runs, sources } from './schema.ts';
import { sourceFields, toSourceRow } from './source-row.ts';
import type { DescribedSource, LastRun, ListedSource, SourceRow } from './source-types.ts';
import type { Listed } from './types.ts';

export async function getSource(db: Db, sourceId: SourceId): Promise<SourceRow | null> {
  const [row] = await db.orm.select().from(sources).where(eq(sources.id, sourceId));
  return row ? toSourceRow(row) : null;
}

/** What the requests of its runs carry, sealed; null for nothing. */
export async function readSealedAccess(db: Db, sourceId: SourceId): Promise<string | null> {
  const [row] = await db.sql<{ sealed: string | null }[]>`
    SELECT access ->> 'sealed' AS sealed FROM sources WHERE id = ${sourceId}`;
  return row?.sealed ?? null;
}

/** With its newest run, and its pages counted. */
export async function describeSource(db: Db, sourceId: SourceId): Promise<DescribedSource | null> {
  const last = lastRunOf(db);
  const [row] = await db.orm.select().from(sources).leftJoinLateral(last, sql`true`).where(eq(sources.id, sourceId));
  if (!row) return null;
  // Counted apart: all of them can be counted in an index, and those that are gone are few.
  const [all, gone] = await Promise.all([
    db.orm.$count(pages, eq(pages.sourceId, sourceId)),
    db.orm.$count(pages, sql`${eq(pages.sourceId, sourceId)} AND ${isNotNull(pages.goneAt)}`),
  ]);
  return { ...toSourceRow(row.sources), lastRun: toLastRun(row.last_run), pages: Math.max(0, all - gone), gone };
}

/** Newest first. */
export async function listSources(
  db: Db,
  options: { readonly limit: number; readonly cursor?: string | undefined },
): Promise<Listed<ListedSource>> {
  const { limit, cursor } = options;
  const after = cursor === undefined ? undefined : parseSourceCursor(cursor);
  if (after === null) return { kind: 'bad-cursor' };
  const { config: _config, access: _access, ...shown } = getTableColumns(sources);
  const last = lastRunOf(db);
  const rows = await db.orm
    .select({
      source: shown,
      last: { id: last.id, status: last.status, createdAt: last.createdAt, finishedAt: last.finishedAt },
    })
    .from(sources)
    .leftJoinLateral(last, sql`true`)
    .where(
      after &&
        sql`(${sources.createdAt}, ${sources.id}) < (${after.createdAt.toISOString()}::timestamptz, ${after.id})`,
    )
    .orderBy(desc(sources.createdAt), desc(sources.id))
    .limit(limit + 1);
  const items = rows.slice(0, limit);
  const end = rows.length > limit ? items.at(-1)?.source : undefined;
  return {
    kind: 'listed',
    items: items.map(({ source, last }) => ({ ...sourceFields(source), lastRun: toLastRun(last) })),
    nextCursor: end ? sourceCursor({ createdAt: end.createdAt, id: end.id as SourceId }) : null,
  };
}

export interface ScheduledSource {
  readonly id: SourceId;
  readonly schedule: string;
  readonly timezone: string;
}

/** Every source that has a schedule, in no order. */
export async function scheduledSources(db: Db): Promise<readonly ScheduledSource[]> {
  const rows = await db.orm
    .select({ id: sources.id, schedule: sources.schedule, timezone: sources.timezone })
    .from(sources)
    .where(isNotNull(sources.schedule));
  return rows.flatMap(({ id, schedule, timezone }) =>
    schedule === null ? [] : [{ id: id as SourceId, schedule, timezone }],
  );
}

function lastRunOf(db: Db) {
  return db.orm
    .select({ id: runs.id, status: runs.status, createdAt: runs.createdAt, finishedAt: runs.finishedAt })
    .from(runs)
    .where(eq(runs.sourceId, sources.id))
    .orderBy(desc(runs.createdAt), desc(runs.id))
    .limit(1)
    .as('last_run');
}

type LastRunRow = Pick<typeof runs.$inferSelect, 'id' | 'status' | 'createdAt' | 'finishedAt'>;

function toLastRun(row: LastRunRow | null): LastRun | null {
  if (row === null) return null;
  return {
    id: row.id as RunId,
    // Written by the statements of this package only.
    status: row.status as RunStatus,
    createdAt: row.createdAt.toISOString(),
    finishedAt: row.finishedAt?.toISOString() ?? null,
  };
}
