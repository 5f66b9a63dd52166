/** What a run finds beyond links, what it does with a source it knows, and that sites without end do end. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import {
  type FixtureSite,
  generateSite,
  type SiteHandler,
  type SiteOptions,
  type SitePage,
  startSite,
} from '@trawl/testing';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Cluster, type PageItem, peakBytes, startCluster } from './cluster.ts';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({ roles: { api: 1, discover: 1, fetch: 2, process: 1, coordinator: 1 } });
}, 120_000);
afterAll(() => cluster?.stop());

const deep = { maxDepth: 100_000, maxPages: 100_000, scope: 'host' } as const;
let hosts = 0;

async function site(pages: SiteOptions['pages']): Promise<FixtureSite> {
  const web = await startSite({ pages, host: `127.0.8.${++hosts}` });
  onTestFinished(() => web.close());
  return web;
}

const html = (text: string, ...links: string[]): SitePage => ({
  body: `<title>${text}</title><p>${text}${links.map((link) => `<a href="${link}">x</a>`).join('')}`,
});
const xml = (body: string): SitePage => ({ body, headers: { 'content-type': 'application/xml' } });
const urlset = (urls: readonly { loc: string; lastmod?: string }[]): SitePage =>
  xml(
    `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls
      .map(({ loc, lastmod }) => `<url><loc>${loc}</loc>${lastmod ? `<lastmod>${lastmod}</lastmod>` : ''}</url>`)
      .join('')}</urlset>`,
  );
const index = (...urls: string[]): SitePage =>
  xml(`<sitemapindex>${urls.map((url) => `<sitemap><loc>${url}</loc></sitemap>`).join('')}</sitemapindex>`);

const processed = (items: readonly PageItem[]): string[] =>
  items
    .filter(({ outcome }) => outcome === 'processed')
    .map(({ url }) => new URL(url).pathname)
    .sort();

interface RunView {
  readonly stats: { new: number; changed: number; unchanged: number; gone: number };
  readonly warnings: string[];
  readonly discovery: {
    complete: boolean;
    sites: { host: string; from: string; sitemaps: number; entries: number }[];
    sitemaps: { url: string; format: string | null; problems: { code: string }[] }[];
    problems: string[];
  } | null;
}

async function run(options: Parameters<Cluster['startRun']>[0]) {
  const id = await cluster.startRun(options);
  const end = await cluster.finished(id, { timeoutMs: 90_000 });
  const view = (await cluster.request('GET', `/v1/runs/${id}`)).body as RunView & { sourceId: string };
  return { id, end, view, pages: await cluster.pages(id) };
}

describe('sitemaps', () => {
  it('give pages that no link leads to, by robots.txt, through indexes, compressed or not, each once', async () => {
    let origin = '';
    const answers: SiteHandler = ({ path }) => {
      const pages: Record<string, SitePage> = {
        '/robots.txt': { body: `User-agent: *\nDisallow: /secret\nSitemap: ${origin}/all/index.xml` },
        '/': html('home', '/linked'),
        '/linked': html('linked'),
        '/all/index.xml': index(`${origin}/all/a.xml`, `${origin}/all/b.bin`, `${origin}/all/index.xml`, '/all/c.txt'),
        '/all/a.xml': urlset([{ loc: `${origin}/a1` }, { loc: `${origin}/a2` }, { loc: `${origin}/secret/a3` }]),
        '/all/b.bin': {
          body: gzipSync(String(urlset([{ loc: `${origin}/b1` }, { loc: 'https://other.test/x' }]).body)),
        },
        '/all/c.txt': { body: `${origin}/c1\n${origin}/a1\n` },
      };
      return pages[path] ?? (/^\/[abc]\d$/.test(path) ? html(path) : undefined);
    };
    const web = await site(answers);
    origin = web.origin;
    const { end, pages, view } = await run({ url: web.url('/'), ...deep });
    expect(end).toMatchObject({ status: 'completed', failed: 0, skipped: 1 });
    expect(processed(pages)).toEqual(['/', '/a1', '/a2', '/b1', '/c1', '/linked']);
    expect(pages.filter(({ url }) => url.includes('/b1')).map(({ depth }) => depth)).toEqual([0]);
    expect(view.discovery).toMatchObject({ complete: true, sites: [{ from: 'robots', sitemaps: 4, entries: 7 }] });
    expect(view.warnings).toEqual([]);
    expect(web.requests().length).toBe(6 + 4);

    // Trusted for a day: not read again.
    const again = await run({ url: web.url('/'), ...deep });
    expect(processed(again.pages)).toEqual(processed(pages));
    expect(again.view.discovery).toMatchObject({ sites: [{ from: 'cache', entries: 6 }] });
    expect(web.requests().filter(({ path }) => path.startsWith('/all/')).length).toBe(4);
    const anew = await run({ url: web.url('/'), ...deep, sitemapCacheHours: 0 });
    expect(anew.view.discovery).toMatchObject({ sites: [{ from: 'robots' }] });

    // Only what they name, through the run's filters.
    const only = await run({ url: web.url('/'), mode: 'sitemap', urlFilter: '%/a%' });
    expect(processed(only.pages)).toEqual(['/a1', '/a2']);
    const none = await run({ url: web.url('/'), ...deep, sitemap: 'skip' });
    expect(processed(none.pages)).toEqual(['/', '/linked']);
    expect(none.view.discovery).toBeNull();
  }, 120_000);

  it('are taken while they still arrive', async () => {
    const asked: string[] = [];
    let finish = () => {};
    // The second half of the sitemap is sent when a page of the first was asked for.
    const server = createServer((request, response) => {
      const path = request.url ?? '';
      asked.push(path);
      const part = (from: number) =>
        Array.from(
          { length: 1500 },
          (_, i) => `<url><loc>http://${request.headers.host}/p${from + i}</loc></url>`,
        ).join('');
      if (path === '/sitemap.xml') {
        response.write(`<urlset>${part(0)}`);
        finish = () => response.end(`${part(1500)}</urlset>`);
      } else if (!path.startsWith('/p')) response.writeHead(404).end();
      else {
        finish();
        response.writeHead(200, { 'content-type': 'text/html' }).end(`<p>${path}`);
      }
    });
    await new Promise<void>((resolve) => server.listen(0, `127.0.8.${++hosts}`, resolve));
    onTestFinished(() => void server.close());
    const { address, port } = server.address() as AddressInfo;
    const { end } = await run({ url: `http://${address}:${port}/`, mode: 'sitemap', maxPages: 5000 });
    expect(end).toMatchObject({ status: 'completed', processed: 3000, failed: 0 });
    expect(asked.filter((path) => path === '/sitemap.xml')).toHaveLength(1);
  }, 60_000);

  it('are looked for in their usual places, in order, where robots.txt names none', async () => {
    let origin = '';
    const web = await site(({ path }) => {
      if (path === '/sitemap1.xml') return urlset([{ loc: `${origin}/x` }]);
      // A page for everything, as many servers have it.
      return path === '/sitemap_index.xml' ? html('nothing here') : path === '/x' ? html('x') : undefined;
    });
    origin = web.origin;
    const { pages, view } = await run({ sites: [`${web.host}:${web.port}`], mode: 'sitemap' });
    expect(processed(pages)).toEqual(['/x']);
    expect(view.discovery).toMatchObject({ complete: true, sites: [{ from: 'well-known', sitemaps: 1, entries: 1 }] });
    expect(web.sitemapRequests().map(({ path }) => path)).toEqual([
      ...['/sitemap.xml', '/sitemap_index.xml', '/sitemap-index.xml', '/sitemapindex.xml', '/sitemap/sitemap.xml'],
      ...['/sitemaps/sitemap.xml', '/sitemap1.xml'],
    ]);
  }, 60_000);

  it('that are bombs, circles, endless or no sitemaps at all are reported, and the run goes on', async () => {
    let origin = '';
    const bomb = `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]><urlset><url><loc>${'http://x/'}&b;</loc></url></urlset>`;
    const web = await site(({ path }) => {
      const pages: Record<string, SitePage> = {
        '/robots.txt': {
          body: ['bomb', 'circle', 'endless', 'page', 'missing']
            .map((name) => `Sitemap: ${origin}/${name}.xml`)
            .join('\n'),
        },
        '/': html('home'),
        '/bomb.xml': xml(bomb),
        '/circle.xml': index(`${origin}/circle2.xml`),
        '/circle2.xml': index(`${origin}/circle.xml`, `${origin}/good.xml`),
        '/good.xml': urlset([{ loc: `${origin}/good` }]),
        '/good': html('good'),
        '/page.xml': html('<html><body>no sitemap'),
        // A gigabyte in gzip.
        '/endless.xml': { body: ENDLESS, headers: { 'content-type': 'application/gzip' } },
      };
      return pages[path];
    });
    origin = web.origin;
    const { end, pages, view } = await run({ url: web.url('/'), ...deep });
    expect(end).toMatchObject({ status: 'completed', failed: 0 });
    expect(processed(pages)).toEqual(['/', '/good']);
    const codes = Object.fromEntries(
      (view.discovery?.sitemaps ?? []).map(({ url, problems }) => [
        new URL(url).pathname,
        problems.map(({ code }) => code),
      ]),
    );
    expect(codes).toMatchObject({
      '/bomb.xml': expect.arrayContaining(['ENTITIES_DECLARED']),
      '/page.xml': ['NOT_A_SITEMAP'],
      '/endless.xml': expect.arrayContaining(['TOO_LARGE']),
      '/missing.xml': ['NOT_READ'],
      '/circle.xml': [],
      '/circle2.xml': [],
      '/good.xml': [],
    });
    expect(view.discovery?.complete).toBe(false);
    expect(view.warnings.join('\n')).toMatch(/bomb\.xml[\s\S]*endless\.xml[\s\S]*page\.xml[\s\S]*missing\.xml/);
  }, 90_000);
});

it('an index of 100 × 50,000 URLs, three deep, costs little before the run has what it wants', async () => {
  let origin = '';
  const web = await site(({ path }) => {
    const [, kind, n] = /^\/(top|mid|map)(\d*)\.xml$/.exec(path) ?? [];
    if (path === '/robots.txt') return { body: `Sitemap: ${origin}/top.xml` };
    if (kind === 'top') return index(...Array.from({ length: 10 }, (_, i) => `${origin}/mid${i}.xml`));
    if (kind === 'mid') return index(...Array.from({ length: 10 }, (_, i) => `${origin}/map${Number(n) * 10 + i}.xml`));
    if (kind === 'map')
      return urlset(Array.from({ length: 50_000 }, (_, i) => ({ loc: `${origin}/of/${n}/page/${i}` })));
    return html(`The page at ${path}`);
  });
  origin = web.origin;
  const startedAt = performance.now();
  const id = await cluster.startRun({ url: web.url('/'), scope: 'host', maxPages: 500 });
  const end = await cluster.finished(id, { timeoutMs: 90_000 });
  expect(end).toMatchObject({ status: 'completed', processed: 500, failed: 0 });
  const first = web.requests().find(({ path }) => !path.endsWith('.xml'))?.startedAt ?? Number.NaN;
  const peak = await peakBytes(cluster.pid('discover', 0));
  console.info(
    `first page after ${(first - startedAt).toFixed(0)} ms; discovery had ${(peak / 2 ** 20).toFixed(0)} MB at most`,
  );
  expect(first - startedAt).toBeLessThan(2000);
  expect(peak).toBeLessThan(250 * 2 ** 20);
}, 120_000);

/** A sitemap of a gigabyte that is one comment, as members of one gzip stream. */
const ENDLESS = Buffer.concat([
  gzipSync('<urlset><!--'),
  ...Array<Buffer>(1024).fill(gzipSync(Buffer.alloc(1024 * 1024, ' '))),
]);

