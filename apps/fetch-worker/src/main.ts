import { openBlobStore } from '@trawl/blobs';
import { createCrawlState } from '@trawl/crawl-state';
import type { Db } from '@trawl/db';
import { createFetcher } from '@trawl/fetcher';
import { createGate, createRobotsCache } from '@trawl/politeness';
import { openQueues } from '@trawl/queues';
import { runRole, watchBrowsers } from '@trawl/runtime';
import { createPasts } from '@trawl/sessions';
import { createWakeups } from '@trawl/wakeups';
import { fetchEnv } from './env.ts';
import { createFetchWorker } from './fetch-worker.ts';

await runRole('fetch', fetchEnv, async ({ env, logger, redis }) => {
  const prefix = env.REDIS_PREFIX;
  const state = createCrawlState(redis, { prefix });
  const gate = createGate(redis, { prefix });
  const queues = openQueues(redis, { prefix });
  let db: Db | null = null;
  const fetcher = createFetcher({
    allowPrivateNetworks: env.ALLOW_PRIVATE_NETWORKS,
    ...(env.EXTRA_CA_FILE === undefined ? {} : { ca: [env.EXTRA_CA_FILE] }),
  });
  const worker = createFetchWorker({
    redis,
    prefix,
    state,
    gate,
    robots: createRobotsCache(redis, { prefix }),
    pastOf: createPasts(async () => {
      const { knownPages, openDb } = await import('@trawl/db');
      const opened = openDb(env.DATABASE_URL, { max: 2, applicationName: 'trawl-fetch' });
      db = opened;
      return { knownPages: (sourceId, pages, kept) => knownPages(opened, sourceId, pages, kept) };
    }, logger),
    canRender: watchBrowsers(redis, prefix),
    queues,
    wakeups: createWakeups({ queues, state, gate }),
    fetcher,
    blobs: openBlobStore(env.BLOB_URL),
    logger,
    limits: {
      sessions: env.FETCH_SESSIONS,
      requests: env.FETCH_REQUESTS,
      slowRequests: env.FETCH_SLOW_REQUESTS,
      sessionSlots: env.SESSION_SLOTS,
      inlineBodyBytes: env.INLINE_BODY_BYTES,
      robotsMaxAgeMs: env.ROBOTS_MAX_AGE_SECONDS * 1000,
    },
  });
  return async () => {
    await worker.close();
    await queues.close();
    await fetcher.close();
    await db?.close();
  };
});
