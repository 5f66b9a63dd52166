/** What the roles that run sessions have in common: their settings, and the parts they are made of. Called by their mains only. */
import { setFlagsFromString } from 'node:v8';
import { openBlobStore } from '@trawl/blobs';
import { createCrawlState } from '@trawl/crawl-state';
import type { Db } from '@trawl/db';
import { createFetcher } from '@trawl/fetcher';
import { createGate, createRobotsCache } from '@trawl/politeness';
import { openQueues } from '@trawl/queues';
import { count, createVault, type RoleContext, requestEnv, sharedEnv } from '@trawl/runtime';
import { createWakeups } from '@trawl/wakeups';
import type { z } from 'zod';
import { createPasts } from './past.ts';
import type { SessionWorkerDeps } from './session-worker.ts';

export const sessionEnv = requestEnv.extend({
  BLOB_URL: sharedEnv.shape.BLOB_URL,
  /** A body that is larger than this, compressed, goes to the blob store instead of Redis. */
  INLINE_BODY_BYTES: count(0, 64 * 1024 * 1024).default(256 * 1024),
});

export interface SessionParts {
  readonly parts: Omit<SessionWorkerDeps, 'queue' | 'browse' | 'canRender' | 'limits'>;
  /** Once nobody uses them any more. */
  close(): Promise<void>;
}

export function openSessionParts(
  { env, redis, logger }: RoleContext<z.output<typeof sessionEnv>>,
  applicationName: string,
): SessionParts {
  collectEarly();
  const prefix = env.REDIS_PREFIX;
  const state = createCrawlState(redis, { prefix });
  const gate = createGate(redis, { prefix });
  const queues = openQueues(redis, { prefix });
  const fetcher = createFetcher({
    allowPrivateNetworks: env.ALLOW_PRIVATE_NETWORKS,
    ...(env.EXTRA_CA_FILE === undefined ? {} : { ca: [env.EXTRA_CA_FILE] }),
  });
  let db: Db | null = null;
  // Not before a run needs it: loading what speaks to Postgres takes memory that most workers never use.
  const pastOf = createPasts(async () => {
    const { knownPages, openDb } = await import('@trawl/db');
    const opened = openDb(env.DATABASE_URL, { max: 2, applicationName });
    db = opened;
    return { knownPages: (sourceId, pages, kept) => knownPages(opened, sourceId, pages, kept) };
  }, logger);
  return {
    parts: {
      ...{ redis, prefix, state, gate, queues, fetcher, pastOf, logger },
      robots: createRobotsCache(redis, { prefix }),
      vault: createVault(env.SECRET_KEY),
      wakeups: createWakeups({ queues, state, gate }),
      blobs: openBlobStore(env.BLOB_URL),
    },
    async close() {
      await queues.close();
      await fetcher.close();
      await db?.close();
    },
  };
}

/**
 * Pages pass through as long texts that outlive the young generation, and V8 lets these lie until the heap has doubled and more. Over a
 * thousand renders that is 230 to 380 MB, with this 210; the table of misbehaving servers takes a fetch worker to 286 MB at its first start,
 * when modules are compiled, with this to 220; CPU per page is the same within what measuring it wavers. Not among Node's arguments, since
 * NODE_OPTIONS, which containers have, takes no such one.
 */
function collectEarly(): void {
  setFlagsFromString('--heap-growing-percent=20');
}
