/** One page, now, from a real site by its host's real gate. The browser is the test's own words here; the real one has its tests. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { getPassing, openBlobStore } from '@trawl/blobs';
import { type CrawlTask, completeRunConfig, crawlTaskSchema, createRunSchema } from '@trawl/contracts';
import { createCrawlState } from '@trawl/crawl-state';
import { createDocumentReader } from '@trawl/extract';
import { createFetcher } from '@trawl/fetcher';
import { createGate, createRobotsCache } from '@trawl/politeness';
import { openQueues } from '@trawl/queues';
import type { RenderOutcome, RenderRequest } from '@trawl/renderer';
import { createLogger, createVault } from '@trawl/runtime';
import { type FixtureSite, type SiteHandler, startSite, testPrefix, testRedis } from '@trawl/testing';
import { hostLimits } from '@trawl/turns';
import { createWakeups } from '@trawl/wakeups';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { crawlPage } from './crawl-page.ts';

const redis = testRedis();
const reader = createDocumentReader();
afterAll(() => reader.close());
const SHELL = '<title>App</title><div id="root"></div><script src="/app.js"></script>';
const CRASHED: RenderOutcome = {
  kind: 'failed',
  error: { code: 'RENDER_CRASHED', message: 'It went down.', retryable: true },
};
const rendered = (url: string): RenderOutcome => ({
  ...{ kind: 'rendered', html: '<h1>Filled</h1><p>by a script', finalUrl: url, screenshot: null },
  ...{ becameIdle: true, blocked: 0 },
});

async function siteWith(pages: SiteHandler): Promise<FixtureSite> {
  const site = await startSite({
    pages: (request, attempt) => (request.path === '/robots.txt' ? undefined : pages(request, attempt)),
  });
  onTestFinished(() => site.close());
  return site;
}

/** A fleet of its own, whose browser answers as it is told, one time after the other. */
function setUp(answers: ((request: RenderRequest) => RenderOutcome)[] = []) {
  const prefix = testPrefix();
  const gate = createGate(redis, { prefix });
  const queues = openQueues(redis, { prefix });
  const fetcher = createFetcher({ allowPrivateNetworks: true });
  const directory = mkdtempSync(join(tmpdir(), 'trawl-crawl-page-'));
  const blobs = openBlobStore(pathToFileURL(directory).href);
  onTestFinished(async () => {
    rmSync(directory, { recursive: true });
    await queues.close();
    await fetcher.close();
  });
  const wakeups = createWakeups({ queues, state: createCrawlState(redis, { prefix }), gate });
  const asked: RenderRequest[] = [];
  const crawl = (request: Partial<CrawlTask> & { url: string }, signal = new AbortController().signal) =>
    crawlPage(
      {
        ...{ request: crawlTaskSchema.parse({ formats: ['markdown'], ...request }) },
        ...{ access: null, userAgent: 'test', asker: 'test', patienceMs: 60_000 },
      },
      signal,
      {
        ...{ gate, wakeups, fetcher, blobs, reader, logger: createLogger({ level: 'silent', role: 'test' }) },
        ...{ robots: createRobotsCache(redis, { prefix }), robotsMaxAgeMs: 60_000, vault: createVault([]) },
        renderer: {
          async render(request) {
            asked.push(request);
            const answer = answers[asked.length - 1] ?? answers.at(-1);
            if (answer === undefined) throw new Error('the browser was not to be asked');
            return { ...answer(request), elapsedMs: 1 };
          },
        },
      },
    );
  return { gate, blobs, crawl, asked };
}

it('is rendered again when the browser goes down with it, which may be the fault of another', async () => {
  const site = await siteWith(() => ({ body: SHELL }));
  const url = site.url('/app');
  const { crawl, asked } = setUp([() => CRASHED, ({ url }) => rendered(url)]);
  expect(await crawl({ url })).toMatchObject({
    kind: 'page',
    page: { rendered: true, markdown: expect.stringContaining('# Filled') },
  });
  expect(asked).toHaveLength(2);
  // It was fetched once.
  expect(site.count('/app')).toBe(1);
});

it('keeps its picture where it can be had, and tells of nothing but its id', async () => {
  const site = await siteWith(() => ({ body: 'words' }));
  const screenshot = Buffer.from('a picture');
  const { crawl, blobs } = setUp([({ url }) => ({ ...rendered(url), screenshot }) as RenderOutcome]);
  const url = site.url('/');
  const outcome = await crawl({ url, formats: ['screenshot'] });
  expect(outcome).toMatchObject({ kind: 'page', shot: expect.any(String), page: { markdown: null, rendered: true } });
  const { shot } = outcome as { shot: string };
  expect(await getPassing(blobs, shot)).toEqual(screenshot);
  expect(JSON.stringify(outcome)).not.toContain(screenshot.toString('base64'));
});

