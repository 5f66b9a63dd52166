import { crawlErrorSchema, newRunId, newSourceId, problemSchema, runSchema } from '@trawl/contracts';
import { testRedis } from '@trawl/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { malformedRequests } from './malformed-requests.ts';
import { startTestApi, type TestApi } from './test-api.ts';

const redis = testRedis();
let api: TestApi;
let runId: string;
let sourceId: string;
beforeAll(async () => {
  api = await startTestApi(redis);
  runId = await api.startRun();
  sourceId = runSchema.parse(await (await api.get(`/v1/runs/${runId}`)).json()).sourceId;
});
afterAll(() => api.close());

async function problemOf(answer: Response) {
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  const problem = problemSchema.parse(await answer.json());
  expect(problem.status).toBe(answer.status);
  return problem;
}

const start = (body: unknown, headers: Record<string, string> = {}) => api.post('/v1/runs', body, headers);

describe('a bad body of POST /v1/runs', () => {
  it.each([
    ['an unknown field', { url: 'https://example.com/', colour: 'red' }, 'colour', 'is not a known field'],
    ['an unknown inner field', { url: 'https://example.com/', normalize: { shout: true } }, 'normalize.shout', 'known'],
    ['the second of several URLs', { urls: ['https://example.com/', 'ftp://example.com/'] }, 'urls.1', 'scheme'],
    ['a number in place of a text', { url: 5 }, 'url', 'expected string'],
    ['a text in place of a number', { url: 'https://example.com/', maxPages: '10' }, 'maxPages', 'expected'],
    ['a field that exists on every object', '{"url":"https://example.com/","__proto__":{"a":1}}', '__proto__', 'known'],
    ['no URL at all', {}, 'url', 'is required'],
    ['an array', [], '', 'expected object'],
    ['nothing but null', 'null', '', 'expected object'],
  ])('is named: %s', async (_, body, path, message) => {
    const answer = await start(body);
    expect(answer.status).toBe(400);
    const { errors } = await problemOf(answer);
    expect(errors).toContainEqual({ path, message: expect.stringContaining(message) });
  });

  it('lists at most a hundred errors', async () => {
    const { errors } = await problemOf(await start({ urls: Array(500).fill('nonsense') }));
    expect(errors).toHaveLength(100);
  });

  it.each([
    ['malformed JSON', '{"url":'],
    ['no JSON', 'hello'],
    ['an empty body', ''],
    ['33 levels', `${'[['.repeat(17)}${']]'.repeat(17)}`],
    ['a hundred thousand levels', '{"a":'.repeat(100_000)],
    ['a NUL in a URL', '{"url":"https://example.com/\\u0000"}'],
    ['half a surrogate pair', '{"url":"https://example.com/","include":["/\\ud83d"]}'],
  ])('is a 400: %s', async (_, body) => {
    const answer = await start(body);
    expect(answer.status).toBe(400);
    await problemOf(answer);
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    '',
  ])('is a 415 with the content type %j', async (type) => {
    const answer = await start({ url: 'https://example.com/' }, { 'content-type': type });
    expect(answer.status).toBe(415);
    await problemOf(answer);
  });

  it.each(['application/json; charset=utf-8', 'APPLICATION/JSON', 'application/vnd.api+json'])(
    'is not the content type %j',
    async (type) => {
      expect((await start({ url: 'https://example.com/' }, { 'content-type': type })).status).toBe(202);
    },
  );

  it('is a 413 above 1 MiB, announced or not', async () => {
    const large = JSON.stringify({ url: 'https://example.com/', include: ['x'.repeat(1024 * 1024)] });
    const announced = await start(large, { 'content-length': String(large.length) });
    const streamed = await api.app.request(
      new Request('http://localhost/v1/runs', {
        method: 'POST',
        body: new Blob([large]).stream(),
        duplex: 'half',
      } as RequestInit),
    );
    for (const answer of [announced, streamed]) {
      expect(answer.status).toBe(413);
      await problemOf(answer);
    }
  });
});

