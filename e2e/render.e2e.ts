/** Pages that need a browser, through the whole pipeline with a real one. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FixtureSite, generateSite, type SitePage, startSite, testBrowser, waitFor } from '@trawl/testing';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Cluster, startCluster } from './cluster.ts';

const deep = { maxDepth: 1000, maxPages: 10_000, scope: 'host', sitemap: 'skip', respectRobots: false } as const;

async function site(pages: ReadonlyMap<string, SitePage>, host: string): Promise<FixtureSite> {
  const started = await startSite({ pages, host });
  onTestFinished(() => started.close());
  return started;
}

/** What only a script says of page `n`: some 60 words that are on no other. */
const wordsOf = (n: number): string[] => Array.from({ length: 60 }, (_, i) => `only${n}x${i}`);

const SHELL = '<!doctype html><title>App</title><div id="root"></div><script src="/app.js"></script>';
/** Fills the page from an API, as applications do: two requests after the document. */
const APP = `
  const id = location.pathname.split('/').pop();
  fetch('/api/' + id).then((reply) => reply.json()).then(({ words, links }) => {
    document.title = 'Page ' + id;
    const root = document.getElementById('root');
    root.innerHTML = '<main><h1>Page ' + id + '</h1><p>' + words.join(' ') + '</p></main>';
    for (const link of links) root.querySelector('main').innerHTML += '<a href="' + link + '">next</a>';
  });`;

/** Each leads to five others, so that there is soon enough to do for all places of a browser. */
const linksOf = (n: number, pages: number): string[] =>
  [1, 2, 3, 4, 5]
    .map((i) => 5 * n + i)
    .filter((m) => m < pages)
    .map((m) => `/app/${m}`);

/** `shells` pages below /app/, which only scripts link to. */
function appPages(shells: number): [string, SitePage][] {
  const json = { 'content-type': 'application/json' };
  const script = { 'content-type': 'text/javascript' };
  return [
    ['/app.js', { body: APP, headers: script }],
    ...Array.from({ length: shells }, (_, n): [string, SitePage] => [`/app/${n}`, { body: SHELL }]),
    ...Array.from({ length: shells }, (_, n): [string, SitePage] => [
      `/api/${n}`,
      { body: JSON.stringify({ words: wordsOf(n), links: linksOf(n, shells) }), headers: json },
    ]),
  ];
}

interface StoredPage {
  readonly url: string;
  readonly rendered: boolean;
  readonly text: string;
  readonly title: string | null;
}

async function storedPages(cluster: Cluster, runId: string): Promise<StoredPage[]> {
  const answer = await fetch(`${cluster.apiUrl}/v1/runs/${runId}/export?format=jsonl`);
  const lines = (await answer.text()).split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as StoredPage);
}

const ROLES = { api: 1, discover: 1, fetch: 1, process: 1, coordinator: 1 };

const runOf = async (cluster: Cluster, id: string) =>
  (await cluster.request('GET', `/v1/runs/${id}`)).body as { stats: { rendered: number }; warnings: string[] };

/** What there is of a render worker's browser: its processes, and its directory. */
function leftOf(workerPid: number): string[] {
  const mark = `trawl-render-${workerPid}-`;
  const processes = readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(mark);
    } catch {
      // Gone since it was listed.
      return false;
    }
  });
  return [...processes, ...readdirSync(tmpdir()).filter((name) => name.startsWith(mark))];
}

