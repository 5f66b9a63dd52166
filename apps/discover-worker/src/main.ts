import { createCrawlState } from '@trawl/crawl-state';
import { openDb } from '@trawl/db';
import { createFetcher } from '@trawl/fetcher';
import { createGate, createRobotsCache } from '@trawl/politeness';
import { consume, openQueues } from '@trawl/queues';
import { createVault, runRole } from '@trawl/runtime';
import { createWakeups } from '@trawl/wakeups';
import { createPatience, type DiscoverDeps, discoverRun } from './discover-run.ts';
import { discoverEnv } from './env.ts';

await runRole('discover', discoverEnv, async ({ env, logger, redis }) => {
  const prefix = env.REDIS_PREFIX;
  const state = createCrawlState(redis, { prefix });
  const queues = openQueues(redis, { prefix });
  const db = openDb(env.DATABASE_URL, { max: 4, applicationName: 'trawl-discover' });
  const gate = createGate(redis, { prefix });
  const wakeups = createWakeups({ queues, state, gate });
  const fetcher = createFetcher({
    allowPrivateNetworks: env.ALLOW_PRIVATE_NETWORKS,
    ...(env.EXTRA_CA_FILE === undefined ? {} : { ca: [env.EXTRA_CA_FILE] }),
  });
  const stopping = new AbortController();
  const deps: DiscoverDeps = {
    ...{ state, db, gate, wakeups, fetcher, logger, stopping: stopping.signal },
    vault: createVault(env.SECRET_KEY),
    isHopeless: createPatience(),
    robots: createRobotsCache(redis, { prefix }),
    robotsMaxAgeMs: env.ROBOTS_MAX_AGE_SECONDS * 1000,
  };
  const worker = consume('discover', ({ runId }) => discoverRun(runId, deps), {
    connection: redis,
    prefix,
    concurrency: env.DISCOVERIES,
    logger,
  });
  return async () => {
    stopping.abort(new Error('the process stops'));
    await worker.close();
    await queues.close();
    await fetcher.close();
    await db.close();
  };
});
