import { deletePassed, openBlobStore } from '@trawl/blobs';
import { createCrawlState } from '@trawl/crawl-state';
import { openDb } from '@trawl/db';
import { openEmbeddings } from '@trawl/embeddings';
import { createGate } from '@trawl/politeness';
import { consume, openQueues } from '@trawl/queues';
import { anyBrowser, runRole } from '@trawl/runtime';
import { createWakeups } from '@trawl/wakeups';
import { watchBrowserless } from './browserless.ts';
import { coordinatorEnv } from './env.ts';
import { finalizeRun } from './finalize-run.ts';
import { lookAfterRuns } from './look-after.ts';
import { startRounds } from './rounds.ts';
import { SCHEDULED_STARTS, startSchedules } from './start-schedules.ts';
import { SEARCH_CONNECTIONS, startSearch } from './start-search.ts';

const FINALIZATIONS = 4;
const PASSED_EVERY_MS = 60_000;

await runRole('coordinator', coordinatorEnv, async ({ env, logger, redis }) => {
  const prefix = env.REDIS_PREFIX;
  const state = createCrawlState(redis, { prefix });
  const queues = openQueues(redis, { prefix });
  const db = openDb(env.DATABASE_URL, {
    max: FINALIZATIONS + SCHEDULED_STARTS + SEARCH_CONNECTIONS + 2,
    applicationName: 'trawl-coordinator',
  });
  const blobs = openBlobStore(env.BLOB_URL);
  const wakeups = createWakeups({ queues, state, gate: createGate(redis, { prefix }) });
  const finalizer = consume('finalize', ({ runId }) => finalizeRun(runId, { state, db, blobs, logger }), {
    connection: redis,
    prefix,
    concurrency: FINALIZATIONS,
    logger,
  });
  const browserlessMs = watchBrowserless(() => anyBrowser(redis, prefix));
  const renderPatienceMs = env.RENDER_PATIENCE_SECONDS * 1000;
  const lookAfter = { state, db, wakeups, logger, browserlessMs, renderPatienceMs };
  const rounds = startRounds(() => lookAfterRuns(lookAfter), env.COORDINATOR_TICK_MS, logger);
  // With rounds of their own: neither must wait for the other, nor fail with it.
  const schedules = startSchedules(
    { state, db, wakeups, queues, logger, userAgent: env.USER_AGENT },
    { connection: redis, prefix },
  );
  const keepMs = env.SCREENSHOT_KEEP_HOURS * 3_600_000;
  const passing = startRounds(() => deletePassed(blobs, keepMs), PASSED_EVERY_MS, logger);
  const search = startSearch({ db, logger, embeddings: openEmbeddings(env) });
  return async () => {
    await Promise.all([rounds.stop(), schedules.stop(), search.stop(), passing.stop(), finalizer.close()]);
    await queues.close();
    await db.close();
  };
});
