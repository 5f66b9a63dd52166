/** The api role: opens what the API needs, listens, and closes in the reverse order. */
import { openBlobStore } from '@trawl/blobs';
import { createCrawlState } from '@trawl/crawl-state';
import { openDb } from '@trawl/db';
import { openEmbeddings } from '@trawl/embeddings';
import { createGate } from '@trawl/politeness';
import { openCrawls, openQueues } from '@trawl/queues';
import { anyBrowser, connectRedis, createVault, rolesSeen, runRole } from '@trawl/runtime';
import { createWakeups } from '@trawl/wakeups';
import { createApi } from './api.ts';
import { apiEnv } from './env.ts';
import { listen } from './listen.ts';

await runRole('api', apiEnv, async ({ env, logger }) => {
  const prefix = env.REDIS_PREFIX;
  // A person waits for each answer: better a 503 at once than one that comes when Redis is back.
  const redis = connectRedis(env.REDIS_URL, { logger, failFast: true });
  const db = openDb(env.DATABASE_URL, { applicationName: 'trawl api' });
  const queues = openQueues(redis, { prefix });
  const state = createCrawlState(redis, { prefix });
  const gate = createGate(redis, { prefix });
  const stopping = new AbortController();
  const embeddings = openEmbeddings(env);

  const crawls = await openCrawls(redis, { prefix, mostAtWork: env.MAX_CONCURRENT_CRAWLS });

  const api = createApi({
    state,
    db,
    gate,
    wakeups: createWakeups({ queues, state, gate }),
    blobs: openBlobStore(env.BLOB_URL),
    rolesSeen: () => rolesSeen(redis, prefix),
    anyBrowser: () => anyBrowser(redis, prefix),
    embeddings: embeddings ?? undefined,
    crawls,
    vault: createVault(env.SECRET_KEY),
    log: logger,
    settings: {
      apiKeys: env.API_KEYS,
      userAgent: env.USER_AGENT,
      allowPrivateNetworks: env.ALLOW_PRIVATE_NETWORKS,
      maxRequestBytes: env.MAX_REQUEST_BYTES,
      queueTimeoutMs: env.QUEUE_TIMEOUT * 1000,
    },
    stopping: stopping.signal,
  });
  const server = await listen(api, { host: env.HOST, port: env.PORT });
  logger.info({ host: env.HOST, port: server.port }, 'listening');

  return async () => {
    stopping.abort();
    await server.close();
    await embeddings?.close();
    await crawls.close();
    await queues.close();
    await db.close();
    redis.disconnect();
  };
});
