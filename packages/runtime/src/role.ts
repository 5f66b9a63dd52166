/**
 * The life of a role's process: checked environment, Redis, heartbeat, the role itself, and an end that loses nothing.
 * First signal: no new work, what is held is finished or handed back within 10 s. Second within 3 s: at once.
 */
import { type Role, TrawlError } from '@trawl/contracts';
import type { Redis } from 'ioredis';
import type { z } from 'zod';
import { readEnv, type sharedEnv } from './env.ts';
import { startHeartbeat } from './heartbeat.ts';
import { createLogger, type Logger } from './logger.ts';
import { connectRedis } from './redis.ts';

const GRACE_MS = 10_000;
const SECOND_SIGNAL_MS = 3000;

/** What every role is given. */
export interface RoleContext<Env> {
  readonly env: Env;
  readonly logger: Logger;
  readonly redis: Redis;
}

type BaseEnv = Pick<z.output<typeof sharedEnv>, 'REDIS_URL' | 'REDIS_PREFIX' | 'LOG_LEVEL' | 'HEALTH_FILE'>;

/** `start` returns what ends the role gracefully. Runs until a signal, or until the supervisor that started it is gone. */
export async function runRole<Env extends BaseEnv>(
  role: Role,
  schema: z.ZodType<Env>,
  start: (context: RoleContext<Env>) => Promise<() => Promise<void>>,
): Promise<void> {
  const env = await orOneLine(() => readEnv(schema));
  const logger = createLogger({ level: env.LOG_LEVEL, role });
  const redis = connectRedis(env.REDIS_URL, { logger });
  const stop = await orOneLine(() => start({ env, logger, redis }));
  const heartbeat = startHeartbeat(redis, role, { prefix: env.REDIS_PREFIX, logger, healthFile: env.HEALTH_FILE });
  logger.info('ready');

  let firstAt: number | null = null;
  const end = async (why: string): Promise<void> => {
    if (firstAt !== null) {
      if (Date.now() - firstAt < SECOND_SIGNAL_MS) process.exit(1);
      return;
    }
    firstAt = Date.now();
    logger.info({ why }, 'stopping');
    // What is not done by then stays leased and is healed elsewhere.
    setTimeout(() => {
      logger.warn('not done in time; stopping anyway');
      process.exit(1);
    }, GRACE_MS).unref();
    await stop();
    await heartbeat.stop();
    redis.disconnect();
    logger.info('stopped');
    process.exit(0);
  };
  const onEnd = (why: string) => () => {
    end(why).catch((error) => {
      logger.error({ err: error }, 'could not stop cleanly');
      process.exit(1);
    });
  };
  process.on('SIGINT', onEnd('SIGINT'));
  process.on('SIGTERM', onEnd('SIGTERM'));
  // Started by a supervisor: without it nobody would end this process.
  if (process.connected) process.on('disconnect', onEnd('the supervisor is gone'));
}

/** What a person can put right (a bad setting, a taken port) is one line, not a stack trace. */
async function orOneLine<T>(attempt: () => T | Promise<T>): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    if (!(error instanceof TrawlError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(2);
  }
}
