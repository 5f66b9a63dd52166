/** Sitemaps of real sites on loopback, through a real gate. Formats are extract's own tests; whole runs are in e2e. */

import { completeRunConfig, createRunSchema } from '@trawl/contracts';
import { createCrawlState } from '@trawl/crawl-state';
import { createFetcher } from '@trawl/fetcher';
import { createGate, createRobotsCache } from '@trawl/politeness';
import { openQueues } from '@trawl/queues';
import { createLogger } from '@trawl/runtime';
import { type FixtureSite, type SiteHandler, type SitePage, startSite, testPrefix, testRedis } from '@trawl/testing';
import { originOf, siteRobots } from '@trawl/turns';
import { createWakeups } from '@trawl/wakeups';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readSitemaps, type SitemapsRead } from './read-sitemaps.ts';
import { createReport } from './report.ts';

const redis = testRedis();
let hosts = 0;

async function site(pages: SiteHandler): Promise<FixtureSite> {
  const web = await startSite({ pages, host: `127.0.9.${++hosts}` });
  onTestFinished(() => web.close());
  return web;
}

function setUp(o: { options?: object; enough?: number } = {}) {
  const prefix = testPrefix();
  const state = createCrawlState(redis, { prefix });
  const gate = createGate(redis, { prefix });
  const queues = openQueues(redis, { prefix });
  const fetcher = createFetcher({ allowPrivateNetworks: true });
  onTestFinished(async () => {
    await fetcher.close();
    await queues.close();
  });
  const input = {
    url: 'http://a.test/',
    backoff: { firstSeconds: 0.1, circuitSeconds: 0 },
    maxHostDownSeconds: 2,
    ...o.options,
  };
  const taken: string[] = [];
  const report = createReport();
  const deps = {
    ...{ state, gate, fetcher, report, signal: new AbortController().signal },
    wakeups: createWakeups({ queues, state, gate }),
    robots: createRobotsCache(redis, { prefix }),
    robotsMaxAgeMs: 60_000,
    access: null,
    logger: createLogger({ level: 'silent', role: 'test' }),
    config: completeRunConfig(createRunSchema.parse(input), { userAgent: 'Trawl/test' }),
    take: async ({ entries }: { entries: readonly { url: string }[] }) => {
      taken.push(...entries.map(({ url }) => new URL(url).pathname));
      return taken.length < (o.enough ?? Number.POSITIVE_INFINITY);
    },
  };
  const read = async (origin: string, given: readonly string[] = []): Promise<SitemapsRead> =>
    readSitemaps({ origin, given, robots: await siteRobots(origin, deps) }, deps);
  return { deps, read, taken, report };
}

const urlset = (...paths: string[]): SitePage => ({
  body: `<urlset>${paths.map((path) => `<url><loc>${path}</loc></url>`).join('')}</urlset>`,
});
const index = (...paths: string[]): SitePage => ({
  body: `<sitemapindex>${paths.map((path) => `<sitemap><loc>${path}</loc></sitemap>`).join('')}</sitemapindex>`,
});

describe('the sitemaps of a site', () => {
  it('are those that robots.txt names, and no others', async () => {
    const web = await site(({ path }) =>
      path === '/robots.txt'
        ? { body: 'Sitemap: /one.xml\nSitemap: /two.xml' }
        : path.endsWith('.xml')
          ? urlset(`${path}-page`)
          : undefined,
    );
    const { read, taken } = setUp();
    expect(await read(web.origin)).toMatchObject({ from: 'robots', sitemaps: 2, entries: 2, complete: true });
    expect(taken).toEqual(['/one.xml-page', '/two.xml-page']);
    expect(web.sitemapRequests()).toEqual([]);
  });

  it('follow redirects, up to five', async () => {
    const web = await site(({ path }) => {
      const n = Number(/^\/r(\d+)$/.exec(path)?.[1]);
      if (path === '/robots.txt') return { body: 'Sitemap: /r5\nSitemap: /r16' };
      return n === 0 || n === 10 ? urlset('/found') : { redirect: `/r${n - 1}` };
    });
    const { read, taken, report } = setUp();
    expect(await read(web.origin)).toMatchObject({ complete: false, sitemaps: 2 });
    expect(taken).toEqual(['/found']);
    expect(report.result().problems.join()).toContain('it redirects too often');
  });

  it('are asked for again after an error that may pass', async () => {
    const web = await site(({ path }, attempt) =>
      path === '/robots.txt' ? { body: 'Sitemap: /map' } : attempt < 3 ? { status: 503 } : urlset('/a'),
    );
    const { read, taken } = setUp({ options: { maxHostDownSeconds: 30 } });
    expect(await read(web.origin)).toMatchObject({ complete: true });
    expect(taken).toEqual(['/a']);
    expect(web.count('/map')).toBe(3);
  });

  it('are given up, all of them, when their host stays down, and the report says so', async () => {
    const web = await site(({ path }) =>
      path === '/robots.txt'
        ? { body: Array.from({ length: 50 }, (_, i) => `Sitemap: /map${i}`).join('\n') }
        : { status: 503 },
    );
    const { read, report } = setUp();
    expect(await read(web.origin)).toMatchObject({ complete: false, entries: 0 });
    expect(web.requests().length).toBeLessThanOrEqual(6);
    expect(report.result()).toMatchObject({
      complete: false,
      problems: [expect.stringContaining('could not be read')],
    });
  });

  it('are read no further when the run has enough', async () => {
    const web = await site(({ path }) => {
      if (path === '/robots.txt') return { body: 'Sitemap: /index' };
      if (path === '/index') return index(...Array.from({ length: 30 }, (_, i) => `/map${i}`));
      return urlset(...Array.from({ length: 10 }, (_, i) => `${path}/${i}`));
    });
    const { read, taken } = setUp({ enough: 25 });
    expect(await read(web.origin)).toMatchObject({ complete: false });
    expect(taken).toHaveLength(30);
    expect(web.requests().map(({ path }) => path)).toEqual(['/index', '/map0', '/map1', '/map2']);
  });

  it('may be given by the run itself', async () => {
    const web = await site(({ path }) => (path === '/mine.txt' ? { body: 'http://a.test/x\n' } : undefined));
    const { read, taken } = setUp();
    expect(await read(web.origin, [web.url('/mine.txt')])).toMatchObject({ from: 'given', entries: 1 });
    expect(taken).toEqual(['/x']);
  });

  it('keep to the delay of their host', async () => {
    const web = await site(({ path }) =>
      path === '/robots.txt'
        ? { body: 'User-agent: *\nCrawl-delay: 0.2\nSitemap: /a\nSitemap: /b\nSitemap: /c' }
        : urlset('/x'),
    );
    const { read } = setUp();
    await read(web.origin);
    const times = [...web.robotsRequests(), ...web.requests()].map(({ startedAt }) => startedAt);
    const gaps = times.slice(1).map((time, i) => time - (times[i] ?? 0));
    expect(gaps).toHaveLength(3);
    // The first was asked for before any delay was known.
    expect(Math.min(...gaps.slice(1))).toBeGreaterThanOrEqual(195);
  });
});

describe('a bare host name', () => {
  it('is http where nobody speaks https, and its host is not blamed for it', async () => {
    const web = await site(() => undefined);
    const { deps } = setUp();
    expect(await originOf(`${web.host}:${web.port}`, deps)).toBe(web.origin);
    expect(await deps.gate.describe([web.host])).toMatchObject([{ failures: 0, blockedForMs: 0, slotsInUse: 0 }]);
  });
});
