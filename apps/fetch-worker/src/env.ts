/** Settings of the fetch role. */
import { count, robotsEnv, sharedEnv } from '@trawl/runtime';

export const fetchEnv = sharedEnv
  .pick({
    REDIS_URL: true,
    REDIS_PREFIX: true,
    DATABASE_URL: true,
    LOG_LEVEL: true,
    BLOB_URL: true,
    ALLOW_PRIVATE_NETWORKS: true,
    HEALTH_FILE: true,
  })
  .extend({
    /** Sessions this process runs at a time. */
    FETCH_SESSIONS: count(1, 1000).default(64),
    /** Requests this process has under way at a time, over all sessions. */
    FETCH_REQUESTS: count(1, 10_000).default(128),
    /** Besides those, requests that wait for their answer for more than two seconds. */
    FETCH_SLOW_REQUESTS: count(0, 100_000).default(1024),
    /** Requests of one session at a time; a host's own limit may be lower. */
    SESSION_SLOTS: count(1, 256).default(16),
    /** A body that is larger than this, compressed, goes to the blob store instead of Redis. */
    INLINE_BODY_BYTES: count(0, 64 * 1024 * 1024).default(256 * 1024),
    ...robotsEnv,
  });
