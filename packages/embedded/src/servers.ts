/** Starts the servers a supervisor has no URL for, both or neither. */
import { type PostgresOptions, startPostgres } from './postgres.ts';
import { type RedisOptions, startRedis } from './redis.ts';
import type { EmbeddedServer } from './server-process.ts';

export interface ServersOptions {
  readonly dataDir: string;
  /** Absent: no Redis of our own is wanted. */
  readonly redis?: Omit<RedisOptions, 'dataDir' | 'onNotice'>;
  /** Absent: no Postgres of our own is wanted. */
  readonly postgres?: Omit<PostgresOptions, 'dataDir' | 'onNotice'>;
  readonly onNotice?: (sentence: string) => void;
}

export interface EmbeddedServers {
  readonly redis: EmbeddedServer | null;
  readonly postgres: EmbeddedServer | null;
  stop(): Promise<void>;
}

export async function startServers(options: ServersOptions): Promise<EmbeddedServers> {
  const common = { dataDir: options.dataDir, ...(options.onNotice ? { onNotice: options.onNotice } : {}) };
  // Settled, not all: when one fails the other may still be on its way up, and would stay behind as an orphan.
  const [redis, postgres] = await Promise.allSettled([
    options.redis ? startRedis({ ...common, ...options.redis }) : null,
    options.postgres ? startPostgres({ ...common, ...options.postgres }) : null,
  ]);
  const stop = async () => {
    const started = [redis, postgres].flatMap((result) => (result.status === 'fulfilled' ? (result.value ?? []) : []));
    await Promise.all(started.map((server) => server.stop()));
  };
  if (redis.status === 'fulfilled' && postgres.status === 'fulfilled') {
    return { redis: redis.value, postgres: postgres.value, stop };
  }
  await stop();
  throw redis.status === 'rejected' ? redis.reason : (postgres as PromiseRejectedResult).reason;
}