describe('a source', () => {
  const PAGES = 1000;
  const OLD = '2020-01-01T00:00:00Z';

  /** 1,000 pages; from the second version on ten say something else and five are gone. */
  function versioned(o: { lastmod: boolean }) {
    let origin = '';
    let version = 1;
    const isChanged = (n: number) => version > 1 && n % 100 === 7;
    const isGone = (n: number) => version > 1 && n % 200 === 11;
    let bodies = 0;
    const handler: SiteHandler = ({ path, headers }) => {
      if (path === '/robots.txt') return { body: `Sitemap: ${origin}/map.xml` };
      const numbers = Array.from({ length: PAGES - 1 }, (_, n) => n).filter((n) => !isGone(n));
      const lastmod = (n: number) => (isChanged(n) ? new Date(Date.now() + 1000).toISOString() : OLD);
      if (path === '/map.xml') {
        const entries = numbers.map((n) => ({ loc: `${origin}/p${n}`, ...(o.lastmod && { lastmod: lastmod(n) }) }));
        return urlset([{ loc: `${origin}/`, ...(o.lastmod && { lastmod: OLD }) }, ...entries]);
      }
      const n = path === '/' ? -1 : Number(path.slice(2));
      if (path !== '/' && (!/^\/p\d+$/.test(path) || n >= PAGES - 1 || isGone(n))) return undefined;
      const text = isChanged(n) ? `Page ${n} in another version` : `Page ${n} as it always was`;
      const etag = `"${text.length}-${n}"`;
      if (headers['if-none-match'] === etag) return { status: 304, headers: { etag } };
      bodies += 1;
      return { ...html(text), headers: { etag, 'content-type': 'text/html' } };
    };
    return {
      handler,
      at: (web: FixtureSite) => {
        origin = web.origin;
      },
      next: () => {
        version = 2;
        bodies = 0;
      },
      bodies: () => bodies,
    };
  }

  it('of 1,000 pages with lastmod asks for what changed, and says what that is', async () => {
    const pages = versioned({ lastmod: true });
    const web = await site(pages.handler);
    pages.at(web);
    const first = await run({ url: web.url('/'), ...deep });
    expect(first.view.stats).toMatchObject({ new: PAGES, changed: 0, unchanged: 0, gone: 0 });
    pages.next();
    web.resetRecord();
    const second = await run({
      url: web.url('/'),
      ...deep,
      sourceId: first.view.sourceId,
      updateStale: true,
    });
    const asked = web.requests().filter(({ path }) => path !== '/map.xml').length;
    console.info(`second run: ${asked} page requests, ${JSON.stringify(second.view.stats)}`);
    expect(second.view.stats).toMatchObject({ new: 0, changed: 10, unchanged: PAGES - 15, gone: 5 });
    expect(asked).toBeLessThanOrEqual(25);
    const changes = (
      await cluster.request('GET', `/v1/sources/${first.view.sourceId}/changes?since=${since(first)}&limit=100`)
    ).body as { items: { change: string; url: string }[] };
    expect(changes.items.map(({ change }) => change).sort()).toEqual([
      ...Array(10).fill('changed'),
      ...Array(5).fill('gone'),
    ]);
  }, 120_000);

  it('of 1,000 pages without lastmod transfers only the bodies that changed', async () => {
    const pages = versioned({ lastmod: false });
    const web = await site(pages.handler);
    pages.at(web);
    const first = await run({ url: web.url('/'), ...deep });
    pages.next();
    const second = await run({ url: web.url('/'), ...deep, sourceId: first.view.sourceId });
    console.info(`second run: ${pages.bodies()} bodies, ${JSON.stringify(second.view.stats)}`);
    expect(second.view.stats).toMatchObject({ new: 0, changed: 10, unchanged: PAGES - 15, gone: 5 });
    expect(pages.bodies()).toBeLessThanOrEqual(10);
  }, 120_000);

  /** The time up to which the first run's changes are known. */
  const since = ({ view }: { view: unknown }): string => (view as { finishedAt: string }).finishedAt;
});

