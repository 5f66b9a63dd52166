/**
 * A run's status and numbers as clients see them: from Redis while it lives, from its row for good afterwards, in one
 * shape. Pure; who reads them is `read-run.ts`.
 */
import { isFinal, type Progress, type RunId, type RunStatus } from '@trawl/contracts';
import type { RunProgress } from '@trawl/crawl-state';
import type { RunRow } from '@trawl/db';

/** `live` must have been read before `row`: a run that ended in between then shows its row, numbers and all. */
export function statusOf(row: Pick<RunRow, 'status'>, live: RunProgress | null): RunStatus {
  if (isFinal(row.status) || live === null) return row.status;
  // The row gets its numbers before Redis says the run is over, so this is a row that was read too early.
  return isFinal(live.status) ? 'finalizing' : liveStatus(live);
}

const liveStatus = (live: RunProgress): RunStatus =>
  live.status === 'running' && live.discovering && live.processed === 0 ? 'discovering' : live.status;

/** Of a run that is at work, from Redis alone: what people watch costs Postgres nothing. */
export function liveProgressView(runId: RunId, live: RunProgress): Progress {
  return view(runId, liveStatus(live), liveNumbers(live), live.maxPages);
}

export function progressView(row: RunRow, live: RunProgress | null): Progress {
  const status = statusOf(row, live);
  const numbers = isFinal(status) || live === null ? storedNumbers(row) : liveNumbers(live);
  return view(row.id, status, numbers, row.config.maxPages);
}

function view(runId: RunId, status: RunStatus, numbers: Numbers, maxPages: number): Progress {
  const { queued, fetched, processed, failed, skipped } = numbers;
  const total = queued + fetched + processed + failed + skipped;
  return {
    runId,
    status,
    total,
    queued,
    fetched,
    processed,
    failed,
    skipped,
    inProgress: queued + fetched,
    percentComplete: percentOf(total, processed + failed + skipped, status),
    currentDepth: numbers.currentDepth,
    discoveredBeyondLimit: numbers.discoveredBeyondLimit,
    pagesPerSecond: numbers.pagesPerSecond,
    etaSeconds: etaOf(Math.min(queued + fetched, maxPages - processed), numbers.pagesPerSecond, status),
    startedAt: numbers.startedAt,
    updatedAt: numbers.updatedAt,
  };
}

type Numbers = Pick<
  Progress,
  | 'queued'
  | 'fetched'
  | 'processed'
  | 'failed'
  | 'skipped'
  | 'currentDepth'
  | 'discoveredBeyondLimit'
  | 'pagesPerSecond'
  | 'startedAt'
  | 'updatedAt'
>;

function liveNumbers(live: RunProgress): Numbers {
  return {
    ...live,
    discoveredBeyondLimit: live.beyond,
    startedAt: live.startedAt.toISOString(),
    updatedAt: live.updatedAt.toISOString(),
  };
}

/** A row without numbers is a run that Redis never saw: nothing was done. */
function storedNumbers(row: RunRow): Numbers {
  const startedAt = row.startedAt ?? row.createdAt;
  return {
    queued: row.stats?.queued ?? 0,
    fetched: row.stats?.fetched ?? 0,
    processed: row.stats?.processed ?? 0,
    failed: row.stats?.failed ?? 0,
    skipped: row.stats?.skipped ?? 0,
    currentDepth: row.stats?.currentDepth ?? 0,
    discoveredBeyondLimit: row.stats?.discoveredBeyondLimit ?? 0,
    pagesPerSecond: row.stats?.pagesPerSecond ?? 0,
    startedAt,
    updatedAt: row.finishedAt ?? startedAt,
  };
}

/** 100 only at the end: until then new links may still come in. */
function percentOf(total: number, done: number, status: RunStatus): number {
  if (total === 0) return 0;
  const percent = Math.floor((100 * done) / total);
  return isFinal(status) ? percent : Math.min(99, percent);
}

function etaOf(left: number, pagesPerSecond: number, status: RunStatus): number | null {
  if (isFinal(status) || status === 'finalizing') return 0;
  if (status !== 'running' || pagesPerSecond <= 0) return null;
  return Math.ceil(Math.max(0, left) / pagesPerSecond);
}
