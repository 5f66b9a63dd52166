/** Which workers are alive: each says so every two seconds, by Redis' clock. Nothing but `/readyz` and health checks rely on it. */
import { randomBytes } from 'node:crypto';
import { utimes, writeFile } from 'node:fs/promises';
import { ROLES, type Role } from '@trawl/contracts';
import type { Redis } from 'ioredis';
import type { Logger } from './logger.ts';
import { redisNow } from './redis.ts';

/** Says, beside the roles, that a worker has a browser. */
export const BROWSER = 'browser';

const BEAT_MS = 2000;
const DEAD_AFTER_MS = 10_000;

const key = (prefix: string): string => `${prefix}workers:seen`;

export interface Heartbeat {
  stop(): Promise<void>;
}

export function startHeartbeat(
  redis: Redis,
  role: Role | typeof BROWSER,
  o: { prefix: string; logger: Logger; healthFile?: string | undefined },
): Heartbeat {
  const member = `${role}:${process.pid}:${randomBytes(4).toString('hex')}`;
  let beating = Promise.resolve();
  const beat = async (): Promise<void> => {
    try {
      const now = await redisNow(redis);
      await redis.zadd(key(o.prefix), now, member);
      await redis.zremrangebyscore(key(o.prefix), '-inf', now - 10 * DEAD_AFTER_MS);
      if (o.healthFile !== undefined) await touch(o.healthFile);
    } catch (error) {
      o.logger.warn({ err: error }, 'heartbeat failed');
    }
  };
  beating = beat();
  const timer = setInterval(() => {
    beating = beating.then(beat);
  }, BEAT_MS);
  return {
    async stop() {
      clearInterval(timer);
      await beating;
      await redis.zrem(key(o.prefix), member);
    },
  };
}

async function touch(file: string): Promise<void> {
  const now = new Date();
  await utimes(file, now, now).catch(() => writeFile(file, ''));
}

/** How many live workers of each role there are. */
export async function rolesSeen(redis: Redis, prefix: string): Promise<Record<Role, number>> {
  const members = await redis.zrangebyscore(key(prefix), (await redisNow(redis)) - DEAD_AFTER_MS, '+inf');
  const seen = Object.fromEntries(ROLES.map((role) => [role, 0])) as Record<Role, number>;
  for (const member of members) {
    const role = member.slice(0, member.indexOf(':')) as Role;
    if (role in seen) seen[role] += 1;
  }
  return seen;
}

/** Asked at every turn, so the answer is kept for a moment. */
const BROWSERS_FOR_MS = 2000;

/** Whether there is a live worker with a browser. False as well where Redis does not say. */
export function watchBrowsers(redis: Redis, prefix: string): () => Promise<boolean> {
  let askedAt = -Infinity;
  let answer = Promise.resolve(false);
  return () => {
    if (performance.now() - askedAt > BROWSERS_FOR_MS) {
      askedAt = performance.now();
      answer = anyBrowser(redis, prefix).catch(() => false);
    }
    return answer;
  };
}

/** Rejects where Redis is away. */
export async function anyBrowser(redis: Redis, prefix: string): Promise<boolean> {
  const members = await redis.zrangebyscore(key(prefix), (await redisNow(redis)) - DEAD_AFTER_MS, '+inf');
  return members.some((member) => member.startsWith(`${BROWSER}:`));
}
