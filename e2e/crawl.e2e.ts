/** Whole crawls with two processes of each role: the page set is the site's, exactly, and every number is true. */
import { type FixtureSite, generateSite, type SitePage, startSite, waitFor } from '@trawl/testing';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Cluster, type PageItem, type Progress, startCluster } from './cluster.ts';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({ roles: { api: 1, discover: 2, fetch: 2, process: 2, coordinator: 2 } });
}, 120_000);
afterAll(() => cluster?.stop());

async function site(pages: Parameters<typeof startSite>[0]['pages'], host?: string): Promise<FixtureSite> {
  const started = await startSite({ pages, ...(host === undefined ? {} : { host }) });
  onTestFinished(() => started.close());
  return started;
}

const deep = { maxDepth: 100_000, maxPages: 100_000 } as const;
const page = (...links: string[]): SitePage => ({
  body: `<title>t</title>${links.map((l) => `<a href="${l}">x</a>`).join('')}`,
});
const processed = (items: PageItem[]): string[] =>
  items
    .filter((i) => i.outcome === 'processed')
    .map((i) => i.url)
    .sort();

describe('a run', { timeout: 60_000 }, () => {
  it('gets every page of a 2,000-page site, each asked for once, with counts that are true at every moment', async () => {
    const pages = generateSite({ pages: 2000 });
    const web = await site(pages);
    const id = await cluster.startRun({ url: web.url('/'), ...deep });
    const seen: Progress[] = [];
    const end = await cluster.finished(id, { seen: (p) => seen.push(p) });

    expect(end).toMatchObject({
      status: 'completed',
      total: 2000,
      processed: 2000,
      failed: 0,
      skipped: 0,
      queued: 0,
      fetched: 0,
    });
    expect(processed(await cluster.pages(id))).toEqual([...pages.keys()].map((path) => web.url(path)).sort());
    expect([...web.counts()].filter(([, n]) => n !== 1)).toEqual([]);
    expect(web.counts().size).toBe(2000);
    for (const [i, p] of seen.entries()) {
      expect(p.queued + p.fetched + p.processed + p.failed + p.skipped).toBe(p.total);
      const before = seen[i - 1];
      if (!before) continue;
      expect(p.processed).toBeGreaterThanOrEqual(before.processed);
      expect(p.total).toBeGreaterThanOrEqual(before.total);
    }
    expect(web.maxInFlight()).toBeLessThanOrEqual(8);
  }, 90_000);

  it('ends with exactly 137 pages when asked for 137, with failures among them', async () => {
    const pages = generateSite({ pages: 600, seed: 7 });
    let n = 0;
    for (const path of pages.keys()) if (path !== '/' && n++ % 3 === 0) pages.set(path, { status: 404 });
    // Every third page is gone, so links to what hangs below it must come from elsewhere.
    pages.set('/', page(...pages.keys()));
    const web = await site(pages);
    const id = await cluster.startRun({ url: web.url('/'), ...deep, maxPages: 137 });
    let most = 0;
    const end = await cluster.finished(id, {
      seen: (p) => {
        most = Math.max(most, p.processed);
      },
    });
    expect(end).toMatchObject({ status: 'completed', processed: 137 });
    expect(most).toBe(137);
    expect(end.failed).toBeGreaterThan(0);
    expect(end.total + end.discoveredBeyondLimit).toBe(600);
    expect(processed(await cluster.pages(id))).toHaveLength(137);
  });

  it("takes the shortest way as a page's depth though the short way is slow and the long way fast", async () => {
    // "/slow" links to "/x" directly; the chain reaches "/x" long before "/slow" answers. "/y1" is only in reach by the short way.
    const web = await site(
      new Map([
        ['/', page('/slow', '/a')],
        ['/slow', { ...page('/x'), delayMs: 1500 }],
        ['/a', page('/b')],
        ['/b', page('/x')],
        ['/x', page('/y1')],
        ['/y1', page('/y2')],
        ['/y2', page()],
      ]),
    );
    const id = await cluster.startRun({ url: web.url('/'), maxDepth: 3 });
    await cluster.finished(id);
    const depths = Object.fromEntries((await cluster.pages(id)).map((i) => [new URL(i.url).pathname, i.depth]));
    expect(depths).toEqual({ '/': 0, '/slow': 1, '/a': 1, '/b': 2, '/x': 2, '/y1': 3 });
  });

  it('treats a redirect as a URL of its own, and its target as a page that is fetched once', async () => {
    const web = await site(
      new Map<string, SitePage>([
        ['/', page('/old', '/older', '/new', '/circle-a', '/away', '/dir')],
        ['/old', { redirect: '/new', status: 301 }],
        ['/older', { redirect: '/old' }],
        ['/new', page()],
        ['/circle-a', { redirect: '/circle-b' }],
        ['/circle-b', { redirect: '/circle-a' }],
        ['/away', { redirect: 'http://127.99.0.1/elsewhere' }],
        ['/dir', { redirect: '/dir/' }],
        ['/dir/', page()],
      ]),
    );
    const id = await cluster.startRun({ url: web.url('/'), ...deep });
    const end = await cluster.finished(id);
    const rows = new Map((await cluster.pages(id)).map((i) => [new URL(i.url).pathname, i]));
    expect(rows.get('/old')).toMatchObject({
      outcome: 'skipped',
      httpStatus: 301,
      finalUrl: web.url('/new'),
      error: { code: 'REDIRECTED' },
    });
    expect(rows.get('/older')).toMatchObject({ outcome: 'skipped', finalUrl: web.url('/new') });
    expect(rows.get('/new')).toMatchObject({ outcome: 'processed' });
    expect(web.count('/new')).toBe(1);
    expect(rows.get('/away')).toMatchObject({ outcome: 'skipped', finalUrl: 'http://127.99.0.1/elsewhere' });
    expect(rows.get('/dir/')).toMatchObject({ outcome: 'processed' });
    const circle = [rows.get('/circle-a'), rows.get('/circle-b')].map((r) => r?.outcome).sort();
    expect(circle).toEqual(['failed', 'skipped']);
    expect(end.total).toBe(rows.size);
  });

  it('is completed within a second of its last page', async () => {
    const web = await site(
      new Map([
        ['/', page('/last')],
        ['/last', { ...page(), delayMs: 700 }],
      ]),
    );
    const id = await cluster.startRun({ url: web.url('/'), ...deep });
    await cluster.finished(id);
    const asked = web.requests().find((r) => r.path === '/last');
    expect(performance.now() - (asked?.startedAt ?? 0) - 700).toBeLessThan(1000);
  });
});

