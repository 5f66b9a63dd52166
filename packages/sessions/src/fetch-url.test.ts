/** What becomes of a URL whose page was served and whose browser is in trouble, or whose proxy is. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openBlobStore } from '@trawl/blobs';
import { accessSchema, bindAccess, completeRunConfig, createRunSchema, newRunId, type UrlKey } from '@trawl/contracts';
import { createFetcher } from '@trawl/fetcher';
import { startProxy, startSite } from '@trawl/testing';
import { compileRules } from '@trawl/url';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { type FetchUrlDeps, fetchUrl } from './fetch-url.ts';

const fetcher = createFetcher({ allowPrivateNetworks: true });
const folder = mkdtempSync(join(tmpdir(), 'fetch-url-'));
const blobs = openBlobStore(pathToFileURL(folder).href);
let site: Awaited<ReturnType<typeof startSite>>;
beforeAll(async () => {
  site = await startSite({
    pages: ({ path }) => {
      if (path === '/busy') return { status: 503 };
      return { body: '<p>page', headers: { 'set-cookie': 'sid=secret; Path=/', 'x-other': '1' } };
    },
  });
});
afterAll(async () => {
  await Promise.all([site.close(), fetcher.close()]);
  rmSync(folder, { recursive: true });
});

interface Request extends Pick<FetchUrlDeps, 'browse'> {
  readonly path?: string;
  readonly proxy?: string;
  readonly cookies?: object[];
  readonly html?: boolean;
  readonly signal?: AbortSignal;
}

function fetchOne(o: Request) {
  const url = site.url(o.path ?? '/page');
  const { html = false, proxy, cookies } = o;
  const config = completeRunConfig(createRunSchema.parse({ url, output: { html } }), { userAgent: 'test' });
  const given = { ...(proxy && { proxy }), ...(cookies && { cookies }) };
  const access = proxy || cookies ? bindAccess(accessSchema.parse(given), [url]) : null;
  return fetchUrl(
    { key: url as UrlKey, token: '1', url, depth: 0, attempts: 0, age: null },
    {
      ...{ runId: newRunId(), config, rules: compileRules(config), canRender: true },
      access: { kind: 'open', access },
    },
    { fetcher, blobs, inlineBodyBytes: 1000, ...(o.browse && { browse: o.browse }) },
    {
      signal: o.signal ?? new AbortController().signal,
      onSent: () => {},
      known: undefined,
      rendering: new Map(),
    },
  );
}

it('a page that breaks what reads it has had an attempt, so that it can not come again without end', async () => {
  const { result, hostFailure } = await fetchOne({ browse: () => Promise.reject(new RangeError('too deep')) });
  expect(result).toMatchObject({ kind: 'retry', failure: { error: { code: 'RENDER_FAILED', attempts: 1 } } });
  expect(hostFailure).toBeNull();
});

it('what ends with its session goes back without', async () => {
  const stopped = new AbortController();
  const browse = async () => {
    stopped.abort(new Error('the session ends'));
    throw new Error('cut short');
  };
  await expect(fetchOne({ browse, signal: stopped.signal })).rejects.toThrow('the session ends');
});

it('without a browser that starts it waits, and no attempt is counted', async () => {
  const error = { code: 'RENDER_UNAVAILABLE', message: 'None.', retryable: true } as const;
  const { result } = await fetchOne({ browse: async () => ({ kind: 'failed', error }) });
  expect(result).toMatchObject({ kind: 'later', afterMs: expect.toSatisfy((ms) => ms >= 1000) });
});

it('a proxy that answers for itself costs the page an attempt, and the host nothing', async () => {
  const proxy = await startProxy({ status: 503 });
  onTestFinished(() => proxy.close());
  expect(await fetchOne({ proxy: proxy.url })).toMatchObject({
    result: { kind: 'retry', failure: { error: { code: 'HTTP_503', attempts: 1 } } },
    hostFailure: null,
    isUnsent: true,
  });
  expect(await fetchOne({ path: '/busy' })).toMatchObject({ hostFailure: 'HTTP_503' });
});

it('a session that is shown, and told again, is not kept with the answer', async () => {
  const headersOf = async (o: Pick<Request, 'cookies'>) => {
    const { result } = await fetchOne({ ...o, html: true });
    if (result.kind !== 'ok') throw new Error(`not fetched: ${JSON.stringify(result)}`);
    return new Map(result.info.head?.headers.map(([name, value]) => [name.toLowerCase(), value]));
  };
  const shown = await headersOf({ cookies: [{ name: 'sid', value: 'secret' }] });
  expect([shown.get('x-other'), shown.get('set-cookie')]).toEqual(['1', undefined]);
  // What anybody is told is part of the answer.
  expect((await headersOf({})).get('set-cookie')).toBe('sid=secret; Path=/');
});
