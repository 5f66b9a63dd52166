/** The numbers of a run at one moment. Each is the size of a set; there are no counters that could go wrong. */
import type { FinalStatus, Refusal, RunId, RunStatus } from '@trawl/contracts';
import { list } from './owed.ts';
import { call, type StateContext, script } from './script.ts';

const lua = script('progress');

export interface RunProgress {
  readonly status: RunStatus;
  /** What a finalizing run will be. */
  readonly final: FinalStatus | null;
  readonly discovering: boolean;
  readonly maxPages: number;
  readonly queued: number;
  readonly fetched: number;
  readonly processed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly beyond: number;
  readonly currentDepth: number;
  readonly pagesPerSecond: number;
  readonly startedAt: Date;
  readonly updatedAt: Date;
  readonly refused: Partial<Record<Refusal, number>>;
  /** Pages a browser would have made more of, had there been one. */
  readonly unrendered: number;
  /** Pages that a browser had, and that were not at rest when they were taken. */
  readonly restless: number;
}

/** Null: Redis knows nothing of the run (not created yet, or finished long ago). */
export async function progress(context: StateContext, runId: RunId): Promise<RunProgress | null> {
  const r = await call(context, lua, runId);
  if ('over' in r) return null;
  const refused: Partial<Record<Refusal, number>> = {};
  const flat = list<string>(r.refused);
  for (let i = 0; i < flat.length; i += 2) refused[flat[i] as Refusal] = Number(flat[i + 1]);
  const processed = Number(r.processed);
  const seconds = Math.max(0.001, (Number(r.now) - Number(r.rateSince)) / 1000);
  return {
    status: r.status as RunStatus,
    final: (r.final as FinalStatus | undefined) ?? null,
    discovering: r.discovering === true,
    maxPages: Number(r.maxPages),
    queued: Number(r.queued),
    fetched: Number(r.fetched),
    processed,
    failed: Number(r.failed),
    skipped: Number(r.skipped),
    beyond: Number(r.beyond),
    currentDepth: Number(r.depth),
    pagesPerSecond: Math.round(((processed - Number(r.rateWas)) / seconds) * 10) / 10,
    startedAt: new Date(Number(r.startedAt)),
    updatedAt: new Date(Number(r.updatedAt)),
    refused,
    unrendered: Number(r.unrendered),
    restless: Number(r.restless),
  };
}
