import { Redis } from 'ioredis';
import postgres from 'postgres';
import { describe, expect, it } from 'vitest';
import { testDatabase } from './postgres.ts';
import { startPrivateRedis, testPrefix, testRedis } from './redis.ts';
import { waitFor } from './wait.ts';

describe('the test Redis', () => {
  const redis = testRedis();

  it('answers, and prefixes are never the same', async () => {
    expect(await redis.ping()).toBe('PONG');
    expect(testPrefix()).not.toBe(testPrefix());
  });
});

describe('a test database', () => {
  it('is empty, its own, and gone once dropped', async () => {
    const one = await testDatabase();
    const two = await testDatabase();
    try {
      await one.sql`CREATE TABLE a (b int)`;
      expect(await two.sql`SELECT 1 FROM pg_tables WHERE schemaname = 'public'`).toHaveLength(0);
    } finally {
      await Promise.all([one.drop(), two.drop()]);
    }
    const late = postgres(one.url, { max: 1 });
    await expect(late`SELECT 1`).rejects.toThrow('does not exist');
    await late.end();
  });
});

describe('a private Redis', () => {
  it('keeps its data over a restart and a kill when durable', async () => {
    const server = await startPrivateRedis({ durable: true });
    const redis = new Redis(server.url, { maxRetriesPerRequest: null, retryStrategy: () => 10 });
    // The connection breaks on purpose; ioredis reports it and reconnects.
    redis.on('error', () => {});
    try {
      await redis.set('a', '1');
      await server.restart();
      expect(await redis.get('a')).toBe('1');
      await server.kill();
      await server.restart();
      expect(await redis.get('a')).toBe('1');
    } finally {
      redis.disconnect();
      await server.stop();
    }
  });

  it('comes back empty when not', async () => {
    const server = await startPrivateRedis();
    const redis = new Redis(server.url, { maxRetriesPerRequest: null, retryStrategy: () => 10 });
    redis.on('error', () => {});
    try {
      await redis.set('a', '1');
      await server.restart();
      expect(await redis.get('a')).toBeNull();
    } finally {
      redis.disconnect();
      await server.stop();
    }
  });
});

describe('waitFor', () => {
  it('returns what the probe found, and says what it waited for in vain', async () => {
    let calls = 0;
    expect(await waitFor(() => (++calls === 3 ? 'found' : null))).toBe('found');
    await expect(waitFor(() => false, { timeoutMs: 20, what: 'rain' })).rejects.toThrow('rain');
  });
});