describe('with a browser', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster({ roles: ROLES, env: { BROWSER_PATH: await testBrowser() } });
  }, 240_000);
  afterAll(() => cluster?.stop());

  it('500 static and 50 script-only pages are all there, with few renders more than it takes', async () => {
    const pages = generateSite({ pages: 500, seed: 11 });
    const start = pages.get('/');
    const all = new Map([...pages, ...appPages(50)]);
    all.set('/', { ...start, body: `${start?.body}<a href="/app/0">app</a>` });
    const web = await site(all, '127.0.7.1');
    const id = await cluster.startRun({ url: web.url('/'), ...deep, exclude: ['/api/**', '/app.js'] });
    expect(await cluster.finished(id, { timeoutMs: 150_000 })).toMatchObject({ status: 'completed', processed: 550 });
    const stored = await storedPages(cluster, id);
    const rendered = stored.filter((page) => page.rendered);
    const found = Array.from({ length: 50 }, (_, n) => {
      const text = stored.find((page) => page.url === web.url(`/app/${n}`))?.text ?? '';
      return wordsOf(n).filter((word) => text.includes(`${word}`)).length;
    }).reduce((sum, words) => sum + words, 0);
    const documents = Array.from({ length: 50 }, (_, n) => web.count(`/app/${n}`)).reduce((a, b) => a + b, 0);
    console.info(
      `${found} of ${50 * 60} words, ${rendered.length} renders, ${documents} requests for the 50 documents`,
    );
    expect(found / (50 * 60)).toBeGreaterThanOrEqual(0.95);
    expect(rendered.length).toBeLessThanOrEqual(60);
    expect((await runOf(cluster, id)).stats.rendered).toBe(rendered.length);
    // Once one of them is known to be a shell, the others are not asked for twice.
    expect(documents).toBeLessThanOrEqual(55);
    expect([...pages.keys()].filter((path) => path !== '/' && web.count(path) !== 1)).toEqual([]);
  }, 180_000);

  it('a run without a browser keeps shells as they are', async () => {
    const web = await site(new Map(appPages(2)), '127.0.7.2');
    const id = await cluster.startRun({ url: web.url('/app/0'), ...deep, render: 'never' });
    expect(await cluster.finished(id)).toMatchObject({ status: 'completed', processed: 1 });
    expect(await runOf(cluster, id)).toMatchObject({ stats: { rendered: 0 }, warnings: [] });
  }, 60_000);

  it('render: always reads every page with a browser, and a page whose script leads elsewhere is a redirect', async () => {
    const pages = new Map<string, SitePage>([
      ['/', { body: '<title>Home</title><p>home</p><a href="/moved">moved</a><a href="/gone">gone</a>' }],
      ['/moved', { body: '<title>Moved</title><script>location.replace("/target")</script>' }],
      [
        '/target',
        {
          body: '<title>Target</title><p>target <script>document.write("written " + navigator.language + " " + innerWidth)</script></p>',
        },
      ],
    ]);
    const web = await site(pages, '127.0.7.3');
    const shown = { locale: 'de-AT', viewport: { width: 900 } };
    const id = await cluster.startRun({ url: web.url('/'), ...deep, ...shown, render: 'always' });
    expect(await cluster.finished(id)).toMatchObject({ status: 'completed', processed: 2, skipped: 1, failed: 1 });
    const stored = await storedPages(cluster, id);
    expect(stored.map(({ url, rendered, title }) => [new URL(url).pathname, rendered, title]).sort()).toEqual([
      ['/', true, 'Home'],
      ['/target', true, 'Target'],
    ]);
    expect(stored.find(({ title }) => title === 'Target')?.text).toContain('written de-AT 900');
    const rows = await cluster.pages(id);
    expect(rows.find(({ url }) => url === web.url('/moved'))).toMatchObject({
      outcome: 'skipped',
      finalUrl: web.url('/target'),
      error: { code: 'REDIRECTED' },
    });
    expect(rows.find(({ url }) => url === web.url('/gone'))).toMatchObject({ error: { code: 'HTTP_404' } });
  }, 60_000);

  it('keeps a picture of each page where it is asked to, as long as runs do', async () => {
    const web = await site(
      new Map([
        ['/', { body: '<title>Home</title><body style="background:#c00"><p>home</p><a href="/b">b</a>' }],
        ['/b', { body: '<title>B</title><p>b</p>' }],
      ]),
      '127.0.7.6',
    );
    const id = await cluster.startRun({ url: web.url('/'), ...deep, output: { screenshot: true } });
    expect(await cluster.finished(id)).toMatchObject({ status: 'completed', processed: 2 });
    const [row] = await cluster.pages(id);
    const page = (await cluster.request('GET', `/v1/pages/${row?.id}`)).body as {
      screenshot: string;
      rendered: boolean;
    };
    expect(page).toMatchObject({ rendered: true, screenshot: `/v1/pages/${row?.id}/screenshot` });
    const shot = await fetch(`${cluster.apiUrl}${page.screenshot}`);
    expect(shot.headers.get('content-type')).toBe('image/png');
    expect(
      Buffer.from(await shot.arrayBuffer())
        .subarray(1, 4)
        .toString(),
    ).toBe('PNG');

    const { sourceId } = (await cluster.request('GET', `/v1/runs/${id}`)).body as { sourceId: string };
    const next = await cluster.startRun({ url: web.url('/'), ...deep, sourceId });
    expect(await cluster.finished(next)).toMatchObject({ status: 'completed', processed: 2 });
    expect((await cluster.request('GET', `/v1/pages/${row?.id}`)).body).toMatchObject({ screenshot: null });
    expect((await fetch(`${cluster.apiUrl}${page.screenshot}`)).status).toBe(404);
  }, 60_000);

  it('a worker that dies in the middle costs nothing, and leaves no browser', async () => {
    const web = await site(new Map(appPages(12)), '127.0.7.4');
    const id = await cluster.startRun({ url: web.url('/app/0'), ...deep, exclude: ['/api/**', '/app.js'] });
    await waitFor(() => web.count('/api/2') > 0, { timeoutMs: 30_000, what: 'the third page' });
    const pid = cluster.pid('render', 0);
    expect(leftOf(pid)).not.toEqual([]);
    cluster.kill('render', 0);
    await waitFor(() => leftOf(pid).length === 0, { timeoutMs: 30_000, what: 'its browser to be gone' });
    expect(await cluster.finished(id, { timeoutMs: 90_000 })).toMatchObject({ status: 'completed', processed: 12 });
    expect((await storedPages(cluster, id)).filter(({ rendered }) => rendered)).toHaveLength(12);
  }, 120_000);

  it('a worker that is told to stop ends with 0 and in time, and another goes on with what it hands back', async () => {
    const web = await site(new Map(appPages(8)), '127.0.7.7');
    const patient = {
      ...deep,
      renderWaitMs: 15_000,
      exclude: ['/api/**', '/app.js'],
      timeoutSeconds: 60,
      maxRetries: 1,
    };
    const id = await cluster.startRun({ url: web.url('/app/0'), ...patient });
    // It waits for longer than a worker that stops has.
    await waitFor(() => web.count('/api/0') > 0, { timeoutMs: 30_000, what: 'the first page' });
    const pid = cluster.pid('render', 0);
    expect(await cluster.signal('render', 0, 'SIGTERM')).toMatchObject({
      exitCode: 0,
      ms: expect.toSatisfy((ms) => ms < 10_000),
    });
    expect(leftOf(pid)).toEqual([]);
    await cluster.startAll();
    await waitFor(() => web.count('/api/0') > 1, { timeoutMs: 30_000, what: 'another to go on' });
    expect((await cluster.request('POST', `/v1/runs/${id}/cancel`)).status).toBe(200);
    const page = (await cluster.pages(id)).find(({ url }) => url === web.url('/app/0'));
    expect(page?.error?.attempts ?? 0).toBe(0);
  }, 120_000);
});

