import { openBlobStore } from '@trawl/blobs';
import { createCrawlState } from '@trawl/crawl-state';
import { openDb } from '@trawl/db';
import { createGate } from '@trawl/politeness';
import { openQueues } from '@trawl/queues';
import { runRole, watchBrowsers } from '@trawl/runtime';
import { createRulesCache } from '@trawl/url';
import { createWakeups } from '@trawl/wakeups';
import { processEnv } from './env.ts';
import { createKnownLinks } from './known-links.ts';
import { createProcessWorker } from './process-worker.ts';

await runRole('process', processEnv, async ({ env, logger, redis }) => {
  const prefix = env.REDIS_PREFIX;
  const state = createCrawlState(redis, { prefix });
  const queues = openQueues(redis, { prefix });
  const db = openDb(env.DATABASE_URL, { max: env.PROCESS_BATCHES + 1, applicationName: 'trawl-process' });
  const worker = createProcessWorker({
    redis,
    prefix,
    state,
    db,
    blobs: openBlobStore(env.BLOB_URL),
    wakeups: createWakeups({ queues, state, gate: createGate(redis, { prefix }) }),
    rulesOf: createRulesCache(),
    knownLinks: createKnownLinks(),
    canRender: watchBrowsers(redis, prefix),
    logger,
    limits: { jobs: env.PROCESS_JOBS, batches: env.PROCESS_BATCHES },
  });
  return async () => {
    await worker.close();
    await queues.close();
    await db.close();
  };
});
