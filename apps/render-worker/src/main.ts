import { openBlobStore } from '@trawl/blobs';
import { createCrawlState } from '@trawl/crawl-state';
import type { Db } from '@trawl/db';
import { createFetcher } from '@trawl/fetcher';
import { createGate, createRobotsCache } from '@trawl/politeness';
import { openQueues } from '@trawl/queues';
import { createRenderer, findBrowser } from '@trawl/renderer';
import { runRole } from '@trawl/runtime';
import { createPasts } from '@trawl/sessions';
import { createWakeups } from '@trawl/wakeups';
import { renderEnv } from './env.ts';
import { createRenderWorker } from './render-worker.ts';

await runRole('render', renderEnv, async ({ env, logger, redis }) => {
  const executablePath = env.BROWSER_PATH === 'none' ? null : findBrowser(env.BROWSER_PATH);
  if (executablePath === null)
    logger.info('there is no browser: pages that need one are kept as they are; BROWSER_PATH names one');
  const prefix = env.REDIS_PREFIX;
  const state = createCrawlState(redis, { prefix });
  const gate = createGate(redis, { prefix });
  const queues = openQueues(redis, { prefix });
  let db: Db | null = null;
  const fetcher = createFetcher({
    allowPrivateNetworks: env.ALLOW_PRIVATE_NETWORKS,
    ...(env.EXTRA_CA_FILE === undefined ? {} : { ca: [env.EXTRA_CA_FILE] }),
  });
  const renderer =
    executablePath === null
      ? null
      : createRenderer({
          executablePath,
          pages: env.RENDER_PAGES,
          ...(env.BROWSER_SANDBOX === undefined ? {} : { sandbox: env.BROWSER_SANDBOX }),
          allowPrivateNetworks: env.ALLOW_PRIVATE_NETWORKS,
          maxTransferBytes: env.RENDER_MAX_TRANSFER_BYTES,
          recycle: {
            pages: env.BROWSER_MAX_PAGES,
            ageMs: env.BROWSER_MAX_MINUTES * 60_000,
            memoryMb: env.BROWSER_MAX_MEMORY_MB,
          },
          onNotice: (sentence, context) => logger.info(context, sentence),
        });
  const worker = createRenderWorker({
    redis,
    prefix,
    state,
    gate,
    robots: createRobotsCache(redis, { prefix }),
    pastOf: createPasts(async () => {
      const { knownPages, openDb } = await import('@trawl/db');
      const opened = openDb(env.DATABASE_URL, { max: 2, applicationName: 'trawl-render' });
      db = opened;
      return { knownPages: (sourceId, pages, kept) => knownPages(opened, sourceId, pages, kept) };
    }, logger),
    queues,
    wakeups: createWakeups({ queues, state, gate }),
    fetcher,
    renderer,
    blobs: openBlobStore(env.BLOB_URL),
    logger,
    limits: {
      pages: env.RENDER_PAGES,
      inlineBodyBytes: env.INLINE_BODY_BYTES,
      robotsMaxAgeMs: env.ROBOTS_MAX_AGE_SECONDS * 1000,
    },
  });
  return async () => {
    await worker.close();
    await renderer?.close();
    await queues.close();
    await fetcher.close();
    await db?.close();
  };
});
