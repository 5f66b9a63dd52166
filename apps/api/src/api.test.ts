import { randomBytes } from 'node:crypto';
import { connect, createServer } from 'node:net';
import { Validator } from '@seriousme/openapi-schema-validator';
import { crawlErrorSchema, problemSchema, ROLES, readySchema, runAcceptedSchema } from '@trawl/contracts';
import { createCrawlState } from '@trawl/crawl-state';
import { openDb } from '@trawl/db';
import { connectRedis, createLogger, rolesSeen, startHeartbeat } from '@trawl/runtime';
import { testRedis, waitFor } from '@trawl/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createApi } from './api.ts';
import type { ApiDeps, ApiSettings } from './deps.ts';
import { listen } from './listen.ts';
import { startTestApi, type TestApi } from './test-api.ts';

const logger = createLogger({ level: 'silent', role: 'api' });
const redis = testRedis();
let api: TestApi;
beforeAll(async () => {
  api = await startTestApi(redis);
});
afterAll(() => api.close());

const documentSchema = z.looseObject({
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
  components: z.object({ schemas: z.record(z.string(), z.unknown()) }),
});

const apiWith = (settings: Partial<ApiSettings>, deps: Partial<ApiDeps> = {}) =>
  createApi({ ...api.deps, ...deps, settings: { ...api.deps.settings, ...settings } });

describe('API keys', () => {
  const [one, two] = [randomBytes(16).toString('hex'), randomBytes(16).toString('hex')];

  it.each([
    ['a bearer token', { authorization: `Bearer ${one}` }, 200],
    ['a bearer token, in small letters', { authorization: `bearer ${two}` }, 200],
    ['a header of its own', { 'x-api-key': two }, 200],
    ['nothing', {}, 401],
    ['an unknown key', { 'x-api-key': 'x' }, 401],
    ['a part of a key', { 'x-api-key': one.slice(0, -1) }, 401],
    ['both keys at once', { 'x-api-key': `${one},${two}` }, 401],
    ['another scheme', { authorization: `Basic ${one}` }, 401],
    ['an empty key', { authorization: 'Bearer ' }, 401],
  ])('are asked for under /v1: %s', async (_, headers: Record<string, string>, status) => {
    const answer = await apiWith({ apiKeys: [one, two] }).request('/v1/runs', { headers });
    expect(answer.status).toBe(status);
    if (status === 401) {
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      expect(problemSchema.parse(await answer.json()).code).toBe('UNAUTHORIZED');
    }
  });

  it('are asked for before a page is crawled, in the shape of its errors', async () => {
    const answer = await apiWith({ apiKeys: [one] }).request('/v1/crawl', { method: 'POST', body: '{}' });
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    expect(crawlErrorSchema.parse(await answer.json())).toMatchObject({ code: 'UNAUTHORIZED', url: '' });
  });

  it('also stand before addresses that do not exist, and not before health and the document', async () => {
    const app = apiWith({ apiKeys: [one] });
    expect((await app.request('/v1/nowhere')).status).toBe(401);
    for (const path of ['/', '/healthz', '/openapi.json']) expect((await app.request(path)).status).toBe(200);
  });

  it('have Idempotency-Keys of their own', async () => {
    const app = apiWith({ apiKeys: [one, two] });
    const start = async (key: string, url: string) => {
      const answer = await app.request('/v1/runs', {
        method: 'POST',
        headers: { 'x-api-key': key, 'idempotency-key': 'shared', 'content-type': 'application/json' },
        body: JSON.stringify({ url }),
      });
      return runAcceptedSchema.parse(await answer.json()).id;
    };
    expect(await start(one, 'https://example.com/1')).not.toBe(await start(two, 'https://example.com/2'));
  });
});

