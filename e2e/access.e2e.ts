/** A site that lets in only who has its header, cookie and login, and only by way of a proxy: fetched, rendered, and nothing told. */
import { randomBytes } from 'node:crypto';
import {
  type FixtureProxy,
  type FixtureSite,
  startProxy,
  startSite,
  testBrowser,
  textInPostgres,
  textInRedis,
} from '@trawl/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cluster, startCluster } from './cluster.ts';

const SECRETS = ['header-s3cret', 'cookie-s3cret', 'name-s3cret', 'word-s3cret', 'proxy-s3cret'];
const LOGIN = `Basic ${Buffer.from('name-s3cret:word-s3cret').toString('base64')}`;
const TOLD = [...SECRETS, LOGIN.slice('Basic '.length)];

const WORDS = 'Only who is let in may read these words, and there are a few of them here. ';
const page = (title: string, body: string) =>
  `<!doctype html><html lang=en><title>${title}</title><main><h1>${title}</h1><p>${WORDS.repeat(3)}${body}</main></html>`;
const SHELL =
  '<!doctype html><title>app</title><div id="root"></div><script>fetch("/data").then((r) => r.text()).then((t) => { root.innerHTML = t; });</script>';

describe('access', () => {
  let cluster: Cluster;
  let site: FixtureSite;
  let other: FixtureSite;
  let proxy: FixtureProxy;
  const logged: string[] = [];
  const answers: string[] = [];
  beforeAll(async () => {
    other = await startSite({ host: '127.0.9.2', pages: () => ({ body: page('Other', '') }) });
    site = await startSite({
      host: '127.0.9.1',
      pages: ({ path, headers }) => {
        const isLetIn =
          headers['x-token'] === 'header-s3cret' &&
          headers.cookie === 'sid=cookie-s3cret' &&
          headers.authorization === LOGIN;
        if (!isLetIn) return { status: 401, body: 'who are you?' };
        if (path === '/robots.txt') return { body: 'User-agent: *\nDisallow: /secret' };
        if (path === '/sitemap.xml') return { body: `<urlset><url><loc>${site.url('/listed')}</loc></url></urlset>` };
        if (path === '/') return { body: page('Home', '<a href=/two>2</a> <a href=/app>app</a> <a href=/away>a</a>') };
        if (path === '/app') return { body: SHELL };
        if (path === '/data') return { body: `<h1>App</h1><p>${WORDS.repeat(3)}` };
        if (path === '/away') return { redirect: other.url('/landed') };
        return { body: page(path, '') };
      },
    });
    proxy = await startProxy({ login: 'user:proxy-s3cret' });
    cluster = await startCluster({
      roles: { api: 1, discover: 1, fetch: 1, process: 1, coordinator: 1 },
      env: {
        BROWSER_PATH: await testBrowser(),
        SECRET_KEY: randomBytes(32).toString('base64'),
        LOG_LEVEL: 'trace',
      },
      onLog: (text) => logged.push(text),
    });
  }, 240_000);
  afterAll(async () => {
    await cluster?.stop();
    await Promise.all([site, other, proxy].map((one) => one?.close()));
  });

  const access = () => ({
    headers: { 'X-Token': 'header-s3cret' },
    cookies: [{ name: 'sid', value: 'cookie-s3cret' }],
    basicAuth: { username: 'name-s3cret', password: 'word-s3cret' },
    proxy: proxy.url,
  });
  const ask = async (method: string, path: string, body?: unknown) => {
    const { status, body: answer } = await cluster.request(method, path, body);
    answers.push(JSON.stringify(answer));
    return { status, answer: answer as Record<string, unknown> };
  };

  it('opens a site to a run of its source: sitemap, pages, what a browser loads, and to no other host', async () => {
    const config = { url: site.url('/'), maxDepth: 1, scope: 'any', output: { html: true } };
    const { status, answer: source } = await ask('POST', '/v1/sources', { name: 'closed', config, access: access() });
    expect({ status, source }).toMatchObject({
      status: 201,
      source: { access: { headers: ['X-Token'], proxy: true } },
    });
    const { answer: started } = await ask('POST', `/v1/sources/${source.id}/runs`, {});
    const run = String(started.id);
    await cluster.finished(run);
    const pages = await cluster.pages(run);
    expect(pages.map(({ url, outcome }) => [new URL(url).pathname, outcome]).sort()).toEqual([
      ['/', 'processed'],
      ['/app', 'processed'],
      ['/away', 'skipped'],
      ['/landed', 'processed'],
      ['/listed', 'processed'],
      ['/two', 'processed'],
    ]);
    const app = pages.find(({ url }) => url.endsWith('/app'));
    expect((await ask('GET', `/v1/pages/${app?.id}`)).answer).toMatchObject({
      rendered: true,
      markdown: expect.stringContaining('Only who is let in'),
    });
    // The other host is reached through the proxy as well, and is told nothing.
    expect(other.requests().map(({ path }) => path)).toContain('/landed');
    for (const { headers } of other.requests())
      expect([headers['x-token'], headers.cookie, headers.authorization]).toEqual([undefined, undefined, undefined]);
    // Nobody came past the proxy, and the proxy's login went no further.
    const direct = [...site.requests(), ...other.requests()];
    expect(proxy.asked.length).toBeGreaterThanOrEqual(direct.length);
    for (const { headers } of direct) expect(headers['proxy-authorization']).toBeUndefined();
    for (const path of ['', '/progress', '/why', '/errors', '/pages?limit=200'])
      await ask('GET', `/v1/runs/${run}${path}`);
    for (const path of ['', '/pages', '/changes', '/runs']) await ask('GET', `/v1/sources/${source.id}${path}`);
    await ask('GET', '/v1/sources');
  }, 90_000);

  it('goes to no site over http that was named without a scheme, and the run says so', async () => {
    const { answer: started } = await ask('POST', '/v1/runs', {
      ...{ sites: [new URL(site.origin).host], maxDepth: 0, sitemap: 'skip' },
      access: { ...access(), proxy: undefined },
    });
    const run = String(started.id);
    await cluster.finished(run);
    expect(await cluster.pages(run)).toMatchObject([{ outcome: 'failed', error: { code: 'HTTP_401' } }]);
    const { answer } = await ask('GET', `/v1/runs/${run}`);
    expect(answer.warnings).toContainEqual(expect.stringContaining('speaks only http'));
  }, 60_000);

  it('opens it to one page that is asked for now', async () => {
    const crawl = (body: object) => ask('POST', '/v1/crawl', { url: site.url('/app'), ...body });
    expect(await crawl({ access: access() })).toMatchObject({
      status: 200,
      answer: { rendered: true, markdown: expect.stringContaining('Only who is let in') },
    });
    expect(await crawl({})).toMatchObject({ status: 502, answer: { code: 'HTTP_401' } });
  }, 60_000);

  it('a proxy that is not there is what the pages fail with, and no host is blamed for it', async () => {
    const gone = await startProxy();
    await gone.close();
    const run = await cluster.startRun({
      ...{ url: site.url('/'), maxRetries: 2, maxRetryBackoffSeconds: 1, access: { proxy: gone.url } },
    });
    await cluster.finished(run);
    expect(await cluster.pages(run)).toMatchObject([
      { outcome: 'failed', error: { code: 'PROXY_FAILED', attempts: 2 } },
    ]);
    const { answer } = await ask('POST', '/v1/crawl', { url: site.url('/'), access: { proxy: gone.url } });
    expect(answer).toMatchObject({ success: false, code: 'PROXY_FAILED' });
    const { answer: hosts } = await ask('GET', `/v1/runs/${run}/why`);
    expect(JSON.stringify(hosts)).not.toContain('PROXY_FAILED');
    const gate = await textInRedis(cluster.redis.url, 'host:{127.0.9.1');
    expect(gate).toContain('127.0.9.1');
    expect(gate).not.toMatch(/"failures":"[1-9]/);
  }, 60_000);

  it('is in no answer, no log, no row and no key', async () => {
    const keys = await textInRedis(cluster.redis.url, '');
    const rows = await textInPostgres(cluster.databaseUrl);
    const places = { keys, rows, answers: answers.join('\n'), log: logged.join('') };
    expect([keys.includes(site.origin), rows.includes(site.origin), answers.length > 10]).toEqual([true, true, true]);
    expect(places.log).toContain('Request acquired slot');
    for (const [place, text] of Object.entries(places))
      for (const secret of TOLD) expect(text.includes(secret), `${secret} in ${place}`).toBe(false);
  });
});
