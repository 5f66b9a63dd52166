/** Redis for tests: the shared one with a prefix of one's own, or a private one that may be killed and restarted. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedServer, startRedis } from '@trawl/embedded';
import { Redis } from 'ioredis';
import { afterAll, inject } from 'vitest';

/** What the global set-up hands to every test file. */
declare module 'vitest' {
  interface ProvidedContext {
    trawlRedisUrl: string;
    trawlDatabaseUrl: string;
  }
}

export interface PrivateRedis {
  /** The same over every restart. */
  readonly url: string;
  readonly pid: number;
  /** Stops it in good order and starts it again on the same port. Without `durable` it comes back empty. */
  restart(): Promise<void>;
  /** `kill -9`: what was not written to disk is lost. `restart()` brings it back. */
  kill(): Promise<void>;
  /** Ends it and removes its files. */
  stop(): Promise<void>;
}

export function testRedisUrl(): string {
  return inject('trawlRedisUrl');
}

/** A client on the test Redis, closed after the test file. Call it in a file's or a `describe`'s body. */
export function testRedis(): Redis {
  // Null: a test that restarts Redis waits for it rather than failing at the twentieth attempt.
  const redis = new Redis(testRedisUrl(), { maxRetriesPerRequest: null });
  afterAll(() => redis.disconnect());
  return redis;
}

/** For keys, and for BullMQ's `prefix`. Tests share a Redis, so none may use another's. */
export function testPrefix(): string {
  return `t${randomBytes(8).toString('hex')}`;
}

/** For tests with background loops, which would otherwise see, or slow, the tests of others. */
export async function startPrivateRedis(options: { readonly durable?: boolean } = {}): Promise<PrivateRedis> {
  const dataDir = mkdtempSync(join(tmpdir(), `trawl-test-${process.pid}-`));
  const start = (port: number) => startRedis({ dataDir, port, durable: options.durable ?? false });
  const remove = () => rmSync(dataDir, { recursive: true, force: true });
  let server: EmbeddedServer;
  try {
    server = await start(0);
  } catch (error) {
    remove();
    throw error;
  }
  const { url } = server;
  return {
    url,
    get pid() {
      return server.pid;
    },
    restart: async () => {
      await server.stop();
      server = await start(Number(new URL(url).port));
    },
    kill: async () => {
      process.kill(server.pid, 'SIGKILL');
      await server.exited;
    },
    stop: async () => {
      await server.stop();
      remove();
    },
  };
}