describe('a bad address', () => {
  it.each([
    ['GET', '/nowhere', 404],
    ['GET', '/v1', 404],
    ['GET', '/v1/runs/', 404],
    ['GET', '/v1/runs/x', 404],
    ['GET', `/v1/runs/${newRunId()}`, 404],
    ['GET', `/v1/runs/${newRunId()}/progress`, 404],
    ['GET', `/v1/runs/${newRunId()}/pages`, 404],
    ['GET', `/v1/runs/${newRunId()}/why`, 404],
    ['DELETE', `/v1/runs/${newRunId()}`, 404],
    ['DELETE', '/v1/runs/%00', 404],
    ['GET', '/v1/runs/%ff%fe', 404],
    ['GET', '/v1/pages/x', 404],
    ['GET', '/v1/pages/0', 404],
    ['GET', '/v1/pages/page_999999999', 404],
    ['GET', `/v1/pages/page_${'9'.repeat(40)}`, 404],
    ['GET', '/v1/sources/x', 404],
    ['GET', '/v1/sources/%00', 404],
    ['GET', `/v1/sources/${newSourceId()}`, 404],
    ['GET', `/v1/sources/${newSourceId()}/runs`, 404],
    ['GET', `/v1/sources/${newSourceId()}/pages`, 404],
    ['GET', `/v1/sources/${newSourceId()}/changes`, 404],
    ['POST', `/v1/sources/${newSourceId()}/runs`, 404],
    ['DELETE', `/v1/sources/${newSourceId()}`, 404],
    ['PUT', '/v1/sources', 405],
    ['POST', '/v1/sources/x', 405],
    ['PUT', '/v1/runs', 405],
    ['PATCH', '/v1/runs/x', 405],
    ['GET', '/v1/runs/x/pause', 405],
    ['POST', '/v1/runs/x/progress', 405],
    ['POST', '/healthz', 405],
    ['DELETE', '/openapi.json', 405],
    ['OPTIONS', '/v1/runs', 405],
  ])('%s %s is a %i', async (method, path, status) => {
    const answer = await api.app.request(path, { method });
    expect(answer.status).toBe(status);
    await problemOf(answer);
    if (status === 405) expect(answer.headers.get('allow')).toMatch(/^[A-Z]+(, [A-Z]+)*$/);
  });

  it('says which methods an address takes', async () => {
    const answer = await api.app.request('/v1/runs', { method: 'PUT' });
    expect(answer.headers.get('allow')).toBe('GET, HEAD, POST');
  });
});

describe('a bad query', () => {
  it.each([
    ['/v1/runs?limit=0', 'limit'],
    ['/v1/runs?limit=101', 'limit'],
    ['/v1/runs?limit=-1', 'limit'],
    ['/v1/runs?limit=1e1', 'limit'],
    ['/v1/runs?limit=', 'limit'],
    ['/v1/runs?limit=1&limit=2', 'limit'],
    ['/v1/runs?limit=99999999999999999999', 'limit'],
    ['/v1/runs?status=happy', 'status'],
    ['/v1/runs?cursor=nonsense', 'cursor'],
    ['/v1/runs?cursor=', 'cursor'],
    [`/v1/runs?cursor=${Buffer.from(`run 999999999999999 ${newRunId()}`).toString('base64url')}`, 'cursor'],
    ['/v1/runs/RUN/pages?limit=1001', 'limit'],
    ['/v1/runs/RUN/pages?outcome=lost', 'outcome'],
    ['/v1/runs/RUN/pages?cursor=%00', 'cursor'],
    ['/v1/runs/RUN/pages?q=%00', 'q'],
    [`/v1/runs/RUN/pages?q=${'x'.repeat(501)}`, 'q'],
    ['/v1/sources?limit=101', 'limit'],
    ['/v1/sources?cursor=nonsense', 'cursor'],
    ['/v1/sources/SOURCE/runs?status=happy', 'status'],
    ['/v1/sources/SOURCE/runs?cursor=nonsense', 'cursor'],
    ['/v1/sources/SOURCE/pages?change=lost', 'change'],
    ['/v1/sources/SOURCE/pages?cursor=nonsense', 'cursor'],
    ['/v1/sources/SOURCE/pages?q=%00', 'q'],
    ['/v1/sources/SOURCE/changes?since=yesterday', 'since'],
    ['/v1/sources/SOURCE/changes?since=2026-01-01', 'since'],
    ['/v1/sources/SOURCE/changes?since=', 'since'],
    ['/v1/sources/SOURCE/changes?limit=1001', 'limit'],
    ['/v1/sources/SOURCE/changes?cursor=nonsense', 'cursor'],
  ])('%s is a 400 that names %s', async (path, field) => {
    const answer = await api.get(path.replace('RUN', runId).replace('SOURCE', sourceId));
    expect(answer.status).toBe(400);
    const { errors } = await problemOf(answer);
    expect(errors?.[0]?.path).toBe(field);
  });
});

it('answers hundreds of malformed requests with problems, and never with a 5xx', async () => {
  const requests = malformedRequests(runId, sourceId);
  expect(requests.length).toBeGreaterThan(300);
  for (const { path, ...init } of requests) {
    const answer = await api.app.request(path, init);
    const told = `${init.method ?? 'GET'} ${path.slice(0, 200)} ${String(init.body ?? '').slice(0, 300)}`;
    expect(answer.status, told).toBeLessThan(500);
    if (answer.ok) await answer.body?.cancel();
    // An address with answers of its own.
    else if (path === '/v1/crawl') expect(crawlErrorSchema.safeParse(await answer.json()).error, told).toBeUndefined();
    else expect(answer.headers.get('content-type'), told).toBe('application/problem+json');
  }
  expect(api.logged).toEqual([]);
});
