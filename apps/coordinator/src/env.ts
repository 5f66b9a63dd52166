/** Settings of the coordinator. */
import { checkEmbeddingsEnv, embeddingsEnv } from '@trawl/embeddings';
import { count, sharedEnv } from '@trawl/runtime';

export const coordinatorEnv = sharedEnv
  .pick({
    REDIS_URL: true,
    REDIS_PREFIX: true,
    DATABASE_URL: true,
    LOG_LEVEL: true,
    BLOB_URL: true,
    HEALTH_FILE: true,
    /** Of runs that a schedule starts. */
    USER_AGENT: true,
  })
  .extend({
    /** How often every run is looked after. */
    COORDINATOR_TICK_MS: count(100, 60_000).default(2000),
    /** How long what waits for a browser waits for a worker that has one. */
    RENDER_PATIENCE_SECONDS: count(1, 86_400).default(60),
    /** For how long the picture of a page that `POST /v1/crawl` took can be had. */
    SCREENSHOT_KEEP_HOURS: count(1, 87_600).default(24),
    /** Of what is indexed for search. */
    ...embeddingsEnv,
  })
  .superRefine(checkEmbeddingsEnv);
