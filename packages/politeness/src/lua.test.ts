/** The scripts' headers say what is true: each script is there, described in full, and called with the keys it names. */
import { readdirSync, readFileSync } from 'node:fs';
import { type PrivateRedis, startPrivateRedis, testPrefix } from '@trawl/testing';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createGate } from './gate.ts';
import { createRobotsCache, type HostRobots, type RobotsCache } from './robots-cache.ts';
import type { Gate } from './types.ts';

const HOST = 'header.test';
const LUA = new URL('./lua/', import.meta.url);
const PARTS = ['host', 'line', 'pace', 'robots'];
const ORIGIN = `https://${HOST}`;
const LIMITS = { parallel: 1, delayMs: 0 };
const CALLS: Record<string, (gate: Gate, robots: HostRobots, cache: RobotsCache) => Promise<unknown>> = {
  'ask-robots': (_gate, robots) => robots.ask(ORIGIN),
  describe: (gate) => gate.describe([HOST]),
  'keep-robots': (_gate, robots) => robots.keep(ORIGIN, 'token', { kind: 'dropped' }),
  leave: (gate) => gate.leave(HOST, { runId: 'r', stamp: 1 }),
  peek: (gate) => gate.peek(HOST),
  'read-robots': (_gate, _robots, cache) => cache.read(HOST),
  renew: (gate) => gate.renew(HOST, { holder: 'h', keep: 1, sinceLastStartMs: null, outcomes: [], limits: LIMITS }),
  reserve: (gate) => gate.reserve(HOST, { runId: 'r', holder: 'h', want: 1, limits: LIMITS }),
};

describe('each script', () => {
  // A server of its own: what others send would be seen by the monitor too, and may come before the client is ready for it.
  let server: PrivateRedis;
  let redis: Redis;
  beforeAll(async () => {
    server = await startPrivateRedis();
    redis = new Redis(server.url);
    // The client's own first commands must be over: a monitor that sees them breaks.
    await redis.ping();
  });
  afterAll(async () => {
    redis.disconnect();
    await server.stop();
  });

  it('has a call in this test', () => {
    const scripts = readdirSync(LUA).map((file) => file.replace(/\.lua$/, ''));
    expect(scripts.sort()).toEqual([...Object.keys(CALLS), ...PARTS].sort());
  });

  it.each(Object.entries(CALLS))('%s is called with the keys and arguments its header names', async (name, call) => {
    const text = readFileSync(new URL(`${name}.lua`, LUA), 'utf8');
    const header = /^--\[\[ ([\w-]+): [\s\S]*? \]\]$/m.exec(text);
    expect(header?.[1]).toBe(name);
    const part = (from: string, to: string): string =>
      new RegExp(`^ {2}${from} +([\\s\\S]*?)(?=^ {2}${to} )`, 'm').exec(header?.[0] ?? '')?.[1] ?? '';
    expect(header?.[0]).toMatch(/^ {2}RETURNS {[\s\S]*^ {2}KEEPS [\s\S]*^ {2}COST [\s\S]*CLOCK /m);
    const numbered = (list: string) => [...list.matchAll(/(?:^|\| )(\d+) /gm)].map((match) => Number(match[1]));
    const keys = numbered(part('KEYS', 'ARGV'));
    const args = numbered(part('ARGV', 'RETURNS'));
    expect(keys).toEqual(keys.map((_, index) => index + 1));

    const options = { prefix: testPrefix() };
    const cache = createRobotsCache(redis, options);
    const robots = await cache.read(HOST);
    const sent = await commandsOf(() => call(createGate(redis, options), robots, cache));
    const [, , count, ...rest] = sent.find(([command]) => command === 'evalsha') ?? [];
    expect(Number(count)).toBe(keys.length);
    expect(rest.length - keys.length).toBe(args.length);
    for (const key of rest.slice(0, keys.length)) expect(key).toContain(`host:{${HOST}}:`);
  });

  /** What a call sends, as the server saw it. */
  async function commandsOf(act: () => Promise<unknown>): Promise<string[][]> {
    const monitor = await redis.monitor();
    const seen: string[][] = [];
    const marker = testPrefix();
    const marked = new Promise<void>((resolve) => {
      monitor.on('monitor', (_time: string, args: string[], source: string) => {
        if (args[1] === marker) resolve();
        else if (source !== 'lua' && args.some((arg) => arg.includes(HOST))) seen.push(args);
      });
    });
    try {
      await act();
      await redis.echo(marker);
      await marked;
    } finally {
      monitor.disconnect();
    }
    return seen.map(([command, ...args]) => [(command ?? '').toLowerCase(), ...args]);
  }
});
