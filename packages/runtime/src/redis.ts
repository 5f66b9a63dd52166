/** Connections to Redis, of two tempers: workers wait for it to come back, requests of people fail fast. */
import { Redis } from 'ioredis';
import type { Logger } from './logger.ts';

export function connectRedis(url: string, o: { logger: Logger; failFast?: boolean }): Redis {
  const redis = new Redis(url, {
    // A worker's call outlives a restart of Redis: it is sent again, and every script may be called twice.
    ...(o.failFast
      ? { maxRetriesPerRequest: 1, connectTimeout: 2000, commandTimeout: 5000 }
      : { maxRetriesPerRequest: null, connectTimeout: 10_000 }),
    retryStrategy: (times) => Math.min(times * 50, 1000),
  });
  let down = false;
  redis.on('error', (error) => {
    // ioredis reports each try; one line per outage is enough.
    if (!down) o.logger.warn({ err: error }, 'Redis is out of reach; trying again');
    down = true;
  });
  redis.on('ready', () => {
    if (down) o.logger.info('Redis is back');
    down = false;
  });
  return redis;
}

/** By the clock that all processes share, in milliseconds. */
export async function redisNow(redis: Redis): Promise<number> {
  const [seconds = 0, micros = 0] = await redis.time();
  return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
}
