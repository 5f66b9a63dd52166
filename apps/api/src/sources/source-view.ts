/** A source as clients see it. */
import { isFinal, type Source, type SourceSummary } from '@trawl/contracts';
import { type DescribedSource, describeSource, type ListedSource, type SourceRow } from '@trawl/db';
import type { ApiDeps } from '../deps.ts';
import { statusOf } from '../runs/progress-view.ts';
import { nextRunAt } from './schedule.ts';

export async function sourceSummaryView(deps: Pick<ApiDeps, 'state'>, source: ListedSource): Promise<SourceSummary> {
  const { id, name, schedule, timezone, overlap, lastRun, createdAt, updatedAt } = source;
  // Its row's status may lag a moment behind Redis.
  const live = lastRun === null || isFinal(lastRun.status) ? null : await deps.state.progress(lastRun.id);
  const self = `/v1/sources/${id}`;
  return {
    id,
    name,
    schedule,
    timezone,
    overlap,
    nextRunAt: nextRunAt(source),
    lastRun: lastRun && { ...lastRun, status: statusOf(lastRun, live) },
    createdAt,
    updatedAt,
    links: { self, runs: `${self}/runs`, pages: `${self}/pages`, changes: `${self}/changes` },
  };
}

export async function sourceView(deps: Pick<ApiDeps, 'state'>, source: DescribedSource): Promise<Source> {
  const { config, access, pages, gone } = source;
  return { ...(await sourceSummaryView(deps, source)), config, access: access?.summary ?? null, pages, gone };
}

/** Null where there is no such source (any more). */
export async function readSourceView(
  deps: Pick<ApiDeps, 'state' | 'db'>,
  { id }: Pick<SourceRow, 'id'>,
): Promise<Source | null> {
  const described = await describeSource(deps.db, id);
  return described && sourceView(deps, described);
}