describe('without a browser', () => {
  let folder: string;
  let isBroken: string;
  let cluster: Cluster;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'trawl-e2e-browser-'));
    isBroken = join(folder, 'broken');
    const program = join(folder, 'chromium');
    const lines = ['#!/bin/sh', `[ -e ${isBroken} ] && exit 1`, `exec ${await testBrowser()} "$@"`, ''];
    writeFileSync(program, lines.join('\n'), { mode: 0o755 });
    cluster = await startCluster({ roles: ROLES, env: { BROWSER_PATH: program, RENDER_PATIENCE_SECONDS: '3' } });
  }, 240_000);
  afterAll(async () => {
    await cluster?.stop();
    rmSync(folder, { recursive: true });
  });

  it('one that can not be started is none, until it can; and no attempt is counted meanwhile', async () => {
    const web = await site(new Map(appPages(2)), '127.0.7.8');
    writeFileSync(isBroken, '');
    const run = { ...deep, exclude: ['/api/**', '/app.js'], maxRetries: 1 };
    const id = await cluster.startRun({ url: web.url('/app/0'), ...run });
    expect(await cluster.finished(id)).toMatchObject({ status: 'completed', processed: 1, failed: 0 });
    expect((await runOf(cluster, id)).warnings.join()).toContain('no render worker with a browser');
    const always = { url: web.url('/app/0'), ...run, render: 'always' } as const;
    expect(await cluster.request('POST', '/v1/runs', always)).toMatchObject({ status: 400 });
    rmSync(isBroken);
    const isBack = async () => (await cluster.request('POST', '/v1/runs', always)).status === 202;
    await waitFor(isBack, { timeoutMs: 45_000, what: 'the browser to be found able again' });
    const next = await cluster.startRun({ url: web.url('/app/0'), ...run });
    expect(await cluster.finished(next)).toMatchObject({ status: 'completed', processed: 2 });
    expect((await runOf(cluster, next)).stats.rendered).toBe(2);
  }, 120_000);

  it('a run leaves what an earlier one has read with it, and what it could not read is read by a later one', async () => {
    const web = await site(new Map(appPages(3)), '127.0.7.9');
    const config = { url: web.url('/app/0'), ...deep, exclude: ['/api/**', '/app.js'], maxRetries: 1 };
    const idOf = async (path: string, body: object) =>
      String(((await cluster.request('POST', path, body)).body as { id: string }).id);
    const source = async (name: string) => idOf('/v1/sources', { name, config });
    const run = async (of: string) => {
      const id = await idOf(`/v1/sources/${of}/runs`, {});
      const { processed, failed } = await cluster.finished(id, { timeoutMs: 60_000 });
      return { processed, failed };
    };
    const textsOf = async (of: string) => {
      const { items } = (await cluster.request('GET', `/v1/sources/${of}/pages`)).body as {
        items: { title: string }[];
      };
      return items.map(({ title }) => title).sort();
    };
    const all = ['Page 0', 'Page 1', 'Page 2'];
    const read = await source('read');
    expect(await run(read)).toEqual({ processed: 3, failed: 0 });
    expect(await textsOf(read)).toEqual(all);

    writeFileSync(isBroken, '');
    cluster.kill('render', 0);
    expect(await run(read)).toEqual({ processed: 0, failed: 1 });
    expect(await textsOf(read)).toEqual(all);
    const unread = await source('unread');
    expect(await run(unread)).toEqual({ processed: 1, failed: 0 });
    expect(await textsOf(unread)).toEqual(['App']);

    rmSync(isBroken);
    const always = { ...config, render: 'always', maxPages: 1 };
    const isBack = async () => (await cluster.request('POST', '/v1/runs', always)).status === 202;
    await waitFor(isBack, { timeoutMs: 45_000, what: 'the browser to be found able again' });
    expect(await run(unread)).toEqual({ processed: 3, failed: 0 });
    expect(await textsOf(unread)).toEqual(all);
    expect(await run(read)).toEqual({ processed: 3, failed: 0 });
  }, 150_000);

  it('what waits for a browser goes on without one once none comes back, and says so', async () => {
    const web = await site(new Map(appPages(3)), '127.0.7.5');
    const id = await cluster.startRun({ url: web.url('/app/0'), ...deep, exclude: ['/api/**', '/app.js'] });
    const always = await cluster.startRun({ url: web.url('/app/1'), ...deep, render: 'always', maxDepth: 0 });
    await cluster.finished(always);
    const waiting = await cluster.startRun({ url: web.url('/app/2'), ...deep, render: 'always', maxDepth: 0 });
    await cluster.signal('render', 0, 'SIGKILL');
    expect(await cluster.finished(id, { timeoutMs: 60_000 })).toMatchObject({ status: 'completed' });
    expect((await cluster.finished(waiting, { timeoutMs: 60_000 })).status).toBe('completed');
    const late = await cluster.startRun({ url: web.url('/app/0'), ...deep, exclude: ['/api/**', '/app.js'] });
    expect(await cluster.finished(late, { timeoutMs: 60_000 })).toMatchObject({ status: 'completed', processed: 1 });
    expect((await runOf(cluster, late)).warnings.join()).toContain('no render worker with a browser');
    expect(await cluster.request('POST', '/v1/runs', { url: web.url('/'), render: 'always' })).toMatchObject({
      status: 400,
    });
  }, 150_000);
});
