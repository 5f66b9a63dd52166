/** What `POST /v1/crawl` answers, and when; the worker is the test's own, the queue is real. */
import { keepForAWhile } from '@trawl/blobs';
import { type CrawlOutcome, crawlAnswerSchema, crawlErrorSchema } from '@trawl/contracts';
import { consumeCrawls, queuePrefix } from '@trawl/queues';
import { createLogger } from '@trawl/runtime';
import { testRedis, waitFor } from '@trawl/testing';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createApi } from '../api.ts';
import { startTestApi, type TestApi } from '../test-api.ts';

const redis = testRedis();
const logger = createLogger({ level: 'silent', role: 'test' });
const URL = 'https://example.com/page';
let api: TestApi;
beforeAll(async () => {
  api = await startTestApi(redis);
});
afterAll(() => api.close());

const page: CrawlOutcome = {
  kind: 'page',
  page: {
    ...{ url: URL, finalUrl: URL, title: 'T', language: 'en', markdown: '# T', text: null, html: null, links: [] },
    ...{ metadata: {}, httpStatus: 200, contentType: 'text/html', rendered: false, warnings: [], elapsedMs: 5 },
  },
  shot: null,
};

function work(crawl: (signal: AbortSignal) => Promise<CrawlOutcome>): void {
  const consumer = consumeCrawls((_, signal) => crawl(signal), {
    connection: redis,
    prefix: api.prefix,
    concurrency: 10,
    logger,
  });
  onTestFinished(() => consumer.close());
}

const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

const activeCrawls = (): Promise<number> => redis.llen(`${queuePrefix(api.prefix)}:crawl:active`);

/** The same API with other settings. */
const appWith = (settings: Partial<TestApi['deps']['settings']>) =>
  createApi({ ...api.deps, settings: { ...api.deps.settings, ...settings } });

const post = (app: Pick<TestApi['app'], 'request'>, body: object, signal?: AbortSignal) =>
  app.request('/v1/crawl', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });

describe('POST /v1/crawl', () => {
  it('answers with the page, and says in the log when it waited and when it had its slot', async () => {
    work(async () => page);
    api.logged.length = 0;
    const answer = await post(api.app, { url: URL });
    expect(answer.status).toBe(200);
    expect(crawlAnswerSchema.parse(await answer.json())).toMatchObject({ success: true, url: URL, markdown: '# T' });
    expect(api.logged).toEqual([
      `Request queued for URL: ${URL}, waiting for available slot`,
      expect.stringMatching(/^Request acquired slot for URL: https:\/\/example\.com\/page after \d+\.\d\ds$/),
    ]);
  });

  it('says where the picture is, and has it there', async () => {
    const png = Buffer.from('a picture');
    work(async () => ({ ...page, shot: await keepForAWhile(api.blobs, png) }));
    const { screenshot } = crawlAnswerSchema.parse(await (await post(api.app, { url: URL })).json());
    const picture = await api.app.request(String(screenshot));
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(Buffer.from(await picture.arrayBuffer())).toEqual(png);
    const other = await api.blobs.put('run_a/page', Buffer.from('a page'));
    for (const id of ['none', Buffer.from(other).toString('base64url')])
      expect((await api.app.request(`/v1/crawl/screenshots/${id}`)).status).toBe(404);
  });

  it('is 503 to the letter where no slot came in time, and whoever waited is out of line', async () => {
    api.logged.length = 0;
    const answer = await post(appWith({ queueTimeoutMs: 1000 }), { url: URL });
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('60');
    const body = await answer.json();
    const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(body).toEqual({ success: false, url: URL, error: 'Service too busy, please retry later', timestamp });
    crawlErrorSchema.parse(body);
    expect(api.logged.at(-1)).toBe(`Request timed out in queue for URL: ${URL} after 1s`);
    expect(await api.queues.waiting('crawl')).toBe(0);
  });

  it.each([
    ['TIMEOUT', 504],
    ['ROBOTS_DISALLOWED', 403],
    ['UNSUPPORTED_TYPE', 422],
    ['PRIVATE_ADDRESS', 400],
    ['HTTP_404', 502],
    ['DNS_NOT_FOUND', 502],
  ])('tells of %s as %d, in the shape of its errors', async (code, status) => {
    work(async () => ({ kind: 'failed', code, message: 'why', httpStatus: 404 }));
    const answer = await post(api.app, { url: URL });
    expect(answer.status).toBe(status);
    expect(crawlErrorSchema.parse(await answer.json())).toMatchObject({
      url: URL,
      code,
      error: 'why',
      httpStatus: 404,
    });
  });

  it('gives its slot back when the client goes away', async () => {
    const stopped: string[] = [];
    api.logged.length = 0;
    work((signal) => untilAborted(signal).finally(() => stopped.push('stopped')));
    const client = new AbortController();
    const answer = post(api.app, { url: URL }, client.signal);
    await waitFor(() => api.logged.at(-1)?.includes('acquired'), { what: 'its slot' });
    client.abort();
    await waitFor(() => stopped.length === 1, { what: 'the worker to stop' });
    await Promise.resolve(answer).catch(() => {});
  });

  it('says that it is the API that stops, and not the crawl that took too long', async () => {
    const stopping = new AbortController();
    const app = createApi({ ...api.deps, stopping: stopping.signal });
    api.logged.length = 0;
    work(untilAborted);
    const answers = [post(app, { url: URL })];
    await waitFor(() => api.logged.at(-1)?.includes('acquired'), { what: 'its slot' });
    stopping.abort();
    for (const answer of await Promise.all(answers)) {
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '60']);
      expect(await answer.json()).toMatchObject({ success: false, url: URL, code: 'SHUTTING_DOWN' });
    }
  });

  it('has its slot free before it answers that it took too long', async () => {
    work((signal) => untilAborted(signal));
    const app = appWith({ queueTimeoutMs: 1000 });
    // The worker that has it does not keep to its time: after a grace the API stops it.
    const answer = await post(app, { url: URL, timeoutSeconds: 0.1 });
    expect(answer.status).toBe(504);
    expect(await activeCrawls()).toBe(0);
  }, 30_000);

  it('leaves nothing in line for a client that went away while it was put there', async () => {
    const answer = post(api.app, { url: URL }, AbortSignal.timeout(0));
    await Promise.resolve(answer).catch(() => {});
    await waitFor(async () => (await api.queues.waiting('crawl')) === 0, { what: 'the line to be empty' });
  });

  it('takes its place out of the line when the client goes away while it waits', async () => {
    const client = new AbortController();
    const answer = post(api.app, { url: URL }, client.signal);
    await waitFor(async () => (await api.queues.waiting('crawl')) === 1, { what: 'its place' });
    client.abort();
    await waitFor(async () => (await api.queues.waiting('crawl')) === 0, { what: 'the line to be empty' });
    await Promise.resolve(answer).catch(() => {});
  });

  it.each([
    ['not JSON', 'nonsense', 'application/json', 400],
    ['another type', '<url>', 'text/xml', 415],
    ['too much', `{"url":"${'x'.repeat(1024 * 1024)}"}`, 'application/json', 413],
  ])('refuses a body that is %s in the shape of its errors', async (_, body, type, status) => {
    const answer = await api.app.request('/v1/crawl', { method: 'POST', headers: { 'content-type': type }, body });
    expect(answer.status).toBe(status);
    expect(crawlErrorSchema.parse(await answer.json())).toMatchObject({ success: false, url: '' });
  });

  it.each([
    [{}, 'url'],
    [{ url: 'nonsense' }, 'url'],
    [{ url: URL, timeoutSeconds: 0 }, 'timeoutSeconds'],
    [{ url: URL, formats: ['pdf'] }, 'formats.0'],
    [{ url: URL, formats: [] }, 'formats'],
    [{ url: URL, fast: true }, 'fast'],
    [{ url: URL, formats: ['screenshot'], render: 'never' }, 'render'],
    [{ url: 'http://127.0.0.1/' }, 'url'],
    [{ url: URL, render: 'always' }, 'render'],
    [{ url: URL, formats: ['screenshot'] }, 'formats'],
  ])('refuses %j, and names %s', async (body, path) => {
    const answer = await post(api.app, body);
    expect(answer.status).toBe(400);
    const { errors, error, url } = crawlErrorSchema.parse(await answer.json());
    expect(url).toBe('url' in body ? body.url : '');
    expect(errors?.map((one) => one.path)).toEqual([path]);
    expect(error).toContain(path);
  });
});
