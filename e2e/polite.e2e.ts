/** Hosts are treated as they ask, by all workers and all runs together; and whatever a host does, nothing is lost. */
import {
  type FixtureSite,
  generateSite,
  type SiteHandler,
  type SiteOptions,
  type SitePage,
  startSite,
  waitFor,
} from '@trawl/testing';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Cluster, type PageItem, startCluster } from './cluster.ts';
import { startStopwatchSite } from './stopwatch-site.ts';

/** Without sitemaps: what is counted here is pages. */
const deep = { maxDepth: 100_000, maxPages: 100_000, scope: 'host', sitemap: 'skip' } as const;
const links = (...paths: string[]): SitePage => ({
  body: `<title>t</title>${paths.map((path) => `<a href="${path}">x</a>`).join('')}`,
});
const processed = (items: readonly PageItem[]): string[] =>
  items
    .filter((item) => item.outcome === 'processed')
    .map((item) => item.url)
    .sort();

/** Tests that run side by side each have a hook of their own. */
type AtEnd = (close: () => Promise<void>) => void;

async function site(pages: SiteOptions['pages'], host: string, atEnd: AtEnd = onTestFinished): Promise<FixtureSite> {
  const started = await startSite({ pages, host });
  atEnd(() => started.close());
  return started;
}

/** Of each of five runs on a host with a delay: 300 requests take a minute, so in `npm test` there are fewer; `npm run test:long` has them all. */
const PER_RUN = process.env.TRAWL_LONG_TESTS ? 60 : 24;

/** All pages from one list, so that any number of workers has something to do at once. */
function flatSite(pages: number, o: { robots?: string; delayMs?: number; under?: string } = {}): Map<string, SitePage> {
  const { robots, delayMs = 0, under = '' } = o;
  const paths = Array.from({ length: pages - 1 }, (_, i) => `${under}/p${i}`);
  const page = (path: string): [string, SitePage] => [path, { body: `<title>${path}</title><p>${path}`, delayMs }];
  const site = new Map<string, SitePage>([[`${under}/`, links(...paths)], ...paths.map(page)]);
  if (robots !== undefined) site.set('/robots.txt', { body: robots, headers: { 'content-type': 'text/plain' } });
  return site;
}

/** A start page and robots.txt as they should be, and nothing but errors besides. */
const brokenBut =
  (start: SitePage): SiteHandler =>
  ({ path }) =>
    path === '/' ? start : path === '/robots.txt' ? undefined : { status: 503 };

/** Milliseconds between one and the next. */
function gaps(times: readonly number[]): number[] {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted.slice(1).map((time, i) => time - (sorted[i] ?? 0));
}

describe('ten fetch workers', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster({ roles: { api: 1, discover: 1, fetch: 10, process: 2, coordinator: 1 } });
  }, 120_000);
  afterAll(() => cluster?.stop());

  it('ask each of 50 hosts for its robots.txt once', async () => {
    const sites = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        site(flatSite(6, { robots: 'User-agent: *\nDisallow: /p1', delayMs: 5 }), `127.0.3.${i + 1}`),
      ),
    );
    const urls = sites.map((web) => web.url('/'));
    // Two runs on every host at the same time.
    const ids = await Promise.all([1, 2].map(() => cluster.startRun({ urls, ...deep })));
    for (const id of ids)
      expect(await cluster.finished(id)).toMatchObject({ status: 'completed', processed: 250, skipped: 50, failed: 0 });
    expect(sites.map((web) => web.robotsRequests().length)).toEqual(sites.map(() => 1));
    expect(sites.every((web) => web.count('/p1') === 0)).toBe(true);
  }, 60_000);

  it(`keep a 200 ms delay over ${5 * PER_RUN} requests of five runs, and a free host has its throughput all the same`, async () => {
    const folders = Array.from({ length: 5 }, (_, run) => `/r${run}/`);
    const robots = 'User-agent: *\nCrawl-delay: 0.2';
    const polite = await startStopwatchSite({ host: '127.0.2.1', robots, folders, pages: PER_RUN });
    onTestFinished(() => polite.close());
    // What limits it is its own slowness, not this machine: 8 at a time, 100 ms each.
    const FREE = 600;
    const free = await site(flatSite(FREE, { delayMs: 100 }), '127.0.2.2');
    const throughput = async (): Promise<number> => {
      free.resetRecord();
      const id = await cluster.startRun({ url: free.url('/'), ...deep });
      await cluster.finished(id);
      const times = free.requests().map((request) => request.startedAt);
      expect(times).toHaveLength(FREE);
      return ((times.length - 1) / (Math.max(...times) - Math.min(...times))) * 1000;
    };

    await throughput();
    const alone = await throughput();
    const runs = await Promise.all(
      folders.map((folder, i) =>
        cluster.startRun({ url: polite.url(folder), ...deep, scope: 'path', userAgent: `Bot${i}/1.0` }),
      ),
    );
    await waitFor(async () => (await polite.arrivals()).length >= 10, { timeoutMs: 20_000, what: 'the polite host' });
    const beside = await throughput();
    const { length: duringIt } = await polite.arrivals();
    const ends = await Promise.all(runs.map((id) => cluster.finished(id, { timeoutMs: 120_000 })));

    for (const end of ends)
      expect(end).toMatchObject({ status: 'completed', processed: PER_RUN, failed: 0, skipped: 0 });
    const arrivals = await polite.arrivals();
    const all = gaps(arrivals.map(({ at }) => at));
    const mean = all.reduce((sum, gap) => sum + gap, 0) / all.length;
    console.info(
      `${arrivals.length} requests, shortest gap ${Math.min(...all).toFixed(1)} ms, mean ${mean.toFixed(1)} ms; ` +
        `free host ${beside.toFixed(0)}/s beside it (${duringIt} requests), ${alone.toFixed(0)}/s alone: ${(beside / alone).toFixed(2)}`,
    );
    expect(arrivals.filter(({ path }) => path === '/robots.txt')).toHaveLength(1);
    expect(arrivals).toHaveLength(5 * PER_RUN + 1);
    expect(await polite.maxInFlight()).toBe(1);
    expect(Math.min(...all)).toBeGreaterThanOrEqual(200);
    expect(beside).toBeGreaterThanOrEqual(0.9 * alone);
  }, 240_000);
});

