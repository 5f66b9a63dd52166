import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { generateSite } from './generate-site.ts';
import { type FixtureSite, type SiteOptions, startSite } from './site.ts';
import { waitFor } from './wait.ts';

const open: FixtureSite[] = [];
const site = async (options: SiteOptions): Promise<FixtureSite> => {
  const started = await startSite(options);
  open.push(started);
  return started;
};
afterEach(async () => {
  await Promise.all(open.splice(0).map((s) => s.close()));
});

const get = (s: FixtureSite, path: string) => fetch(s.url(path), { redirect: 'manual' });

describe('a fixture site', () => {
  it('answers with the status, headers and body of a page, and 404 for what it does not have', async () => {
    const s = await site({
      pages: new Map([
        ['/', { body: 'home' }],
        ['/gone', { status: 410, headers: { 'x-why': 'moved out' }, body: 'gone' }],
        ['/old?a=1', { redirect: '/' }],
      ]),
    });
    const home = await get(s, '/');
    expect([home.status, home.headers.get('content-type'), await home.text()]).toEqual([
      200,
      'text/html; charset=utf-8',
      'home',
    ]);
    const gone = await get(s, '/gone');
    expect([gone.status, gone.headers.get('x-why'), await gone.text()]).toEqual([410, 'moved out', 'gone']);
    const old = await get(s, '/old?a=1');
    expect([old.status, old.headers.get('location')]).toEqual([302, '/']);
    expect((await get(s, '/nowhere')).status).toBe(404);
  });

  it('counts requests per path and keeps their headers in order of arrival', async () => {
    const s = await site({ pages: new Map([['/', { body: 'home' }]]) });
    await fetch(s.url('/'), { headers: { 'user-agent': 'first' } });
    await fetch(s.url('/'), { headers: { 'user-agent': 'second' } });
    expect(s.count('/')).toBe(2);
    expect(s.count('/other')).toBe(0);
    expect(s.requests().map((r) => r.headers['user-agent'])).toEqual(['first', 'second']);
    s.resetRecord();
    expect([s.count('/'), s.requests().length]).toEqual([0, 0]);
  });

  it('records how many requests were under way at once', async () => {
    const gate = Promise.withResolvers<void>();
    const s = await site({
      pages: async () => {
        await gate.promise;
        return { body: 'late' };
      },
    });
    const replies = [1, 2, 3].map((n) => get(s, `/${n}`));
    await waitFor(() => s.inFlight() === 3);
    gate.resolve();
    await Promise.all(replies.map(async (reply) => (await reply).text()));
    await waitFor(() => s.inFlight() === 0);
    await (await get(s, '/alone')).text();
    expect(s.maxInFlight()).toBe(3);
  });

  it('counts a request as over when its client goes away', async () => {
    const s = await site({ pages: () => new Promise(() => {}) });
    const abort = new AbortController();
    const reply = fetch(s.url('/'), { signal: abort.signal });
    await waitFor(() => s.inFlight() === 1);
    abort.abort();
    await expect(reply).rejects.toThrow();
    await waitFor(() => s.inFlight() === 0);
  });

  it('lets a handler answer differently at each attempt, and cut the connection', async () => {
    const s = await site({ pages: (_, attempt) => (attempt === 1 ? { hangUp: true } : { body: `try ${attempt}` }) });
    await expect(get(s, '/')).rejects.toThrow();
    expect(await (await get(s, '/')).text()).toBe('try 2');
  });

  it('waits before it answers a page with a delay', async () => {
    const s = await site({ pages: new Map([['/', { delayMs: 60, body: 'slow' }]]) });
    const before = performance.now();
    await (await get(s, '/')).text();
    expect(performance.now() - before).toBeGreaterThanOrEqual(59);
  });

  it('serves another host on another loopback address', async () => {
    const s = await site({ pages: new Map([['/', { body: 'two' }]]), host: '127.0.0.2' });
    expect(s.origin).toBe(`http://127.0.0.2:${s.port}`);
    expect(await (await get(s, '/')).text()).toBe('two');
  });

  it('closes idle and busy connections, and may be closed twice', async () => {
    const s = await site({ pages: () => new Promise(() => {}) });
    const socket = connect(s.port, s.host);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => {});
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    await waitFor(() => s.inFlight() === 1);
    await s.close();
    await closed;
    await s.close();
    await expect(get(s, '/')).rejects.toThrow();
  });
});

describe('a generated site', () => {
  const linksOf = (body: unknown): string[] => [...String(body).matchAll(/href="([^"]+)"/g)].map((m) => m[1] ?? '');
  const depths = (pages: ReturnType<typeof generateSite>): Map<string, number> => {
    const depthOf = new Map([['/', 0]]);
    for (const [path, depth] of depthOf) {
      for (const to of linksOf(pages.get(path)?.body)) if (!depthOf.has(to)) depthOf.set(to, depth + 1);
    }
    return depthOf;
  };

  it.each([1, 2, 7, 100, 1000])('of %i pages has all of them reachable from /, and no dead link', (count) => {
    const pages = generateSite({ pages: count });
    expect(pages.size).toBe(count);
    expect(new Set(depths(pages).keys())).toEqual(new Set(pages.keys()));
  });

  it('is the same for the same seed and another for another', () => {
    const bodies = (seed: number) => JSON.stringify([...generateSite({ pages: 60, seed })]);
    expect(bodies(3)).toBe(bodies(3));
    expect(bodies(3)).not.toBe(bodies(4));
  });

  it('has a deep chain and hub pages', () => {
    const pages = generateSite({ pages: 500 });
    expect(Math.max(...depths(pages).values())).toBeGreaterThanOrEqual(100);
    expect(Math.max(...[...pages.values()].map((p) => linksOf(p.body).length))).toBeGreaterThan(30);
  });
});
