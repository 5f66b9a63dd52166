/** Every job there is: its queue, what it carries, and how BullMQ treats it. Payloads are checked on receipt. */
import { crawlTaskSchema, type RunId, type SourceId, type UrlKey } from '@trawl/contracts';
import type { JobsOptions, WorkerOptions } from 'bullmq';
import { z } from 'zod';

const runId = z.string().regex(/^run_[0-9a-z]{20}$/) as unknown as z.ZodType<RunId>;
const sourceId = z.string().regex(/^src_[0-9a-z]{20}$/) as unknown as z.ZodType<SourceId>;
const urlKey = z.string().min(1) as unknown as z.ZodType<UrlKey>;
const host = z.string().min(1);
const token = z.string().regex(/^\d+$/);

export const JOBS = {
  /** Start pages of a run. */
  discover: z.strictObject({ runId }),
  /** A session on one host for one run; which URLs, the frontier says. */
  fetch: z.strictObject({ runId, host, sid: token }),
  /** The same for a worker with a browser; `host` is a lane of it. */
  render: z.strictObject({ runId, host, sid: token }),
  /** A handful of fetched pages by reference; or a processed page whose links are sent again, from a smaller depth. */
  process: z.union([
    z.strictObject({ runId, pages: z.array(z.strictObject({ key: urlKey, token, body: z.string().min(1) })).min(1) }),
    z.strictObject({ runId, relink: z.strictObject({ key: urlKey, token, depth: z.int().min(0) }) }),
  ]),
  finalize: z.strictObject({ runId }),
  /** A host's gate opens, or a run's retry on it is due. */
  wake: z.union([z.strictObject({ host }), z.strictObject({ host, runId })]),
  /** One page, now; somebody waits for it (`crawls.ts`). */
  crawl: z.strictObject({
    request: crawlTaskSchema,
    /** What its requests carry, sealed. */
    access: z.string().nullable().default(null),
    userAgent: z.string(),
    /** The process that waits for it. */
    asker: z.string(),
    patienceMs: z.int(),
  }),
  /** A source's schedule says that a run is to start. Added by BullMQ's job schedulers only (`schedules.ts`). */
  schedule: z.strictObject({ sourceId }),
} as const;

export type JobName = keyof typeof JOBS;
export type JobData<N extends JobName> = z.output<(typeof JOBS)[N]>;

/** How many pages one process job carries at most. */
export const PAGES_PER_JOB = 16;

/** A job is a wake-up, not a record: what it was about is in the run's state. So it leaves no trace, and BullMQ never retries it. */
export const JOB_OPTIONS: JobsOptions = { attempts: 1, removeOnComplete: true, removeOnFail: { count: 100 } };

/**
 * Behind a tick of a schedule stands no lease: lost, it would be a day without a crawl. So it is the one job that BullMQ tries
 * again: after 1, 2, 4 … 256 s, eight minutes in all, in which Postgres may come back.
 */
export const TICK_OPTIONS = {
  ...JOB_OPTIONS,
  attempts: 10,
  backoff: { type: 'exponential', delay: 1000 },
} satisfies JobsOptions;

export const WORKER_OPTIONS = {
  lockDuration: 60_000,
  stalledInterval: 30_000,
  // A stalled job is delivered again however often its workers die: the lease behind it decides, not BullMQ.
  maxStalledCount: 100,
  removeOnComplete: { count: 0 },
  removeOnFail: { count: 100 },
} satisfies Partial<WorkerOptions>;

/**
 * A person waits for a crawl, and its place is one of a few: a worker that dies gives it up soon, and another has the rest of the time.
 * Ends are kept for a moment, for whoever missed being told.
 */
export const CRAWL_OPTIONS = {
  attempts: 1,
  removeOnComplete: { age: 60, count: 10_000 },
  removeOnFail: { age: 60, count: 10_000 },
} satisfies JobsOptions;

export const CRAWL_WORKER_OPTIONS = {
  lockDuration: 10_000,
  stalledInterval: 5000,
  maxStalledCount: 1,
} satisfies Partial<WorkerOptions>;
