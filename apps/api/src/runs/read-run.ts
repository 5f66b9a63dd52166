/** Reads a run from both of its homes, in the order that never shows an end without its numbers. */
import { type Progress, parseRunId, type Run, type RunAccepted, type RunId, type RunSummary } from '@trawl/contracts';
import type { RunProgress } from '@trawl/crawl-state';
import { getRun, type RunRow } from '@trawl/db';
import type { ApiDeps } from '../deps.ts';
import { liveProgressView, progressView, statusOf } from './progress-view.ts';

export interface FoundRun {
  readonly row: RunRow;
  readonly live: RunProgress | null;
}

/** Null for an id no run has, including one no run could have. */
export async function findRun(deps: Pick<ApiDeps, 'state' | 'db'>, id: string): Promise<FoundRun | null> {
  const runId = parseRunId(id);
  if (runId === null) return null;
  // Redis first: if the run ends in between, its row has the final numbers by now, and the row wins.
  const live = await deps.state.progress(runId);
  const row = await getRun(deps.db, runId);
  return row === null ? null : { row, live };
}

/** Null where there is no such run. Of a run at work only Redis is asked. */
export async function findProgress(deps: Pick<ApiDeps, 'state' | 'db'>, id: string): Promise<Progress | null> {
  const runId = parseRunId(id);
  if (runId === null) return null;
  const live = await deps.state.progress(runId);
  if (live?.status === 'running' || live?.status === 'paused') return liveProgressView(runId, live);
  const row = await getRun(deps.db, runId);
  return row === null ? null : progressView(row, live);
}

export const noSuchRun = (id: string): string => `There is no run ${JSON.stringify(id.slice(0, 100))}.`;

export function runView({ row, live }: FoundRun): Run {
  return { ...commonView({ row, live }), discovery: row.discovery, config: row.config };
}

/** How many start URLs a list shows of each run. */
const SHOWN_URLS = 5;

export function runSummaryView({ row, live }: FoundRun): RunSummary {
  return {
    ...commonView({ row, live }),
    urls: row.config.urls.slice(0, SHOWN_URLS),
    urlCount: row.config.urls.length,
  };
}

export function runLinks(id: RunId): RunAccepted['links'] {
  const self = `/v1/runs/${id}`;
  return { self, progress: `${self}/progress`, pages: `${self}/pages`, events: `${self}/events` };
}

function commonView({ row, live }: FoundRun): Omit<Run, 'config' | 'discovery'> {
  return {
    id: row.id,
    sourceId: row.sourceId,
    status: statusOf(row, live),
    createdAt: row.createdAt,
    startedAt: row.startedAt ?? live?.startedAt.toISOString() ?? null,
    finishedAt: row.finishedAt,
    stats: row.stats,
    warnings: [...row.warnings],
    error: row.error,
    links: runLinks(row.id),
  };
}
