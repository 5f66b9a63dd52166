import {
  problemSchema,
  type RunErrors,
  type RunId,
  runErrorsSchema,
  type UrlErrorCode,
  type UrlKey,
} from '@trawl/contracts';
import { finalizeRun, sealRun } from '@trawl/db';
import { testRedis } from '@trawl/testing';
import { hostKey, packRequestUrl } from '@trawl/url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApi, type TestApi } from '../test-api.ts';

const redis = testRedis();
let api: TestApi;
beforeAll(async () => {
  api = await startTestApi(redis);
});
afterAll(() => api.close());

const errorsOf = async (id: string, query = ''): Promise<RunErrors> => {
  const answer = await api.get(`/v1/runs/${id}/errors${query}`);
  expect(answer.status).toBe(200);
  return runErrorsSchema.strict().parse(await answer.json());
};

/** Examples may be any three. */
const withoutExamples = ({ items, ...rest }: RunErrors) => ({
  ...rest,
  items: items.map(({ examples: _, ...item }) => item),
});

const failureOf = (code: UrlErrorCode) => ({
  error: { code, message: `It was ${code}.`, retryable: false, attempts: 1 },
  at: 0,
});

type Ended = readonly [url: string, outcome: 'failed' | 'skipped', code: UrlErrorCode];

/** As a fetch worker leaves it in Redis. */
async function endInRedis(runId: RunId, urls: readonly Ended[]): Promise<void> {
  const run = `${api.prefix}crawl:{${runId}}:`;
  for (const [url, outcome, code] of urls) {
    // http and https of a page are one.
    const key = url.replace(/^http:/, 'https:') as UrlKey;
    await redis.sadd(`${run}urls:${outcome}`, key);
    await redis.hset(`${run}task`, key, `0 0 0 0 template - ${packRequestUrl(key, url)}`);
    await redis.hset(`${run}errors`, key, JSON.stringify(failureOf(code)));
  }
}

/** As finalization does. */
async function finalize(runId: RunId): Promise<void> {
  await redis.hset(`${api.prefix}crawl:{${runId}}:meta`, 'status', 'finalizing', 'final', 'completed');
  await sealRun(api.db, runId);
  await finalizeRun(api.db, runId, {
    status: 'completed',
    stats: {
      total: 0,
      queued: 0,
      fetched: 0,
      processed: 0,
      failed: 0,
      skipped: 0,
      discoveredBeyondLimit: 0,
      currentDepth: 0,
      pagesPerSecond: 0,
      refused: {},
      durationMs: 0,
    },
    warnings: [],
    processedCount: 0,
    processedKeys: async function* () {},
    depths: async function* () {},
    outcomes: outcomesOf(runId),
  });
  await api.state.finish(runId);
}

async function* outcomesOf(runId: RunId) {
  for (const outcome of ['failed', 'skipped'] as const) {
    for await (const batch of api.state.finishedUrls(runId, outcome)) {
      yield batch.map(({ key, url, depth, parentUrl, failure }) => ({
        key,
        url,
        finalUrl: null,
        depth,
        parentUrl,
        outcome,
        httpStatus: null,
        contentType: null,
        bytes: null,
        elapsedMs: null,
        error: failure?.error ?? failureOf('RUN_CANCELLED').error,
        crawledAt: new Date(),
      }));
    }
  }
}

describe('GET /v1/runs/:id/errors', () => {
  it('comes from Redis while the run is alive and from Postgres afterwards, the same', async () => {
    const id = await api.startRun();
    expect(await errorsOf(id)).toEqual({ runId: id, total: 0, items: [], truncated: false });
    await api.discover(id, ['/1']);
    await endInRedis(id, [
      ['https://example.com/gone/1', 'failed', 'HTTP_404'],
      ['https://example.com/gone/2', 'failed', 'HTTP_404'],
      ['https://example.com/busy', 'failed', 'HTTP_503'],
      ['https://example.com/old', 'skipped', 'REDIRECTED'],
    ]);
    const live = await errorsOf(id);
    expect(withoutExamples(live)).toEqual({
      runId: id,
      total: 4,
      truncated: false,
      items: [
        { code: 'HTTP_404', outcome: 'failed', count: 2, message: 'It was HTTP_404.' },
        { code: 'HTTP_503', outcome: 'failed', count: 1, message: 'It was HTTP_503.' },
        { code: 'REDIRECTED', outcome: 'skipped', count: 1, message: 'It was REDIRECTED.' },
      ].map((item) => ({ ...item, host: 'example.com', retryable: false })),
    });
    expect(live.items.map(({ examples }) => [...examples].sort())).toEqual([
      ['https://example.com/gone/1', 'https://example.com/gone/2'],
      ['https://example.com/busy'],
      ['https://example.com/old'],
    ]);
    const failed = await errorsOf(id, '?outcome=failed&limit=1');
    expect(failed).toMatchObject({ total: 3, truncated: true, items: [{ code: 'HTTP_404' }] });
    const skipped = await errorsOf(id, '?outcome=skipped');
    expect(skipped).toMatchObject({ total: 1, truncated: false, items: [{ code: 'REDIRECTED' }] });

    await finalize(id);
    await api.state.remove(id);
    expect(withoutExamples(await errorsOf(id))).toEqual(withoutExamples(live));
    expect(withoutExamples(await errorsOf(id, '?outcome=failed&limit=1'))).toEqual(withoutExamples(failed));
    expect(withoutExamples(await errorsOf(id, '?outcome=skipped'))).toEqual(withoutExamples(skipped));
  });

  it('names hosts as politeness does, in both places', async () => {
    const urls = [
      'https://www.example.com/',
      'https://example.com:8443/a:b@c',
      'http://example.com./x',
      'https://example.com../x',
      'https://www.www.example.com/?q=http://other.test/',
      'https://www.com/',
      'https://www.com./',
      'https://www..example.com/',
      'https://wwww.example.com/',
      'https://www.www.com/',
      'http://127.0.0.1:80/',
      'http://[::1]:3000/www.',
      'https://xn--mnchen-3ya.example/%20#',
      'https://localhost/',
      'https://www/',
      'https://./',
    ].map((url) => new URL(url).href);
    const id = await api.startRun();
    await endInRedis(
      id,
      urls.map((url) => [url, 'failed', 'CONNECTION_FAILED'] as const),
    );
    const counts = new Map<string, number>();
    for (const url of urls) counts.set(hostKey(url), (counts.get(hostKey(url)) ?? 0) + 1);
    const hostsOf = ({ items }: RunErrors) => new Map(items.map(({ host, count }) => [host, count]));
    const live = await errorsOf(id);
    expect(hostsOf(live)).toEqual(counts);
    await finalize(id);
    expect(withoutExamples(await errorsOf(id))).toEqual(withoutExamples(live));
  });

  it.each(['?limit=0', '?limit=1001', '?limit=x', '?outcome=processed', '?outcome='])('refuses %s', async (query) => {
    const answer = await api.get(`/v1/runs/${await api.startRun()}/errors${query}`);
    expect(answer.status).toBe(400);
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
    const path = query.slice(1, query.indexOf('='));
    expect(problemSchema.parse(await answer.json()).errors).toMatchObject([{ path }]);
  });

  it('does not know a run that never was', async () => {
    for (const id of [`run_${'0'.repeat(20)}`, 'nonsense'])
      expect((await api.get(`/v1/runs/${id}/errors`)).status).toBe(404);
  });

  it('is in the document', async () => {
    const document = (await (await api.get('/openapi.json')).json()) as { paths: Record<string, object> };
    expect(document.paths['/v1/runs/{id}/errors']).toHaveProperty('get');
  });
});