describe('a site without end', () => {
  it('gives its 300 real pages, in at most 600 requests, and the run ends by itself', async () => {
    const real = generateSite({ pages: 300, seed: 11 });
    let session = 0;
    const traps = () =>
      `<a href="/calendar/2026/11">Calendar</a><a href="/shop?color=red&size=m">Shop</a><a href="/?sid=${(++session * 7919).toString(16).padStart(8, '0')}c0ffee${session}aa">Home</a>`;
    const months = ['January', 'March', 'May', 'June', 'July', 'August'];
    const web = await site(({ path }) => {
      const url = new URL(path, 'http://x');
      const calendar = /^\/calendar\/(\d+)\/(\d+)$/.exec(url.pathname);
      if (calendar) {
        const [year, month] = [Number(calendar[1]), Number(calendar[2])];
        const next = month === 12 ? `${year + 1}/1` : `${year}/${month + 1}`;
        return html(
          `Events of ${months[month % 6]} ${year}`,
          `/calendar/${next}`,
          `/calendar/${year - 1}/${month}`,
          `/calendar/${year}/${month}/${session % 28}`,
        );
      }
      if (url.pathname.startsWith('/calendar/')) return html(`Nothing on ${url.pathname}`, '/calendar/2026/1');
      if (url.pathname === '/shop') {
        const facets = {
          color: ['red', 'blue', 'green'],
          size: ['s', 'm', 'l'],
          brand: ['x', 'y', 'z'],
          price: ['1', '2', '3'],
        };
        const links = Object.entries(facets).flatMap(([name, values]) =>
          values.map((value) => {
            const next = new URL(url);
            next.searchParams.append(name, value);
            return next.pathname + next.search;
          }),
        );
        const items = [...url.searchParams].map(([name, value]) => `A thing of ${name} ${value} for you`);
        return html(`Shop. ${items.join('. ')}`, ...links);
      }
      const page = real.get(url.pathname);
      if (!page) return undefined;
      // Session ids on every link of the site.
      const body = String(page.body).replaceAll(
        /href="(\/[^"]*)"/g,
        (_, to) => `href="${to}?sessionid=${(++session).toString(36)}"`,
      );
      return { ...page, body: body + traps() };
    });
    const { end, pages } = await run({ url: web.url('/'), ...deep });
    const seen = new Set(processed(pages));
    const got = [...real.keys()].filter((path) => seen.has(path)).length;
    console.info(`${got} of 300 real pages, ${web.requests().length} requests, ${end.total} URLs`);
    expect(end.status).toBe('completed');
    expect(got).toBeGreaterThanOrEqual(297);
    expect(web.requests().length).toBeLessThanOrEqual(600);
  }, 120_000);
});
