import { Pool } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import { serve, serveRaw } from './loopback-server.ts';
import { createOriginPools, type OriginPools } from './origin-pools.ts';

let pools: OriginPools;
const acquire = (origin: string) => pools.acquire(origin, () => new Pool(origin, { connections: 2 }));
afterEach(() => pools.destroy());

/** One request through a pool; how it ends does not matter here. */
const use = (origin: string, cutOff: boolean): Promise<void> =>
  new Promise<void>((resolve) => {
    acquire(origin).dispatch(
      { path: '/', method: 'GET' },
      {
        onRequestStart() {},
        onResponseStart: (controller) => {
          if (cutOff) controller.abort(new Error('enough'));
        },
        onResponseData() {},
        onResponseEnd: () => resolve(),
        onResponseError: () => resolve(),
      },
    );
  }).finally(() => pools.release(origin));

describe('pools of origins', () => {
  it.each([
    ['answered', false, () => serve((_req, res) => res.end('ok'))],
    ['cut off', true, () => serve((_req, res) => res.end(Buffer.alloc(1_000_000)))],
    ['dropped', false, () => serveRaw((socket) => socket.destroy())],
  ] as const)('are given up after requests that were %s', async (_how, cutOff, start) => {
    await using site = await start();
    pools = createOriginPools(30);
    await Promise.all(Array.from({ length: 5 }, () => use(site.url, cutOff)));
    expect(pools.count()).toBe(1);
    await expect.poll(() => pools.count()).toBe(0);
  });

  it('are given up after refused connections', async () => {
    const site = await serve(() => {});
    await site[Symbol.asyncDispose]();
    pools = createOriginPools(30);
    await Promise.all(Array.from({ length: 5 }, () => use(site.url, false)));
    await expect.poll(() => pools.count()).toBe(0);
  });

  it('are kept while in use, however long', async () => {
    pools = createOriginPools(10);
    const used = acquire('http://used.test');
    acquire('http://unused.test');
    pools.release('http://unused.test');
    await expect.poll(() => pools.count()).toBe(1);
    expect(acquire('http://used.test')).toBe(used);
  });

  it('refuse to be released more often than acquired', () => {
    pools = createOriginPools(1000);
    expect(() => pools.release('http://never.test')).toThrow('released more often');
  });
});