describe('pause, resume and cancel', { timeout: 60_000 }, () => {
  const slow = (n: number) => {
    const pages = generateSite({ pages: n, seed: 3 });
    return new Map([...pages].map(([path, p]) => [path, { ...p, delayMs: 20 }]));
  };

  it('stops new requests within a second, goes on where it was, and loses nothing', async () => {
    const web = await site(slow(400));
    const id = await cluster.startRun({ url: web.url('/'), ...deep });
    await waitUntil(() => web.requests().length > 60);
    expect((await cluster.request('POST', `/v1/runs/${id}/pause`)).status).toBe(200);
    const pausedAt = performance.now();
    await waitUntil(() => performance.now() - pausedAt > 1000);
    const atRest = web.requests().length;
    await waitUntil(() => performance.now() - pausedAt > 2500);
    expect(web.requests().length).toBe(atRest);
    expect(await cluster.progress(id)).toMatchObject({ status: 'paused', fetched: 0 });
    expect((await cluster.request('POST', `/v1/runs/${id}/pause`)).status).toBe(409);
    expect((await cluster.request('POST', `/v1/runs/${id}/resume`)).status).toBe(200);
    expect(await cluster.finished(id)).toMatchObject({ status: 'completed', processed: 400, total: 400 });
    expect([...web.counts().values()].every((n) => n === 1)).toBe(true);
  });

  it('cancel ends a run with counts that agree with its rows', async () => {
    const web = await site(slow(400));
    const id = await cluster.startRun({ url: web.url('/'), ...deep });
    await waitUntil(() => web.requests().length > 60);
    expect((await cluster.request('POST', `/v1/runs/${id}/cancel`)).status).toBe(200);
    const end = await cluster.finished(id);
    expect(end).toMatchObject({ status: 'cancelled', queued: 0, fetched: 0 });
    expect(end.processed + end.failed + end.skipped).toBe(end.total);
    const rows = await cluster.pages(id);
    expect(rows.filter((r) => r.outcome === 'processed')).toHaveLength(end.processed);
    expect(rows).toHaveLength(end.total);
    expect((await cluster.request('POST', `/v1/runs/${id}/resume`)).status).toBe(409);
    expect((await cluster.request('DELETE', `/v1/runs/${id}`)).status).toBe(204);
    expect((await cluster.request('GET', `/v1/runs/${id}`)).status).toBe(404);
  });
});

describe('many runs at once', () => {
  it('complete each with its own set, and no host sees more than its limit', async () => {
    const hosts = ['127.0.0.11', '127.0.0.12', '127.0.0.13'];
    const sites = await Promise.all(
      hosts.map((host, i) => site((request) => generated[i]?.get(request.path) as SitePage | undefined, host)),
    );
    const limit = 4;
    const ids: { id: string; web: FixtureSite; pages: Map<string, SitePage> }[] = [];
    for (let run = 0; run < 50; run++) {
      const index = run % 3;
      const web = sites[index] as FixtureSite;
      const pages = generated[index] as Map<string, SitePage>;
      // Each run starts somewhere else, so that its set is its own.
      const start = [...pages.keys()][run * 2] as string;
      ids.push({
        id: await cluster.startRun({ url: web.url(start), ...deep, scope: 'host', maxParallelPerHost: limit }),
        web,
        pages: reach(pages, start),
      });
    }
    for (const { id, web, pages } of ids) {
      expect(await cluster.finished(id, { timeoutMs: 120_000 })).toMatchObject({
        status: 'completed',
        processed: pages.size,
      });
      expect(processed(await cluster.pages(id))).toEqual([...pages.keys()].map((path) => web.url(path)).sort());
    }
    for (const web of sites) expect(web.maxInFlight()).toBeLessThanOrEqual(limit);
  }, 180_000);

  const generated = [1, 2, 3].map((seed) => generateSite({ pages: 120, seed }));
});

/** The pages in reach of `start`, by the links in their markup. */
function reach(pages: Map<string, SitePage>, start: string): Map<string, SitePage> {
  const found = new Map<string, SitePage>();
  const work = [start];
  while (work.length > 0) {
    const path = work.pop() as string;
    const at = pages.get(path);
    if (!at || found.has(path)) continue;
    found.set(path, at);
    for (const [, link] of String(at.body).matchAll(/href="([^"]+)"/g)) work.push(link as string);
  }
  return found;
}

async function waitUntil(condition: () => boolean): Promise<void> {
  await waitFor(condition, { timeoutMs: 30_000, what: String(condition) });
}
