/** Settings of the process role. */
import { count, sharedEnv } from '@trawl/runtime';

export const processEnv = sharedEnv
  .pick({ REDIS_URL: true, REDIS_PREFIX: true, DATABASE_URL: true, LOG_LEVEL: true, BLOB_URL: true, HEALTH_FILE: true })
  .extend({
    /** Jobs at a time: one is parsed while others wait for Postgres. */
    PROCESS_JOBS: count(1, 64).default(3),
  });
