/** What each answer to a request for robots.txt means. */
import { gzipSync } from 'node:zlib';
import { createFetcher } from '@trawl/fetcher';
import { MAX_ROBOTS_BYTES } from '@trawl/politeness';
import { type FixtureSite, type SiteHandler, type SitePage, startSite } from '@trawl/testing';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { requestRobots } from './request-robots.ts';

const fetcher = createFetcher({ allowPrivateNetworks: true });
const guarded = createFetcher({ allowPrivateNetworks: false });
afterAll(() => Promise.all([fetcher.close(), guarded.close()]));

async function site(answer: SitePage | SiteHandler, host?: string): Promise<FixtureSite> {
  const pages: SiteHandler = typeof answer === 'function' ? answer : () => answer;
  const web = await startSite({ pages, ...(host === undefined ? {} : { host }) });
  onTestFinished(() => web.close());
  return web;
}

const ask = (origin: string, by = fetcher, turns: string[] = []) =>
  requestRobots(origin, {
    fetcher: by,
    userAgent: 'Trawl/1',
    access: null,
    timeoutMs: 400,
    maxAgeMs: 3_600_000,
    signal: new AbortController().signal,
    turn: async (url, send) => {
      turns.push(url);
      return send(() => {});
    },
  });

const RULES = 'User-agent: *\nDisallow: /x';
const allAllowed = { kind: 'found', text: '', maxAgeMs: 3_600_000 };

describe('an answer', () => {
  it.each<[string, SitePage, object]>([
    ['200', { body: RULES }, { kind: 'found', text: RULES, maxAgeMs: 3_600_000 }],
    ['200 as any type', { body: RULES, headers: { 'content-type': 'application/octet-stream' } }, { text: RULES }],
    ['200 in gzip', { body: gzipSync(RULES), headers: { 'content-encoding': 'gzip' } }, { text: RULES }],
    ['200 without a body', { body: '' }, allAllowed],
    ['204', { status: 204 }, allAllowed],
    ...[400, 401, 403, 404, 410, 418, 451, 499].map((s): [string, SitePage, object] => [
      `${s}`,
      { status: s },
      allAllowed,
    ]),
    ['a redirect that leads nowhere', { status: 302 }, allAllowed],
    ['304', { status: 304 }, allAllowed],
    [
      '429',
      { status: 429, headers: { 'retry-after': '7' } },
      { kind: 'failed', reason: 'HTTP_429', retryAfterMs: 7000 },
    ],
    ...[500, 501, 502, 503, 504, 505, 520, 599].map((s): [string, SitePage, object] => [
      `${s}`,
      { status: s },
      { kind: 'failed', reason: `HTTP_${s}` },
    ]),
    ['no answer in time', { delayMs: 5000 }, { kind: 'failed', reason: 'TIMEOUT_HEADERS' }],
    ['a connection that is cut', { hangUp: true }, { kind: 'failed', reason: 'CONNECTION_FAILED' }],
    [
      'broken gzip',
      { body: RULES, headers: { 'content-encoding': 'gzip' } },
      { kind: 'failed', reason: 'DECODE_FAILED' },
    ],
  ])('%s', async (_name, answer, meaning) => {
    expect(await ask((await site(answer)).origin)).toMatchObject(meaning);
  });

  it('that is longer than 500 KiB counts as far as that', async () => {
    const body = `${RULES}\n`.padEnd(MAX_ROBOTS_BYTES + 10_000, '#');
    const reply = await ask((await site({ body })).origin);
    expect(reply).toMatchObject({ kind: 'found' });
    expect(reply.kind === 'found' && reply.text).toHaveLength(MAX_ROBOTS_BYTES);
  });

  it('of a server that is not there is a failure', async () => {
    const web = await site({});
    await web.close();
    expect(await ask(web.origin)).toMatchObject({ kind: 'failed', reason: 'CONNECTION_FAILED' });
  });

  it('that a page would not get either leaves it to the page to say so, for a minute', async () => {
    const briefly = { kind: 'found', text: '', maxAgeMs: 60_000 };
    const web = await site({ body: RULES });
    expect(await ask(web.origin, guarded)).toEqual(briefly);
    expect(web.robotsRequests()).toHaveLength(0);
    expect(await ask(web.origin.replace('http:', 'https:'))).toMatchObject({ kind: 'found', text: '' });
  });
});

describe('redirects', () => {
  /** /robots.txt leads through so many others to the rules. */
  const chain =
    (length: number): SiteHandler =>
    ({ path }) => {
      const hop = path === '/robots.txt' ? 0 : Number(path.slice(1));
      return hop === length ? { body: RULES } : { redirect: `/${hop + 1}` };
    };

  it('are followed five times', async () => {
    const turns: string[] = [];
    const web = await site(chain(5));
    expect(await ask(web.origin, fetcher, turns)).toMatchObject({ text: RULES });
    expect(turns.map((url) => new URL(url).pathname)).toEqual(['/robots.txt', '/1', '/2', '/3', '/4', '/5']);
  });

  it('are not followed a sixth time: then everything is allowed', async () => {
    const web = await site(chain(6));
    expect(await ask(web.origin)).toEqual(allAllowed);
    expect(web.count('/6')).toBe(0);
  });

  it('in a circle end as well', async () => {
    const web = await site({ redirect: '/robots.txt' });
    expect(await ask(web.origin)).toEqual(allAllowed);
    expect(web.robotsRequests()).toHaveLength(6);
  });

  it('to another host are followed, and that host is the one whose turn is taken', async () => {
    const other = await site({ body: RULES }, '127.0.0.9');
    const web = await site({ redirect: other.url('/robots.txt') });
    const turns: string[] = [];
    expect(await ask(web.origin, fetcher, turns)).toMatchObject({ text: RULES });
    expect(turns).toEqual([web.url('/robots.txt'), other.url('/robots.txt')]);
  });

  it('lead to a failure where the last one fails', async () => {
    const web = await site(({ path }) => (path === '/robots.txt' ? { redirect: '/other' } : { status: 503 }));
    expect(await ask(web.origin)).toMatchObject({ kind: 'failed', reason: 'HTTP_503' });
  });
});

it('is dropped when no turn is to be had', async () => {
  const reply = await requestRobots('http://127.0.0.1:1', {
    fetcher,
    userAgent: 'x',
    access: null,
    timeoutMs: 100,
    maxAgeMs: 1,
    signal: new AbortController().signal,
    turn: async () => null,
  });
  expect(reply).toEqual({ kind: 'dropped' });
});
