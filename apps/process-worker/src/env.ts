/** Settings of the process role. */
import { count, sharedEnv } from '@trawl/runtime';

export const processEnv = sharedEnv
  .pick({ REDIS_URL: true, REDIS_PREFIX: true, DATABASE_URL: true, LOG_LEVEL: true, BLOB_URL: true, HEALTH_FILE: true })
  .extend({
    /** Jobs a process holds at a time; those that wait together are worked on together. */
    PROCESS_JOBS: count(1, 64).default(8),
    /** Batches at a time: one is parsed while another waits for Postgres. */
    PROCESS_BATCHES: count(1, 16).default(2),
  });
