/** Settings of the discover role. */
import { count, robotsEnv, sharedEnv } from '@trawl/runtime';

export const discoverEnv = sharedEnv
  .pick({
    REDIS_URL: true,
    REDIS_PREFIX: true,
    DATABASE_URL: true,
    LOG_LEVEL: true,
    ALLOW_PRIVATE_NETWORKS: true,
    HEALTH_FILE: true,
  })
  .extend({
    /** Runs whose discovery this process has under way at a time. */
    DISCOVERIES: count(1, 1000).default(8),
    ...robotsEnv,
  });
