/** The process role: fetched pages in, rows and links out. */
import { consume, type JobData } from '@trawl/queues';
import type { Redis } from 'ioredis';
import { type ProcessDeps, processPages } from './process-pages.ts';
import { relinkPage } from './relink-page.ts';

export interface ProcessWorkerDeps extends ProcessDeps {
  readonly redis: Redis;
  readonly prefix: string;
  readonly jobs: number;
}

export interface ProcessWorker {
  close(): Promise<void>;
}

export function createProcessWorker(deps: ProcessWorkerDeps): ProcessWorker {
  const handle = (job: JobData<'process'>): Promise<void> =>
    'pages' in job ? processPages(job.runId, job.pages, deps) : relinkPage(job.runId, job.relink, deps);
  return consume('process', handle, {
    connection: deps.redis,
    prefix: deps.prefix,
    concurrency: deps.jobs,
    logger: deps.logger,
  });
}