describe('a host', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    const roles = { api: 1, discover: 1, fetch: 2, process: 1, coordinator: 1 };
    // Fewer than what the slow hosts are asked for at once, so that requests wait for their place in a worker.
    cluster = await startCluster({ roles, env: { FETCH_REQUESTS: '64' } });
  }, 120_000);
  afterAll(() => cluster?.stop());

  it.concurrent('that answers 429 in windows is asked for nothing inside a block, and loses nothing', async ({
    onTestFinished: atEnd,
  }) => {
    const pages = generateSite({ pages: 300, seed: 3 });
    const refusals: { path: string; at: number; waitMs: number }[] = [];
    const began = performance.now();
    // Of every four seconds the first one and a half are closed; now as seconds, now as a date. 300 pages of 120 ms, eight at a
    // time, need more than the first two openings. One page is always closed.
    const handler: SiteHandler = ({ path, startedAt }) => {
      const page = pages.get(path);
      const isOpen = (startedAt - began) % 4000 > 1500;
      if (path === '/robots.txt' || (page && isOpen)) return page && { ...page, delayMs: 120 };
      const seconds = 2;
      refusals.push({ path, at: performance.now(), waitMs: seconds * 1000 });
      // A date has whole seconds, so it is at least so far ahead.
      const date = new Date(Math.ceil(Date.now() / 1000) * 1000 + seconds * 1000).toUTCString();
      return { status: 429, headers: { 'retry-after': refusals.length % 2 ? String(seconds) : date } };
    };
    const web = await site(handler, '127.0.4.1', atEnd);
    const id = await cluster.startRun({
      urls: [web.url('/'), web.url('/closed')],
      ...deep,
      maxRetries: 5,
      backoff: { circuitFailures: 100 },
    });
    const end = await cluster.finished(id, { timeoutMs: 110_000 });
    expect(end).toMatchObject({ status: 'completed', processed: 300, failed: 1, skipped: 0 });
    const rows = await cluster.pages(id);
    expect(processed(rows)).toEqual([...pages.keys()].map((path) => web.url(path)).sort());
    const closed = rows.find(({ error }) => error !== null);
    expect(closed).toMatchObject({ url: web.url('/closed'), error: { code: 'HTTP_429', attempts: 5 } });
    expect(web.count('/closed')).toBe(5);
    expect(web.requests()).toHaveLength(300 + refusals.length);
    expect(refusals.filter(({ path }) => path !== '/closed').length).toBeGreaterThanOrEqual(2);
    // Requests that were under way when the first refusal was answered are part of it; nothing starts after that.
    const inside = web
      .requests()
      .filter(({ startedAt }) => refusals.some(({ at, waitMs }) => startedAt > at + 100 && startedAt < at + waitMs));
    expect(inside.map(({ path }) => path)).toEqual([]);
  }, 120_000);

  it.concurrent('that is down for 20 s in the middle of a crawl still gives every page', async ({
    onTestFinished: atEnd,
  }) => {
    const pages = generateSite({ pages: 400, seed: 5 });
    const handler: SiteHandler = ({ path }) => {
      const page = pages.get(path);
      return page && { ...page, delayMs: 20 };
    };
    let web = await startSite({ pages: handler, host: '127.0.4.2' });
    const { port } = web;
    const id = await cluster.startRun({ url: web.url('/'), ...deep });
    await waitFor(async () => (await cluster.progress(id)).processed > 100, { timeoutMs: 30_000 });
    await web.close();
    await new Promise((resolve) => setTimeout(resolve, 20_000));
    const before = await cluster.progress(id);
    expect(before.status).toBe('running');
    web = await startSite({ pages: handler, host: '127.0.4.2', port });
    atEnd(() => web.close());
    const end = await cluster.finished(id, { timeoutMs: 90_000 });
    expect(end).toMatchObject({ status: 'completed', processed: 400, failed: 0, skipped: 0 });
    expect(processed(await cluster.pages(id))).toEqual([...pages.keys()].map((path) => web.url(path)).sort());
  }, 150_000);

  it.concurrent('whose robots.txt answers 503 is asked for no page until it recovers', async ({
    onTestFinished: atEnd,
  }) => {
    const began = performance.now();
    let recoveredAt = 0;
    const pages = flatSite(20);
    const web = await site(
      ({ path }) => {
        if (path !== '/robots.txt') return pages.get(path);
        if (performance.now() - began < 8000) return { status: 503 };
        recoveredAt ||= performance.now();
        return { body: 'User-agent: *\nDisallow: /p3' };
      },
      '127.0.4.3',
      atEnd,
    );
    const id = await cluster.startRun({ url: web.url('/'), ...deep });
    const why = await waitFor(
      async () => {
        const { body } = await cluster.request('GET', `/v1/runs/${id}/why`);
        const [host] = (body as { hosts: { lastFailure: string | null }[] }).hosts;
        return host?.lastFailure ? body : null;
      },
      { timeoutMs: 10_000, what: 'the reason to be told' },
    );
    expect(JSON.stringify(why)).toContain('robots.txt: HTTP_503');
    expect(await cluster.finished(id)).toMatchObject({ status: 'completed', processed: 19, skipped: 1, failed: 0 });
    expect(web.robotsRequests().length).toBeGreaterThan(1);
    expect(Math.min(...web.requests().map((request) => request.startedAt))).toBeGreaterThan(recoveredAt);
  }, 90_000);

  it.concurrent('that never comes back is given up, and the run ends and says why', async ({
    onTestFinished: atEnd,
  }) => {
    const web = await site(brokenBut(links('/a', '/b', '/c')), '127.0.4.4', atEnd);
    const id = await cluster.startRun({
      url: web.url('/'),
      ...deep,
      maxRetries: 100,
      maxHostDownSeconds: 6,
      backoff: { firstSeconds: 2 },
    });
    const end = await cluster.finished(id);
    expect(end).toMatchObject({ status: 'completed', processed: 1, failed: 3 });
    const codes = (await cluster.pages(id)).flatMap((page) => (page.error ? [page.error] : []));
    expect(codes.map(({ code }) => code)).toEqual(['HOST_UNAVAILABLE', 'HOST_UNAVAILABLE', 'HOST_UNAVAILABLE']);
    // What is said of each is what was really tried.
    const asked = ['/a', '/b', '/c'].map((path) => web.count(path)).reduce((sum, n) => sum + n, 0);
    expect(codes.reduce((sum, { attempts }) => sum + attempts, 0)).toBe(asked);
    const { body } = await cluster.request('GET', `/v1/runs/${id}/errors`);
    expect(body).toMatchObject({ total: 3, items: [{ code: 'HOST_UNAVAILABLE', host: '127.0.4.4', count: 3 }] });
  }, 90_000);

  it.concurrent('that fails for good is tried exactly maxRetries times per URL, with the policy’s waits', async ({
    onTestFinished: atEnd,
  }) => {
    const web = await site(brokenBut(links('/broken')), '127.0.4.5', atEnd);
    const id = await cluster.startRun({ url: web.url('/'), ...deep, policy: 'fast' });
    expect(await cluster.finished(id)).toMatchObject({ status: 'completed', processed: 1, failed: 1 });
    const page = (await cluster.pages(id)).find(({ error }) => error !== null);
    expect(page).toMatchObject({ httpStatus: 503, error: { code: 'HTTP_503', attempts: 3 } });
    expect(web.count('/broken')).toBe(3);
    const [first = 0, second = 0] = gaps(
      web
        .requests()
        .filter(({ path }) => path === '/broken')
        .map(({ startedAt }) => startedAt),
    );
    expect(first).toBeGreaterThanOrEqual(2000);
    expect(second).toBeGreaterThanOrEqual(4000);
  }, 60_000);

  it.concurrent('keeps what robots.txt, meta tags and headers say, each with its reason', async ({
    onTestFinished: atEnd,
  }) => {
    const web = await site(
      new Map<string, SitePage>([
        [
          '/robots.txt',
          { body: 'User-agent: *\nDisallow: /private\nAllow: /private/open\n\nUser-agent: other\nDisallow: /' },
        ],
        ['/', links('/private/a', '/private/open', '/noindex', '/nofollow', '/header', '/otherbot')],
        ['/private/open', links()],
        ['/noindex', { body: '<meta name=robots content=noindex><a href="/below-noindex">x</a>' }],
        ['/below-noindex', links()],
        ['/nofollow', { body: '<meta name=robots content=nofollow><a href="/never">x</a>' }],
        ['/header', { ...links('/never'), headers: { 'x-robots-tag': 'none' } }],
        ['/otherbot', { ...links(), headers: { 'x-robots-tag': 'otherbot: noindex' } }],
      ]),
      '127.0.4.6',
      atEnd,
    );
    const outcomes = async (options: object): Promise<Record<string, string>> => {
      const id = await cluster.startRun({ url: web.url('/'), ...deep, ...options });
      await cluster.finished(id);
      const rows = (await cluster.pages(id)).map((page): [string, string] => [
        new URL(page.url).pathname,
        page.error ? `${page.outcome} ${page.error.code} ${page.httpStatus}` : page.outcome,
      ]);
      return Object.fromEntries(rows.sort());
    };
    const kept = {
      '/': 'processed',
      '/below-noindex': 'processed',
      '/nofollow': 'processed',
      '/otherbot': 'processed',
      '/private/open': 'processed',
    };
    const unkept = { '/header': 'skipped ROBOTS_NOINDEX 200', '/noindex': 'skipped ROBOTS_NOINDEX 200' };
    const disallowed = { '/private/a': 'skipped ROBOTS_DISALLOWED -1' };
    expect(await outcomes({})).toEqual({ ...kept, ...unkept, ...disallowed });
    expect(await outcomes({ logSkipped: false })).toEqual({ ...kept, ...unkept });
    expect(web.count('/private/a')).toBe(0);
    const all = { ...kept, '/header': 'processed', '/noindex': 'processed', '/never': 'failed HTTP_404 404' };
    expect(await outcomes({ respectMetaRobots: false, respectXRobotsTag: false })).toEqual({ ...all, ...disallowed });
    expect((await outcomes({ respectRobots: false }))['/private/a']).toBe('failed HTTP_404 404');
    expect(await outcomes({ userAgent: 'other/2.0' })).toEqual({ '/': 'skipped ROBOTS_DISALLOWED -1' });
  }, 60_000);

  it('that is slow keeps no worker from another: forty slow hosts beside a free one', async () => {
    const slow = await Promise.all(
      Array.from({ length: 40 }, (_, i) => site(flatSite(9, { delayMs: 20_000 }), `127.0.5.${i + 1}`)),
    );
    const free = await site(flatSite(300, { delayMs: 20 }), '127.0.6.1');
    const held = await cluster.startRun({ urls: slow.map((web) => web.url('/')), ...deep });
    // Each of them gets eight requests that nobody answers for twenty seconds: 320 in all, of which 128 may be young at a time.
    await waitFor(() => slow.every((web) => web.inFlight() === 8), {
      timeoutMs: 30_000,
      what: () => `eight requests on each slow host; there are ${slow.map((web) => web.inFlight())}`,
    });
    const began = performance.now();
    const id = await cluster.startRun({ url: free.url('/'), ...deep });
    expect(await cluster.finished(id)).toMatchObject({ status: 'completed', processed: 300 });
    console.info(
      `300 pages in ${((performance.now() - began) / 1000).toFixed(1)} s while 320 requests waited elsewhere`,
    );
    expect(slow.every((web) => web.inFlight() === 8)).toBe(true);
    await cluster.request('POST', `/v1/runs/${held}/cancel`);
    await cluster.finished(held);
  }, 90_000);
});
