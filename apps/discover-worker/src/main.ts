import { createCrawlState } from '@trawl/crawl-state';
import { openDb } from '@trawl/db';
import { createGate } from '@trawl/politeness';
import { consume, openQueues } from '@trawl/queues';
import { runRole } from '@trawl/runtime';
import { createWakeups } from '@trawl/wakeups';
import { discoverRun } from './discover-run.ts';
import { discoverEnv } from './env.ts';

const CONCURRENCY = 8;

await runRole('discover', discoverEnv, async ({ env, logger, redis }) => {
  const prefix = env.REDIS_PREFIX;
  const state = createCrawlState(redis, { prefix });
  const queues = openQueues(redis, { prefix });
  const db = openDb(env.DATABASE_URL, { max: 2, applicationName: 'trawl-discover' });
  const wakeups = createWakeups({ queues, state, gate: createGate(redis, { prefix }) });
  const worker = consume('discover', ({ runId }) => discoverRun(runId, { state, db, wakeups, logger }), {
    connection: redis,
    prefix,
    concurrency: CONCURRENCY,
    logger,
  });
  return async () => {
    await worker.close();
    await queues.close();
    await db.close();
  };
});
