/** The process role: fetched pages in, rows and links out. */
import { consume, type JobData } from '@trawl/queues';
import type { Redis } from 'ioredis';
import { createBatches } from './batches.ts';
import { type ProcessDeps, processPages } from './process-pages.ts';
import { relinkPage } from './relink-page.ts';

/** Past this, a larger batch saves little and delays the first page. */
const PAGES_PER_BATCH = 24;

export interface ProcessWorkerDeps extends ProcessDeps {
  readonly redis: Redis;
  readonly prefix: string;
  readonly limits: { jobs: number; batches: number };
}

export interface ProcessWorker {
  close(): Promise<void>;
}

export function createProcessWorker(deps: ProcessWorkerDeps): ProcessWorker {
  const batches = createBatches((runId, pages) => processPages(runId, pages, deps), {
    atOnce: deps.limits.batches,
    mostPages: PAGES_PER_BATCH,
  });
  const handle = (job: JobData<'process'>): Promise<void> =>
    'pages' in job ? batches.process(job.runId, job.pages) : relinkPage(job.runId, job.relink, deps);
  return consume('process', handle, {
    connection: deps.redis,
    prefix: deps.prefix,
    concurrency: deps.limits.jobs,
    logger: deps.logger,
  });
}
