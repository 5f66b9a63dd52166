/** The fetch role: sessions of HTTP requests, and the wake-ups that open hosts again. */
import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BlobStore } from '@trawl/blobs';
import type { CrawlState } from '@trawl/crawl-state';
import type { Fetcher } from '@trawl/fetcher';
import { type Gate, listenForBlocks, type RobotsCache } from '@trawl/politeness';
import { consume, type JobData, type Queues } from '@trawl/queues';
import type { Logger } from '@trawl/runtime';
import { createRulesCache } from '@trawl/url';
import type { Wakeups } from '@trawl/wakeups';
import type { Redis } from 'ioredis';
import type { PastOf } from './past.ts';
import { createRequestBudget } from './request-budget.ts';
import { runSession } from './session.ts';
import type { SessionDeps } from './session-loop.ts';

/** BullMQ's timers and Redis' clock differ by less than this. */
const SOON_MS = 1000;

export interface FetchWorkerDeps {
  readonly redis: Redis;
  readonly prefix: string;
  readonly state: CrawlState;
  readonly gate: Gate;
  readonly robots: RobotsCache;
  readonly pastOf: PastOf;
  readonly queues: Queues;
  readonly wakeups: Wakeups;
  readonly fetcher: Fetcher;
  readonly blobs: BlobStore;
  readonly logger: Logger;
  readonly limits: {
    sessions: number;
    requests: number;
    slowRequests: number;
    sessionSlots: number;
    inlineBodyBytes: number;
    robotsMaxAgeMs: number;
  };
}

export interface FetchWorker {
  close(): Promise<void>;
}

export function createFetchWorker(deps: FetchWorkerDeps): FetchWorker {
  const { state, gate, queues, wakeups, logger, limits } = deps;
  const stopping = new AbortController();
  const rulesOf = createRulesCache();
  const blocked = new EventEmitter().setMaxListeners(0);
  const listener = listenForBlocks(deps.redis, {
    prefix: deps.prefix,
    onBlocked: (host) => blocked.emit(`host ${host}`),
  });
  const sessionDeps: SessionDeps = {
    ...deps,
    inlineBodyBytes: limits.inlineBodyBytes,
    sessionSlots: limits.sessionSlots,
    robotsMaxAgeMs: limits.robotsMaxAgeMs,
    requests: createRequestBudget({ requests: limits.requests, slow: limits.slowRequests }),
    onBlocked: (host, told) => {
      blocked.on(`host ${host}`, told);
      return () => blocked.off(`host ${host}`, told);
    },
    rulesOf,
    othersWait: async () => (await queues.waiting('fetch')) > 0,
    stopping: stopping.signal,
  };
  const wake = async (job: JobData<'wake'>): Promise<void> => {
    if ('runId' in job) return wakeups.pay(job.runId, (await state.open(job.runId, job.host)).owed);
    let reply = await gate.peek(job.host);
    // A job that came a little early owes a wake with its own id, which BullMQ would ignore while it is active.
    while (reply.wakeInMs !== null && reply.wakeInMs < SOON_MS) {
      await sleep(reply.wakeInMs);
      reply = await gate.peek(job.host);
    }
    await wakeups.honour(job.host, reply);
  };
  const shared = { connection: deps.redis, prefix: deps.prefix, logger };
  const sessions = consume('fetch', (job) => runSession(job, sessionDeps), { ...shared, concurrency: limits.sessions });
  const wakes = consume('wake', wake, { ...shared, concurrency: 4 });
  return {
    async close() {
      stopping.abort();
      await Promise.all([sessions.close(), wakes.close()]);
      listener.close();
    },
  };
}