it('says so where it was not at rest, or has no picture', async () => {
  const site = await siteWith(({ path }) => ({
    body: path === '/app' ? SHELL : 'words',
    headers: { 'content-type': path === '/app' ? 'text/html' : 'text/plain' },
  }));
  const { crawl } = setUp([({ url }) => ({ ...rendered(url), becameIdle: false }) as RenderOutcome]);
  const formats: CrawlTask['formats'] = ['screenshot'];
  expect(await crawl({ url: site.url('/app'), formats })).toMatchObject({
    page: { warnings: [expect.stringContaining('not at rest'), expect.stringContaining('painted')] },
  });
  expect(await crawl({ url: site.url('/text'), formats })).toMatchObject({
    page: { warnings: [expect.stringContaining('Only HTML')] },
    shot: null,
  });
});

it('is not rendered without end when it is what brings the browser down', async () => {
  const site = await siteWith(() => ({ body: SHELL }));
  const { crawl, asked } = setUp([() => CRASHED]);
  expect(await crawl({ url: site.url('/app') })).toMatchObject({ kind: 'failed', code: 'RENDER_CRASHED' });
  expect(asked).toHaveLength(3);
});

it('takes its time and no more, and a host is not blamed for a short one', async () => {
  const site = await siteWith(() => ({ body: 'late', delayMs: 3000 }));
  const { crawl, gate } = setUp();
  const url = site.url('/slow');
  const outcomes = await Promise.all(
    Array.from({ length: 6 }, () => crawl({ url, timeoutSeconds: 0.3, respectRobots: false })),
  );
  expect(outcomes).toEqual(Array(6).fill(expect.objectContaining({ kind: 'failed', code: 'TIMEOUT' })));
  const [host] = await gate.describe(['127.0.0.1']);
  expect(host).toMatchObject({ failures: 0, reason: null });
  const limits = hostLimits(completeRunConfig(createRunSchema.parse({ url }), { userAgent: 'test' }), null);
  const { slots } = await gate.reserve('127.0.0.1', { runId: 'next', holder: 'next', want: 1, limits });
  expect(slots).toBe(1);
});

it('is late as well where it is what was read that took too long', async () => {
  // A third of a second to read, on any machine.
  const rows = '<tr><td>a<td><a href="/x">b</a><td>c'.repeat(60_000);
  const site = await siteWith(() => ({ body: `<table>${rows}</table>` }));
  const { crawl } = setUp();
  expect(await crawl({ url: site.url('/long'), timeoutSeconds: 0.1 })).toMatchObject({
    kind: 'failed',
    code: 'TIMEOUT',
  });
});

it('is as it was served where the browser can not be started, unless it takes one', async () => {
  const none: RenderOutcome = {
    kind: 'failed',
    error: { code: 'RENDER_UNAVAILABLE', message: 'None starts.', retryable: true },
  };
  const site = await siteWith(() => ({ body: SHELL }));
  const { crawl } = setUp([() => none]);
  const url = site.url('/app');
  const warnings = [expect.stringContaining('empty shell')];
  expect(await crawl({ url })).toMatchObject({ kind: 'page', page: { rendered: false, title: 'App', warnings } });
  expect(await crawl({ url, render: 'always' })).toMatchObject({ kind: 'failed', code: 'RENDER_UNAVAILABLE' });
});

it.each([
  ['whose port is closed', null, 'CONNECTION_FAILED'],
  ['whose robots.txt is broken', 500, 'HTTP_500'],
])('of a host %s, it fails at once, and again while the host rests', async (_, status, reason) => {
  const site = await startSite({ pages: () => ({ status: status ?? 200 }) });
  if (status === null) await site.close();
  else onTestFinished(() => site.close());
  const { crawl, gate } = setUp();
  const startedAt = performance.now();
  const url = site.url('/page');
  expect(await crawl({ url })).toMatchObject({
    kind: 'failed',
    code: 'ROBOTS_UNREACHABLE',
    message: expect.stringContaining(reason),
  });
  // Until its rest is longer than anybody waits.
  for (let tries = 0; ((await gate.describe(['127.0.0.1']))[0]?.blockedForMs ?? 0) < 3000; tries++) {
    expect(tries).toBeLessThan(10);
    await crawl({ url, timeoutSeconds: 10 });
  }
  expect(await crawl({ url, timeoutSeconds: 2 })).toMatchObject({
    code: 'HOST_UNAVAILABLE',
    message: expect.stringMatching(/is given a rest for \d+ s more, after /),
  });
  expect(await crawl({ url, timeoutSeconds: 2, respectRobots: false })).toMatchObject({ code: 'HOST_UNAVAILABLE' });
  expect(performance.now() - startedAt).toBeLessThan(15_000);
});