describe('settings', () => {
  it('may allow private start URLs', async () => {
    const body = JSON.stringify({ url: 'http://127.0.0.1:8080/' });
    const app = apiWith({ allowPrivateNetworks: true });
    const answer = await app.request('/v1/runs', {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    });
    expect(answer.status).toBe(202);
  });

  it('may bound bodies more tightly', async () => {
    const answer = await apiWith({ maxRequestBytes: 10 }).request('/v1/runs', { method: 'POST', body: 'x'.repeat(11) });
    expect(answer.status).toBe(415); // a text body says so itself
    const json = await apiWith({ maxRequestBytes: 10 }).request('/v1/runs', {
      method: 'POST',
      body: '{"url":"https://example.com/"}',
      headers: { 'content-type': 'application/json' },
    });
    expect(json.status).toBe(413);
  });
});

describe('health', () => {
  it('is fine while the process lives', async () => {
    expect(await (await api.get('/healthz')).json()).toEqual({ status: 'ok' });
  });

  it('is ready only when every role has a live worker, and names those that miss', async () => {
    const prefix = `${api.prefix}ready:`;
    const app = apiWith({}, { rolesSeen: () => rolesSeen(redis, prefix) });
    const none = await app.request('/readyz');
    expect(none.status).toBe(503);
    expect(none.headers.get('retry-after')).toBe('5');
    const problem = problemSchema.parse(await none.json());
    expect(problem.code).toBe('NOT_READY');
    for (const role of ROLES) expect(problem.detail).toContain(role);

    const beats = ROLES.map((role) => startHeartbeat(redis, role, { prefix, logger }));
    const ready = await waitFor(async () => {
      const answer = await app.request('/readyz');
      return answer.status === 200 && readySchema.parse(await answer.json());
    });
    expect(ready.roles).toEqual(Object.fromEntries(ROLES.map((role) => [role, 1])));
    await Promise.all(beats.map((beat) => beat.stop()));
  });
});

describe('without Redis or Postgres', () => {
  /** A port nobody listens on. */
  async function closedPort(): Promise<number> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    await new Promise((resolve) => server.close(resolve));
    if (address === null || typeof address === 'string') throw new Error('no port');
    return address.port;
  }

  const requests: [string, string][] = [
    ['GET', '/v1/runs/RUN'],
    ['GET', '/v1/runs/RUN/progress'],
    ['GET', '/v1/runs/RUN/pages'],
    ['GET', '/v1/runs/RUN/why'],
    ['GET', '/v1/runs/RUN/events'],
    ['POST', '/v1/runs/RUN/pause'],
    ['DELETE', '/v1/runs/RUN'],
    ['POST', '/v1/runs'],
    ['GET', '/readyz'],
  ];

  async function expectUnavailable(app: ReturnType<typeof createApi>, but: readonly string[] = []): Promise<void> {
    const runId = await api.startRun();
    const answers = requests
      .filter(([, path]) => !but.includes(path))
      .map(async ([method, path]) => {
        const body = path === '/v1/runs' ? { body: Buffer.from('{"url":"https://example.com/"}') } : {};
        const answer = await app.request(path.replace('RUN', runId), { method, ...body });
        expect(answer.status, `${method} ${path}`).toBe(503);
        expect(answer.headers.get('retry-after')).toBe('5');
        const { code } = problemSchema.parse(await answer.json());
        expect(code).toBe(path === '/readyz' ? 'NOT_READY' : 'DEPENDENCY_UNAVAILABLE');
      });
    await Promise.all(answers);
  }

  it('every request that needs Redis is a 503 soon', async () => {
    const down = connectRedis(`redis://127.0.0.1:${await closedPort()}`, { logger, failFast: true });
    const state = createCrawlState(down);
    await expectUnavailable(apiWith({}, { state, rolesSeen: () => rolesSeen(down, '') }));
    down.disconnect();
  });

  it('every request that needs Postgres is a 503 soon', async () => {
    const db = openDb(`postgres://127.0.0.1:${await closedPort()}/nothing`);
    // The progress of a run at work is Redis' alone.
    const app = apiWith({}, { db });
    await expectUnavailable(app, ['/v1/runs/RUN/progress']);
    expect((await app.request(`/v1/runs/${await api.startRun()}/progress`)).status).toBe(200);
    await db.close();
  });

  it('the process is still alive', async () => {
    expect((await api.get('/healthz')).status).toBe(200);
  });
});

