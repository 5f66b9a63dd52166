/**
 * The life of a role's process: checked environment, Redis, heartbeat, the role itself, and an end that loses nothing.
 * First signal: no new work, what is held is finished or handed back within 10 s. Two within 3 s: at once.
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
/** Ctrl+C reaches a whole process group, and npm hands it on once more: copies of one signal, not a second one. */
const COPY_MS = 200;

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
  // Before anything is begun: without a listener a signal during the start would cut off the work the start took up.
  const wish = listenForEnd(logger);
  const stop = await orOneLine(() => start({ env, logger, redis }));
  const heartbeat = startHeartbeat(redis, role, { prefix: env.REDIS_PREFIX, logger, healthFile: env.HEALTH_FILE });
  logger.info('ready');

  const end = async (): Promise<void> => {
    await wish;
    await stop();
    await heartbeat.stop();
    redis.disconnect();
    logger.info('stopped');
    process.exit(0);
  };
  // Not awaited: a role runs beside whoever started it in this process.
  end().catch((error) => {
    logger.error({ err: error }, 'could not stop cleanly');
    process.exit(1);
  });
}

/** Resolves when the process should end gracefully; ends it where that takes too long, or is asked for twice. */
function listenForEnd(logger: Logger): Promise<void> {
  return new Promise((resolve) => {
    let isEnding = false;
    let lastSignalAt = -Infinity;
    const begin = (why: string): void => {
      if (isEnding) return;
      isEnding = true;
      logger.info({ why }, 'stopping');
      // What is not done by then stays leased and is healed elsewhere.
      setTimeout(() => {
        logger.warn('not done in time; stopping anyway');
        process.exit(1);
      }, GRACE_MS).unref();
      resolve();
    };
    const onSignal = (signal: NodeJS.Signals): void => {
      const now = performance.now();
      const sinceLast = now - lastSignalAt;
      if (sinceLast < COPY_MS) return;
      lastSignalAt = now;
      if (sinceLast < SECOND_SIGNAL_MS) {
        logger.warn('told twice; stopping at once');
        process.exit(1);
      }
      begin(signal);
    };
    process.on('SIGINT', onSignal);
    process.on('SIGTERM', onSignal);
    // Started by a supervisor: without it nobody would end this process. That it goes after its signal is no second signal.
    const onGone = (): void => begin('the supervisor is gone');
    if (process.connected) process.on('disconnect', onGone);
    // Undefined without a supervisor; false if it went while this process was loading.
    else if (process.connected === false) onGone();
  });
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
