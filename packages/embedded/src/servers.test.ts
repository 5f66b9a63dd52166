import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import postgres from 'postgres';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startPostgres } from './postgres.ts';
import { startRedis } from './redis.ts';
import type { EmbeddedServer } from './server-process.ts';
import { startServers } from './servers.ts';

let dataDir: string;
const started: { stop(): Promise<void> }[] = [];
const kept = <T extends { stop(): Promise<void> }>(server: T): T => {
  started.push(server);
  return server;
};
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'trawl-servers-'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await Promise.all(started.splice(0).map((server) => server.stop()));
  rmSync(dataDir, { recursive: true, force: true });
});

const portOf = (server: EmbeddedServer) => Number(new URL(server.url).port);
const isAlive = (pid: number) => existsSync(`/proc/${pid}/cmdline`) && readFileSync(`/proc/${pid}/cmdline`).length > 0;
const killed = async (server: EmbeddedServer) => {
  process.kill(server.pid, 'SIGKILL');
  expect(await server.exited).toEqual({ code: null, signal: 'SIGKILL' });
};

async function inRedis<T>(server: EmbeddedServer, work: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(server.url);
  try {
    return await work(redis);
  } finally {
    redis.disconnect();
  }
}

async function inPostgres<T>(server: EmbeddedServer, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(server.url, { max: 1 });
  try {
    return await work(sql);
  } finally {
    await sql.end();
  }
}

describe('the embedded Redis', () => {
  it('runs with the settings a crawl needs', async () => {
    const server = kept(await startRedis({ dataDir, durable: true }));
    const config = await inRedis(server, (redis) => redis.config('GET', 'hz', 'maxmemory-policy', 'append*', 'bind'));
    expect(config).toEqual(
      expect.arrayContaining(['100', 'noeviction', 'appendonly', 'yes', 'appendfsync', 'everysec', '127.0.0.1']),
    );
  });

  it('keeps what it was told over a stop and a kill when durable', async () => {
    const first = kept(await startRedis({ dataDir, durable: true }));
    await inRedis(first, (redis) => redis.set('a', '1'));
    await first.stop();
    const second = kept(await startRedis({ dataDir, durable: true }));
    expect(await inRedis(second, (redis) => redis.get('a'))).toBe('1');
    await killed(second);
    const third = kept(await startRedis({ dataDir, durable: true }));
    expect(await inRedis(third, (redis) => redis.get('a'))).toBe('1');
  });

  it('is in a process group of its own, which Ctrl+C does not reach', async () => {
    const server = kept(await startRedis({ dataDir, durable: false }));
    const stat = readFileSync(`/proc/${server.pid}/stat`, 'utf8');
    expect(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]).toBe(String(server.pid));
  });

  it('is gone and forgotten once stopped, and may be stopped again', async () => {
    const server = kept(await startRedis({ dataDir, durable: false }));
    expect(readFileSync(join(dataDir, 'pids.json'), 'utf8')).toContain(`"pid": ${server.pid}`);
    await Promise.all([server.stop(), server.stop()]);
    await server.stop();
    expect(isAlive(server.pid)).toBe(false);
    expect(JSON.parse(readFileSync(join(dataDir, 'pids.json'), 'utf8'))).toEqual([]);
  });

  it('says so when there is none and no way to get one', async () => {
    vi.stubEnv('PATH', dataDir);
    await expect(startRedis({ dataDir, durable: false, cacheDir: join(dataDir, 'cache') })).rejects.toThrow(
      'Set REDIS_URL, or install redis-server',
    );
  });
});

describe('the embedded Postgres', () => {
  it('has the database trawl, keeps it over a kill, starts over a stale lock, and never runs as root', async () => {
    const first = kept(await startPostgres({ dataDir, durable: false }));
    expect(new URL(first.url).pathname).toBe('/trawl');
    expect(statSync(`/proc/${first.pid}`).uid).not.toBe(0);
    await inPostgres(first, async (sql) => {
      await sql`CREATE TABLE page (url text)`;
      await sql`CHECKPOINT`;
    });
    const lock = readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8');
    await first.stop();
    // The pid in the lock now belongs to a program that is no Postgres: this test.
    writeFileSync(join(dataDir, 'postgres/postmaster.pid'), lock.replace(/^\d+/, String(process.pid)));
    const second = kept(await startPostgres({ dataDir, durable: false }));
    await killed(second);
    const third = kept(await startPostgres({ dataDir, durable: false }));
    expect(await inPostgres(third, (sql) => sql`SELECT count(*)::int AS pages FROM page`)).toEqual([{ pages: 0 }]);
  });

  it('makes its data directory anew when an earlier start was interrupted in it', async () => {
    writeFileSync(join(dataDir, 'postgres.new'), 'half');
    const again = kept(await startPostgres({ dataDir, durable: false }));
    expect(await inPostgres(again, (sql) => sql`SELECT current_database() AS name`)).toEqual([{ name: 'trawl' }]);
    expect(readdirSync(dataDir)).not.toContain('postgres.new');
  });
});

describe('both servers', () => {
  it('start together on ports of their own', async () => {
    const servers = kept(await startServers({ dataDir, redis: { durable: false }, postgres: { durable: false } }));
    if (!servers.redis || !servers.postgres) throw new Error('one is missing');
    expect(portOf(servers.redis)).not.toBe(portOf(servers.postgres));
    await servers.stop();
    expect([isAlive(servers.redis.pid), isAlive(servers.postgres.pid)]).toEqual([false, false]);
  });

  it('leave nothing running when one fails, and name the port that is taken', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const address = other.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    try {
      await expect(
        startServers({ dataDir, redis: { durable: false }, postgres: { durable: false, port } }),
      ).rejects.toThrow(`Port ${port} is in use; give the embedded Postgres another port, or set DATABASE_URL`);
    } finally {
      await new Promise((resolve) => other.close(resolve));
    }
    expect(JSON.parse(readFileSync(join(dataDir, 'pids.json'), 'utf8'))).toEqual([]);
  });

  it('are not started when not wanted', async () => {
    const servers = kept(await startServers({ dataDir }));
    expect([servers.redis, servers.postgres]).toEqual([null, null]);
  });
});
