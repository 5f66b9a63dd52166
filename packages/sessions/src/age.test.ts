import { completeRunConfig, createRunSchema, newRunId, type UrlKey } from '@trawl/contracts';
import { type Claim, type PageAge, UNCHANGED_BODY } from '@trawl/crawl-state';
import type { KnownPage } from '@trawl/db';
import { compileRules } from '@trawl/url';
import { describe, expect, it } from 'vitest';
import { decideByAge } from './age.ts';
import type { RunRequests } from './fetch-url.ts';

function runOf(updateStale: boolean): RunRequests {
  const config = completeRunConfig(createRunSchema.parse({ url: 'https://example.com/start', updateStale }), {
    userAgent: 'x',
  });
  const access = { kind: 'open', access: null } as const;
  return { runId: newRunId(), config, access, rules: compileRules(config), canRender: false };
}

/** One that asks only for what may have changed. */
const run = runOf(true);

const HOUR_MS = 3_600_000;
const hoursAgo = (hours: number): Date => new Date(Date.now() - hours * HOUR_MS);

const claimOf = (age: PageAge | null = null, path = 'page'): Claim => ({
  key: `https://example.com/${path}` as UrlKey,
  token: '7',
  url: `https://example.com/${path}`,
  depth: 1,
  attempts: 0,
  age,
});

const known = (over: Partial<KnownPage> = {}): KnownPage => ({
  httpStatus: 200,
  contentType: 'text/html',
  etag: '"v1"',
  lastModified: null,
  bodyHash: 'body',
  contentHash: 'content',
  crawledAt: hoursAgo(1),
  rendered: false,
  sitemap: null,
  ...over,
});

const stale = known({ crawledAt: hoursAgo(200) });
const fresh = known();

const ref = { key: claimOf().key, token: '7' };
const ASK = null;
const TO_STALE = { ...ref, kind: 'aged', age: 'stale' };
const TO_FRESH = { ...ref, kind: 'aged', age: 'fresh' };
const LATER = { ...ref, kind: 'later', afterMs: 500 };
const UNCHANGED = { ...ref, kind: 'ok', body: { ref: UNCHANGED_BODY } };

describe('a page that is known', () => {
  it.each<[string, KnownPage, PageAge | null, boolean, object | null]>([
    ['stale, first met, is put behind what is new', stale, null, false, TO_STALE],
    ['stale, first met, is put there also while sitemaps are read', stale, null, true, TO_STALE],
    ['stale, and come to its place, is asked for', stale, 'stale', false, ASK],
    ['stale, and come to its place, is asked for while sitemaps are read', stale, 'stale', true, ASK],
    ['fresh when it was looked at and stale by now is put before what is fresh', stale, 'fresh', false, TO_STALE],
    ['fresh, first met, is put last', fresh, null, false, TO_FRESH],
    ['fresh, first met, is put last also while sitemaps are read', fresh, null, true, TO_FRESH],
    ['stale when it was looked at and fresh by now is put last', fresh, 'stale', false, TO_FRESH],
    [
      'stale when it was looked at and fresh by now is put last while sitemaps are read',
      fresh,
      'stale',
      true,
      TO_FRESH,
    ],
    ['fresh, and come to its place, waits for the sitemaps', fresh, 'fresh', true, LATER],
    ['fresh, and come to its place, is taken as unchanged', fresh, 'fresh', false, UNCHANGED],
  ])('%s', (_, page, age, isDiscovering, decision) => {
    const decided = decideByAge(claimOf(age), page, run, isDiscovering);
    if (decision === null) expect(decided).toBeNull();
    else expect(decided).toMatchObject(decision);
  });

  it('is asked for in a run that asks for everything, whatever its age', () => {
    const all = runOf(false);
    for (const page of [stale, fresh])
      for (const age of [null, 'stale', 'fresh'] as const)
        for (const isDiscovering of [true, false])
          expect(decideByAge(claimOf(age), page, all, isDiscovering)).toBeNull();
  });

  it('is asked for where it is a start page: the rest is found from there', () => {
    for (const isDiscovering of [true, false]) {
      expect(decideByAge(claimOf(null, 'start'), fresh, run, isDiscovering)).toBeNull();
      expect(decideByAge(claimOf('fresh', 'start'), fresh, run, isDiscovering)).toBeNull();
    }
  });

  it('is taken as unchanged with what is known of it, and at the time it was last asked for', () => {
    const crawledAt = hoursAgo(3);
    const page = known({ httpStatus: 203, contentType: 'text/html; charset=utf-8', crawledAt });
    expect(decideByAge(claimOf('fresh'), page, run, false)).toEqual({
      ...UNCHANGED,
      info: {
        httpStatus: 203,
        contentType: 'text/html; charset=utf-8',
        bytes: 0,
        elapsedMs: 0,
        crawledAt: crawledAt.getTime(),
        unchanged: 'fresh',
      },
    });
  });

  it.each<[string, KnownPage['sitemap'], 'aged' | null]>([
    ['changes hourly', { lastmod: null, changefreq: 'hourly', isDropped: false }, null],
    ['was modified since', { lastmod: hoursAgo(0.5), changefreq: 'never', isDropped: false }, null],
    ['is no longer named', { lastmod: null, changefreq: 'never', isDropped: true }, null],
    ['changes daily', { lastmod: hoursAgo(5), changefreq: 'daily', isDropped: false }, 'aged'],
  ])('goes by its sitemap, which says that it %s', (_, sitemap, decision) => {
    const decided = decideByAge(claimOf('stale'), known({ crawledAt: hoursAgo(1.1), sitemap }), run, false);
    expect(decided?.kind ?? null).toBe(decision);
  });

  it('comes to an end: from each state a few decisions lead to a request or to its being unchanged', () => {
    for (const page of [stale, fresh]) {
      let age: PageAge | null = null;
      let decisions = 0;
      for (;;) {
        const decided = decideByAge(claimOf(age), page, run, false);
        if (decided?.kind !== 'aged') break;
        age = decided.age;
        expect(++decisions).toBeLessThan(3);
      }
    }
  });
});