describe('GET /openapi.json', () => {
  it('is a valid OpenAPI 3.1 document of every address there is', async () => {
    const document = documentSchema.parse(await (await api.get('/openapi.json')).json());
    const result = await new Validator().validate(document);
    expect(result.errors ?? []).toEqual([]);
    expect(result.valid).toBe(true);
    const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(documented.sort()).toEqual([
      'DELETE /v1/runs/{id}',
      'DELETE /v1/sources/{id}',
      'GET /healthz',
      'GET /readyz',
      'GET /v1/crawl/screenshots/{id}',
      'GET /v1/pages/{id}',
      'GET /v1/pages/{id}/screenshot',
      'GET /v1/runs',
      'GET /v1/runs/{id}',
      'GET /v1/runs/{id}/errors',
      'GET /v1/runs/{id}/events',
      'GET /v1/runs/{id}/export',
      'GET /v1/runs/{id}/pages',
      'GET /v1/runs/{id}/progress',
      'GET /v1/runs/{id}/why',
      'GET /v1/sources',
      'GET /v1/sources/{id}',
      'GET /v1/sources/{id}/changes',
      'GET /v1/sources/{id}/export',
      'GET /v1/sources/{id}/llms-full.txt',
      'GET /v1/sources/{id}/llms.txt',
      'GET /v1/sources/{id}/pages',
      'GET /v1/sources/{id}/runs',
      'GET /v1/sources/{id}/search',
      'GET /v1/sources/{sourceId}/runs/{id}/progress',
      'PATCH /v1/sources/{id}',
      'POST /v1/crawl',
      'POST /v1/runs',
      'POST /v1/runs/{id}/cancel',
      'POST /v1/runs/{id}/pause',
      'POST /v1/runs/{id}/resume',
      'POST /v1/sources',
      'POST /v1/sources/{id}/runs',
    ]);
    expect(Object.keys(document.components.schemas)).toEqual(
      expect.arrayContaining([
        'Run',
        'RunConfig',
        'Progress',
        'Page',
        'Problem',
        'RunWhy',
        'Source',
        'SourceChanges',
        'RunOverrides',
      ]),
    );
  });
});

/** What `fetch` refuses to send. */
async function rawRequest(port: number, request: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.end(request);
  let answer = '';
  for await (const part of socket) answer += String(part);
  return answer;
}

describe('the server', () => {
  it('answers on its port, reads odd requests as problems, and closes while streams are open', async () => {
    const stopping = new AbortController();
    const server = await listen(apiWith({}, { stopping: stopping.signal }), { host: '127.0.0.1', port: 0 });
    const base = `http://127.0.0.1:${server.port}`;
    const accepted = await fetch(`${base}/v1/runs`, {
      method: 'POST',
      body: Buffer.from('{"url":"https://example.com/"}'),
    });
    expect(accepted.status).toBe(202);
    const { id } = runAcceptedSchema.parse(await accepted.json());
    expect(await rawRequest(server.port, 'GET /healthz HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 400 [\s\S]*content-type: application\/problem\+json/i,
    );
    expect(await rawRequest(server.port, 'TRACE / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 405 [\s\S]*content-type: application\/problem\+json/i,
    );
    const large = await fetch(`${base}/v1/runs`, { method: 'POST', body: new Uint8Array(3 * 1024 * 1024) });
    expect(large.status).toBe(413);

    const events = await fetch(`${base}/v1/runs/${id}/events`);
    expect(events.status).toBe(200);
    const stoppedAtMs = Date.now();
    stopping.abort();
    await Promise.all([events.text(), server.close()]);
    // Node would keep the client's idle connections for 5 s.
    expect(Date.now() - stoppedAtMs).toBeLessThan(3000);
    await expect(fetch(`${base}/healthz`)).rejects.toThrow();
  });

  it('says in one sentence that its port is taken', async () => {
    const first = await listen(api.app, { host: '127.0.0.1', port: 0 });
    await expect(listen(api.app, { host: '127.0.0.1', port: first.port })).rejects.toThrow(
      `Can't listen on HOST=127.0.0.1 PORT=${first.port}: the port is taken`,
    );
    await first.close();
  });
});
