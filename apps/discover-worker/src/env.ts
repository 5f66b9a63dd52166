/** Settings of the discover role. */
import { sharedEnv } from '@trawl/runtime';

export const discoverEnv = sharedEnv.pick({
  REDIS_URL: true,
  REDIS_PREFIX: true,
  DATABASE_URL: true,
  LOG_LEVEL: true,
  HEALTH_FILE: true,
});
