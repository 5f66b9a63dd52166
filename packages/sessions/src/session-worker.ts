/** Consumes sessions of one lane's queue: those of hosts for `fetch`, those of hosts that a browser reads for `render`. */
import { EventEmitter } from 'node:events';
import type { BlobStore } from '@trawl/blobs';
import type { CrawlState } from '@trawl/crawl-state';
import type { Fetcher } from '@trawl/fetcher';
import { type Gate, listenForBlocks, type RobotsCache } from '@trawl/politeness';
import { consume, type Queues } from '@trawl/queues';
import type { Logger, Vault } from '@trawl/runtime';
import { createRulesCache } from '@trawl/url';
import type { Wakeups } from '@trawl/wakeups';
import type { Redis } from 'ioredis';
import type { FetchUrlDeps } from './fetch-url.ts';
import type { PastOf } from './past.ts';
import { createRequestBudget } from './request-budget.ts';
import { runSession } from './session.ts';
import type { SessionDeps } from './session-deps.ts';

export interface SessionWorkerDeps {
  readonly queue: 'fetch' | 'render';
  readonly redis: Redis;
  readonly prefix: string;
  readonly state: CrawlState;
  readonly gate: Gate;
  readonly robots: RobotsCache;
  readonly pastOf: PastOf;
  readonly vault: Vault;
  readonly canRender: () => Promise<boolean>;
  readonly queues: Queues;
  readonly wakeups: Wakeups;
  readonly fetcher: Fetcher;
  readonly browse?: NonNullable<FetchUrlDeps['browse']>;
  readonly blobs: BlobStore;
  readonly logger: Logger;
  readonly limits: {
    readonly sessions: number;
    readonly requests: number;
    readonly slowRequests: number;
    readonly sessionSlots: number;
    readonly inlineBodyBytes: number;
    readonly robotsMaxAgeMs: number;
  };
}

export interface SessionWorker {
  /** Hands back what is not started, and waits for what is. */
  close(): Promise<void>;
}

export function createSessionWorker(deps: SessionWorkerDeps): SessionWorker {
  const { queue, queues, logger, limits } = deps;
  const stopping = new AbortController();
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
    rulesOf: createRulesCache(),
    othersWait: async () => (await queues.waiting(queue)) > 0,
    stopping: stopping.signal,
  };
  const sessions = consume(queue, (job) => runSession(job, sessionDeps), {
    ...{ connection: deps.redis, prefix: deps.prefix, logger },
    concurrency: limits.sessions,
  });
  return {
    async close() {
      stopping.abort();
      await sessions.close();
      listener.close();
    },
  };
}
