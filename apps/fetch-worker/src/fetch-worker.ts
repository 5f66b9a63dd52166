/** The fetch role: sessions of HTTP requests, and the wake-ups that open hosts again. */
import type { BlobStore } from '@trawl/blobs';
import type { CrawlState } from '@trawl/crawl-state';
import type { Fetcher } from '@trawl/fetcher';
import type { Gate } from '@trawl/politeness';
import { consume, type JobData, type Queues } from '@trawl/queues';
import type { Logger } from '@trawl/runtime';
import { createRulesCache } from '@trawl/url';
import type { Wakeups } from '@trawl/wakeups';
import type { Redis } from 'ioredis';
import { createRequestBudget } from './request-budget.ts';
import { runSession, type SessionDeps } from './session.ts';

export interface FetchWorkerDeps {
  readonly redis: Redis;
  readonly prefix: string;
  readonly state: CrawlState;
  readonly gate: Gate;
  readonly queues: Queues;
  readonly wakeups: Wakeups;
  readonly fetcher: Fetcher;
  readonly blobs: BlobStore;
  readonly logger: Logger;
  readonly limits: { sessions: number; requests: number; sessionSlots: number; inlineBodyBytes: number };
}

export interface FetchWorker {
  close(): Promise<void>;
}

export function createFetchWorker(deps: FetchWorkerDeps): FetchWorker {
  const { state, gate, queues, wakeups, logger, limits } = deps;
  const stopping = new AbortController();
  const rulesOf = createRulesCache();
  const sessionDeps: SessionDeps = {
    ...deps,
    inlineBodyBytes: limits.inlineBodyBytes,
    sessionSlots: limits.sessionSlots,
    requests: createRequestBudget(limits.requests),
    rulesOf,
    othersWait: async () => (await queues.waiting('fetch')) > 0,
    stopping: stopping.signal,
  };
  const wake = async (job: JobData<'wake'>): Promise<void> => {
    if ('runId' in job) await wakeups.pay(job.runId, (await state.open(job.runId, job.host)).owed);
    else await wakeups.honour(job.host, await gate.peek(job.host));
  };
  const shared = { connection: deps.redis, prefix: deps.prefix, logger };
  const sessions = consume('fetch', (job) => runSession(job, sessionDeps), { ...shared, concurrency: limits.sessions });
  const wakes = consume('wake', wake, { ...shared, concurrency: 4 });
  return {
    async close() {
      stopping.abort();
      await Promise.all([sessions.close(), wakes.close()]);
    },
  };
}
