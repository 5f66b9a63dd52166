/** `POST /v1/crawl` through real processes: two of the API, one with a browser. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { keepForAWhile, openBlobStore } from '@trawl/blobs';
import { ROLE_NODE_ARGS } from '@trawl/contracts';
import { type FixtureSite, type SiteHandler, startSite, testBrowser, waitFor } from '@trawl/testing';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Cluster, startCluster } from './cluster.ts';

const BUSY = 'Service too busy, please retry later';
const MOST = 3;
const QUEUE_SECONDS = 4;

async function site(pages: SiteHandler, host: string): Promise<FixtureSite> {
  const started = await startSite({ pages, host });
  onTestFinished(() => started.close());
  return started;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}

interface Answer {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: Record<string, unknown>;
}

async function crawl(api: string, body: object, signal?: AbortSignal): Promise<Answer> {
  const answer = await fetch(`${api}/v1/crawl`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });
  return {
    status: answer.status,
    retryAfter: answer.headers.get('retry-after'),
    body: (await answer.json()) as Record<string, unknown>,
  };
}

describe('one page now', () => {
  let cluster: Cluster;
  let second: ChildProcess;
  let apis: string[] = [];
  beforeAll(async () => {
    const limits = { MAX_CONCURRENT_CRAWLS: String(MOST), QUEUE_TIMEOUT: String(QUEUE_SECONDS) };
    const browser = await testBrowser();
    const roles = { api: 1, discover: 1, fetch: 1, process: 1, coordinator: 1 };
    cluster = await startCluster({ roles, env: { BROWSER_PATH: browser, ...limits } });
    const port = await freePort();
    const main = fileURLToPath(new URL('../apps/api/src/main.ts', import.meta.url));
    second = spawn(process.execPath, [...ROLE_NODE_ARGS.api, main], {
      env: {
        ...process.env,
        ...limits,
        REDIS_URL: cluster.redis.url,
        DATABASE_URL: cluster.databaseUrl,
        BLOB_URL: cluster.blobUrl,
        PORT: String(port),
        ALLOW_PRIVATE_NETWORKS: 'true',
        LOG_LEVEL: 'warn',
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    apis = [cluster.apiUrl, `http://127.0.0.1:${port}`];
    const isUp = () => fetch(`${apis[1]}/readyz`).then(({ status }) => status === 200);
    await waitFor(() => isUp().catch(() => false), { timeoutMs: 60_000, what: 'the second API' });
  }, 240_000);
  afterAll(async () => {
    second?.kill('SIGKILL');
    await cluster?.stop();
  });

  it('40 requests at once over two APIs are never more than three at work, and are 200 or 503 to the letter', async () => {
    let [inFlight, most] = [0, 0];
    const web = await site(async ({ path }) => {
      if (path === '/robots.txt') return undefined;
      most = Math.max(most, ++inFlight);
      await sleep(600);
      inFlight--;
      return { body: `<title>${path}</title><p>${path}</p>` };
    }, '127.0.8.1');
    // What a worker does once, when it is first asked, is none of the time that is measured.
    expect((await crawl(apis[0] ?? '', { url: web.url('/warm'), render: 'never' })).status).toBe(200);
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, i) => crawl(apis[i % 2] ?? '', { url: web.url(`/p${i}`), render: 'never' })),
    );
    const good = answers.filter(({ status }) => status === 200);
    const busy = answers.filter(({ status }) => status !== 200);
    console.info(`${good.length} pages, ${busy.length} turned away, at most ${most} at work`);
    expect(most).toBe(MOST);
    expect(good.length).toBeGreaterThanOrEqual(2 * MOST);
    expect(busy.length).toBeGreaterThan(0);
    for (const { status, retryAfter, body } of busy) {
      expect({ status, retryAfter }).toEqual({ status: 503, retryAfter: '60' });
      const timestamp = expect.toSatisfy((at) => Date.parse(at) > 0);
      expect(body).toEqual({ success: false, url: expect.stringContaining('/p'), error: BUSY, timestamp });
    }
    for (const { body } of good) expect(body).toMatchObject({ success: true, httpStatus: 200, rendered: false });
    // Nobody who was turned away is asked for later.
    expect(web.requests().filter(({ path }) => path.startsWith('/p'))).toHaveLength(good.length);
  }, 60_000);

  it('a client that goes away makes room, and a crawl that takes too long is 504', async () => {
    const web = await site(({ path }) => ({ body: path, delayMs: path === '/slow' ? 20_000 : 0 }), '127.0.8.2');
    const [api = ''] = apis;
    const clients = Array.from({ length: MOST }, () => new AbortController());
    const slow = clients.map((client) =>
      crawl(api, { url: web.url('/slow'), timeoutSeconds: 60 }, client.signal).catch(() => null),
    );
    await waitFor(() => web.inFlight() === MOST, { what: 'all slots to be taken' });
    const waiting = crawl(apis[1] ?? '', { url: web.url('/quick') });
    clients[0]?.abort();
    expect((await waiting).status).toBe(200);
    for (const client of clients) client.abort();
    await Promise.all(slow);
    const late = await crawl(api, { url: web.url('/slow'), timeoutSeconds: 1 });
    expect(late).toMatchObject({
      status: 504,
      body: { success: false, url: web.url('/slow'), code: expect.stringMatching(/^TIMEOUT/) },
    });
  }, 60_000);

  it('a page that takes for ever to read is 504 in time, and its neighbours do not notice', async () => {
    const web = await site(
      ({ path }) => ({ body: path === '/endless' ? '<p>x'.repeat(400_000) : '<p>words' }),
      '127.0.8.4',
    );
    const [api = ''] = apis;
    // Looks, for each paragraph, at all that follow.
    const endless = crawl(api, { url: web.url('/endless'), timeoutSeconds: 5, includeSelectors: ['p:has(~ p.none)'] });
    await waitFor(() => web.count('/endless') === 1, { what: 'it to be fetched' });
    for (let n = 0; n < 10; n++)
      expect(await crawl(api, { url: web.url(`/${n}`), timeoutSeconds: 10 })).toMatchObject({ status: 200 });
    expect(await endless).toMatchObject({ status: 504, body: { code: 'TIMEOUT' } });
    expect(await crawl(api, { url: web.url('/after') })).toMatchObject({ status: 200 });
  }, 60_000);

  it('pictures go by themselves once they were kept for as long as they are', async () => {
    const blobs = openBlobStore(cluster.blobUrl);
    const shots = [0, 25 * 3_600_000].map((ago) => keepForAWhile(blobs, Buffer.from('PNG'), Date.now() - ago));
    const [fresh = '', old = ''] = await Promise.all(shots);
    const statusOf = async (id: string) => (await fetch(`${apis[0]}/v1/crawl/screenshots/${id}`)).status;
    expect([await statusOf(fresh), await statusOf(old)]).toEqual([200, 200]);
    // It looks once a minute, and when it starts.
    cluster.kill('coordinator', 0);
    await waitFor(async () => (await statusOf(old)) === 404, { timeoutMs: 30_000, what: 'the old one to be gone' });
    expect(await statusOf(fresh)).toBe(200);
  }, 60_000);

  it('reads pages as runs do: shells with a browser, redirects to their end, robots.txt, screenshots', async () => {
    const pages: Record<string, { body?: string; redirect?: string; headers?: Record<string, string> }> = {
      '/robots.txt': { body: 'User-agent: *\nDisallow: /private', headers: { 'content-type': 'text/plain' } },
      '/app': { body: '<title>App</title><div id="root"></div><script src="/app.js"></script>' },
      '/app.js': {
        body: 'document.getElementById("root").innerHTML = "<main><h1>Filled</h1><p>by a script</p><a href=/next>next</a></main>"',
        headers: { 'content-type': 'text/javascript' },
      },
      '/old': { redirect: '/hop' },
      '/hop': { redirect: '/app' },
      '/circle': { redirect: '/circle' },
      '/private': { body: 'secret' },
    };
    const web = await site(({ path }) => pages[path], '127.0.8.3');
    const [api = ''] = apis;
    const formats = ['markdown', 'html', 'text', 'links', 'screenshot'];
    const full = await crawl(api, { url: web.url('/old'), formats });
    expect(full).toMatchObject({
      status: 200,
      body: { url: web.url('/old'), finalUrl: web.url('/app'), rendered: true, httpStatus: 200 },
    });
    expect(full.body.markdown).toContain('# Filled\n\nby a script');
    expect(full.body.text).toContain('by a script');
    expect(full.body.html).toContain('<h1>Filled</h1>');
    expect(full.body.links).toEqual([expect.objectContaining({ url: web.url('/next') })]);
    // Whichever API is asked for it.
    for (const each of apis) {
      const picture = await fetch(each + String(full.body.screenshot));
      expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png']);
      expect(
        Buffer.from(await picture.arrayBuffer())
          .subarray(1, 4)
          .toString(),
      ).toBe('PNG');
    }

    const bare = await crawl(api, { url: web.url('/app'), render: 'never' });
    expect(bare.body).toMatchObject({ rendered: false, html: null, text: null, screenshot: null });
    expect(bare.body.markdown).not.toContain('Filled');
    expect(await crawl(api, { url: web.url('/private') })).toMatchObject({ status: 403 });
    expect(await crawl(api, { url: web.url('/private'), respectRobots: false })).toMatchObject({ status: 200 });
    expect(await crawl(api, { url: web.url('/none') })).toMatchObject({ status: 502, body: { httpStatus: 404 } });
    expect(await crawl(api, { url: web.url('/circle') })).toMatchObject({ body: { code: 'REDIRECT_LOOP' } });
  }, 60_000);
});
