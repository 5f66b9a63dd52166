/** For tests: what a coordinator is given, on a Redis and a database of their own. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openBlobStore } from '@trawl/blobs';
import type { RunId } from '@trawl/contracts';
import { createCrawlState } from '@trawl/crawl-state';
import { migrate, openDb } from '@trawl/db';
import { createGate } from '@trawl/politeness';
import { openQueues } from '@trawl/queues';
import { connectRedis, createLogger } from '@trawl/runtime';
import { startPrivateRedis, testDatabase } from '@trawl/testing';
import { createWakeups } from '@trawl/wakeups';
import { finalizeRun } from './finalize-run.ts';

export type TestCoordinator = Awaited<ReturnType<typeof prepareCoordinator>>;

/** Starts no coordinator: a test starts as many as it wants. */
export async function prepareCoordinator() {
  const logger = createLogger({ level: 'silent', role: 'coordinator' });
  const [server, database] = await Promise.all([startPrivateRedis(), testDatabase()]);
  await migrate(database.url);
  const directory = mkdtempSync(join(tmpdir(), 'trawl-coordinator-'));
  const prefix = 'test:';
  const redis = connectRedis(server.url, { logger });
  const db = openDb(database.url);
  const queues = openQueues(redis, { prefix });
  const state = createCrawlState(redis, { prefix });
  const wakeups = createWakeups({ queues, state, gate: createGate(redis, { prefix }) });
  const blobs = openBlobStore(pathToFileURL(directory).href);
  return {
    server,
    redis,
    prefix,
    database,
    queues,
    deps: {
      ...{ state, db, wakeups, queues, logger, userAgent: 'Trawl/test' },
      /** There has never been a browser; whoever waits for one is patient. */
      browserlessMs: async () => 1000,
      renderPatienceMs: 60_000,
    },

    /** The whole end of a run, without its pages. */
    async end(runId: RunId): Promise<void> {
      await state.cancel(runId);
      await finalizeRun(runId, { state, db, blobs, logger });
    },

    async close(): Promise<void> {
      await queues.close();
      redis.disconnect();
      await db.close();
      await Promise.all([server.stop(), database.drop()]);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
