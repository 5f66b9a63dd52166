/** robots.txt for the fleet: asked for once, known to all, asked for again when it is old or its asker died. */
import { setTimeout as pass } from 'node:timers/promises';
import { testPrefix, testRedis, waitFor } from '@trawl/testing';
import { describe, expect, it } from 'vitest';
import { createRobotsCache, type HostRobots } from './robots-cache.ts';

const redis = testRedis();
const HOST = 'example.test';
const ORIGIN = `https://${HOST}`;
const DAY = 86_400_000;

/** Two processes that know nothing of each other but Redis. */
function twoWorkers() {
  const prefix = testPrefix();
  const cache = () => createRobotsCache(redis, { prefix });
  return { one: cache(), two: cache(), prefix };
}

async function tokenOf(robots: HostRobots, origin = ORIGIN): Promise<string> {
  const asked = await robots.ask(origin);
  if (asked.kind !== 'ask') throw new Error(`not to be asked for: ${asked.kind}`);
  return asked.token;
}

const found = (text: string, maxAgeMs = DAY) => ({ kind: 'found' as const, text, maxAgeMs });

describe('asking', () => {
  it('is for one of a hundred who find the file unknown', async () => {
    const { one, two } = twoWorkers();
    const asked = await Promise.all(
      Array.from({ length: 100 }, async (_, i) => (await (i % 2 ? one : two).read(HOST)).ask(ORIGIN)),
    );
    expect(asked.filter(({ kind }) => kind === 'ask')).toHaveLength(1);
    expect(asked.filter(({ kind }) => kind === 'busy')).toHaveLength(99);
  });

  it('tells all others what was found', async () => {
    const { one, two } = twoWorkers();
    const asker = await one.read(HOST);
    const waiting = await two.read(HOST);
    await asker.keep(ORIGIN, await tokenOf(asker), found('User-agent: *\nDisallow: /x'));
    expect(waiting.of(ORIGIN)).toBeNull();
    expect((await waiting.ask(ORIGIN)).kind).toBe('known');
    for (const robots of [asker, waiting, await two.read(HOST)]) {
      expect(robots.of(ORIGIN)?.forAgent('trawl').verdict(`${ORIGIN}/x`).allowed).toBe(false);
      expect(robots.of(ORIGIN)?.forAgent('trawl').verdict(`${ORIGIN}/y`).allowed).toBe(true);
    }
  });

  it('is free again when the asker died, and not while it renews', async () => {
    const { one, two, prefix } = twoWorkers();
    const asker = await one.read(HOST);
    const token = await tokenOf(asker);
    // As if eight seconds had passed.
    const key = `${prefix}host:{${HOST}}:robots`;
    const past = async () => {
      const entry = JSON.parse((await redis.hget(key, ORIGIN)) ?? '{}') as Record<string, unknown>;
      await redis.hset(key, ORIGIN, JSON.stringify({ ...entry, askedUntil: 1 }));
    };
    await past();
    await asker.renew(ORIGIN, token);
    expect((await (await two.read(HOST)).ask(ORIGIN)).kind).toBe('busy');
    await past();
    const other = await two.read(HOST);
    const taken = await tokenOf(other);
    // The first comes back late: what it found is not kept over the one who has the lease now.
    await asker.keep(ORIGIN, token, found('User-agent: *\nDisallow: /'));
    expect((await (await one.read(HOST)).ask(ORIGIN)).kind).toBe('busy');
    await other.keep(ORIGIN, taken, found(''));
    expect((await one.read(HOST)).of(ORIGIN)?.forAgent('trawl').verdict(`${ORIGIN}/x`).allowed).toBe(true);
  });

  it('starts again when the file is too old', async () => {
    const { one, two } = twoWorkers();
    const robots = await one.read(HOST);
    await robots.keep(ORIGIN, await tokenOf(robots), found('User-agent: *\nDisallow: /x', 30));
    expect((await two.read(HOST)).of(ORIGIN)).not.toBeNull();
    await waitFor(() => robots.of(ORIGIN) === null);
    expect((await two.read(HOST)).of(ORIGIN)).toBeNull();
    expect((await robots.ask(ORIGIN)).kind).toBe('ask');
  });

  it('may be dropped, so that the next one asks at once', async () => {
    const { one, two } = twoWorkers();
    const robots = await one.read(HOST);
    await robots.keep(ORIGIN, await tokenOf(robots), { kind: 'dropped' });
    expect(await (await two.read(HOST)).ask(ORIGIN)).toMatchObject({ kind: 'ask', failingForMs: 0, reason: null });
  });

  it('says since when and why the file is out of reach, until it is found', async () => {
    const { one } = twoWorkers();
    const robots = await one.read(HOST);
    await robots.keep(ORIGIN, await tokenOf(robots), { kind: 'failed', reason: 'HTTP_503' });
    await pass(20);
    await robots.keep(ORIGIN, await tokenOf(robots), { kind: 'failed', reason: 'TIMEOUT_HEADERS' });
    const asked = await robots.ask(ORIGIN);
    if (asked.kind !== 'ask') throw new Error(asked.kind);
    expect(asked.failingForMs).toBeGreaterThanOrEqual(20);
    expect(asked.reason).toBe('TIMEOUT_HEADERS');
    await robots.keep(ORIGIN, asked.token, found('', 1));
    await waitFor(async () => (await robots.ask(ORIGIN)).kind === 'ask');
  });
});

describe('a host', () => {
  it('has a file for each of its origins, and the longest of their delays', async () => {
    const { one, two } = twoWorkers();
    const robots = await one.read(HOST);
    const other = `http://${HOST}:8080`;
    await robots.keep(ORIGIN, await tokenOf(robots), found('User-agent: *\nCrawl-delay: 1'));
    expect(robots.crawlDelaySeconds('trawl')).toBe(1);
    await robots.keep(other, await tokenOf(robots, other), found('User-agent: trawl\nCrawl-delay: 2.5'));
    const read = await two.read(HOST);
    expect([read.crawlDelaySeconds('trawl'), read.crawlDelaySeconds('otherbot')]).toEqual([2.5, 1]);
    expect(read.of(`https://www.${HOST}`)).toBeNull();
  });

  it('is forgotten in Redis some time after its files are', async () => {
    const { one, prefix } = twoWorkers();
    const robots = await one.read(HOST);
    await robots.keep(ORIGIN, await tokenOf(robots), found('User-agent: *', DAY));
    for (const key of [`${prefix}host:{${HOST}}:robots`, `${prefix}host:{${HOST}}:robots-text`]) {
      expect(await redis.pttl(key)).toBeGreaterThan(DAY);
      expect(await redis.pttl(key)).toBeLessThanOrEqual(DAY + 3_600_000);
    }
  });
});
