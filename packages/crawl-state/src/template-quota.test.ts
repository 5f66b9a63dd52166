/** Sites without end, told from sites that are only large: by whether the pages of one kind bring something new. */
import { newRunId, type RunId } from '@trawl/contracts';
import { describe, expect, test } from 'vitest';
import { type Link, MAX_LINKS_PER_CALL } from './admit.ts';
import type { SessionRef } from './begin.ts';
import type { FetchOwed, PageRef } from './owed.ts';
import type { SettledPage } from './settle.ts';
import {
  at,
  beginOn,
  claim,
  fetchOn,
  INFO,
  keyOf,
  LIMITS,
  link,
  processed,
  SETTINGS,
  stepOf,
  testCrawl,
} from './test-run.ts';

const { state, start } = testCrawl();
const PAGES = 10_000;
const QUOTA = 2000;
const ENDLESS_QUOTA = 20;

/** What the pages of a site bring, in the order they are processed. */
type Brings = Pick<SettledPage & { kind: 'ok' }, 'print'> & { sample?: readonly string[]; links?: readonly Link[] };

/** Links to so many pages of one template, all on one page; then a worker that goes on as long as there is work. */
async function crawl(
  bringsOf: (page: number) => Brings,
  o: { pages?: number; endless?: boolean } = {},
): Promise<RunId> {
  const { pages = PAGES, endless = false } = o;
  const runId = newRunId();
  const quotas = { templateQuota: QUOTA, endlessQuota: ENDLESS_QUOTA };
  await state.create(runId, {
    limits: { ...LIMITS, ...quotas, maxPages: 100_000, maxUrls: 100_000 },
    settings: SETTINGS,
  });
  let opened: FetchOwed | null = null;
  for (let from = 0; from < pages; from += MAX_LINKS_PER_CALL) {
    const links = Array.from({ length: Math.min(MAX_LINKS_PER_CALL, pages - from) }, (_, i) =>
      link(`a/Class${from + i}.html`, { endless }),
    );
    const admitted = await state.admit(runId, links);
    if (admitted.kind === 'admitted') opened ??= admitted.owed.fetch[0] ?? null;
  }
  await state.discovered(runId);
  let processedCount = 0;
  while (opened) {
    const session: SessionRef = { runId, ...opened, exec: 'e' };
    opened = null;
    await state.begin(session);
    for (;;) {
      const claimed = await state.step(session, [], 100);
      if (claimed.kind === 'over' || claimed.claims.length === 0) break;
      const body = { ref: 'blob' };
      await state.step(
        session,
        claimed.claims.map(({ key, token }) => ({ key, token, kind: 'ok', body, info: INFO })),
        0,
      );
      await state.settle(
        runId,
        claimed.claims.map(({ key, token, url, depth }) => {
          const brings = { links: [], refused: {}, ...bringsOf(processedCount++) };
          return { key, token, kind: 'ok', url, depth, ...brings };
        }),
      );
    }
    opened = (await state.close(session)).owed.fetch[0] ?? null;
  }
  return runId;
}

test('10,000 pages of one kind lose none as long as they bring something new', { timeout: 60_000 }, async () => {
  const runId = await crawl((page) => ({ print: `print of ${page}` }));
  expect(await state.progress(runId)).toMatchObject({ status: 'finalizing', processed: PAGES, queued: 0, refused: {} });
});

test('pages that bring nothing new end at the quota, and what was left out is counted', {
  timeout: 60_000,
}, async () => {
  // Twelve months, over and over.
  const runId = await crawl((page) => ({ print: `month ${page % 12}` }));
  const processed = QUOTA + 2 * 12;
  expect(await state.progress(runId)).toMatchObject({
    status: 'finalizing',
    processed,
    queued: 0,
    refused: { 'template-quota': PAGES - processed },
  });
});

describe('pages of a kind that sites make without end', () => {
  const SITE = 2000;

  test('are all processed where each says what no other says: 2,000 of them', async () => {
    const bringsOf = (page: number) => ({
      print: `print ${page}`,
      sample: Array.from({ length: 8 }, (_, i) => `${page} phrase ${i}`),
    });
    const runId = await crawl(bringsOf, { pages: SITE, endless: true });
    expect(await state.progress(runId)).toMatchObject({ status: 'finalizing', processed: SITE, refused: {} });
  });

  test('are all processed where most of what each says is its own, with a frame around it', async () => {
    const frame = ['menu', 'footer', 'legal notice'];
    const bringsOf = (page: number) => ({
      print: `print ${page}`,
      sample: [...frame, ...Array.from({ length: 5 }, (_, i) => `${page} phrase ${i}`)],
    });
    const runId = await crawl(bringsOf, { pages: SITE, endless: true });
    expect(await state.progress(runId)).toMatchObject({ processed: SITE });
  });

  test('end near the quota where they are put together from the same parts, each in its own way', async () => {
    // A grid of filters: eight of sixty products, never the same eight.
    const bringsOf = (page: number) => ({
      print: `print ${page}`,
      sample: Array.from({ length: 8 }, (_, i) => `product ${(page * 7 + i * (1 + (page % 11))) % 60}`),
    });
    const runId = await crawl(bringsOf, { pages: SITE, endless: true });
    const progress = await state.progress(runId);
    expect(progress).toMatchObject({ status: 'finalizing', queued: 0 });
    // Each page that counts as new takes at least five of the sixty.
    expect(progress?.processed).toBeGreaterThan(ENDLESS_QUOTA);
    expect(progress?.processed).toBeLessThanOrEqual(ENDLESS_QUOTA + 2 * (60 / 5));
    expect(progress?.refused).toEqual({ 'template-quota': SITE - (progress?.processed ?? 0) });
  });

  test('end at the quota without a word of their own', async () => {
    const runId = await crawl((page) => ({ print: `print ${page}` }), { pages: SITE, endless: true });
    expect(await state.progress(runId)).toMatchObject({ processed: ENDLESS_QUOTA });
  });

  test('are all processed where each leads to a page of another kind, whatever it says itself', async () => {
    const bringsOf = (page: number) => ({
      print: 'the same',
      links: [link(`elsewhere/${page}`, { template: `article-${page % 10}` })],
    });
    const pages = 200;
    const runId = await crawl(bringsOf, { pages, endless: true });
    expect(await state.progress(runId)).toMatchObject({ processed: pages, queued: pages, refused: {} });
  });
});

describe('the quota of an endless template', () => {
  const endless = { template: 'grid', endless: true };
  const grid = (count: number) => Array.from({ length: count }, (_, i) => link(`a/grid-${i}`, endless));

  /** The fetched page with this name. */
  const named = (pages: readonly PageRef[], name: string): PageRef =>
    at(pages.filter(({ key }) => key === keyOf(name)));
  const settled = (page: PageRef, brings: Partial<Brings>): SettledPage => ({
    ...processed(page, [], 0, 'print'),
    ...brings,
  });

  test('is the smaller one, beside templates that have the other', async () => {
    const run = await start(['a/0'], { templateQuota: 5, endlessQuota: 2 });
    const ordinary = Array.from({ length: 10 }, (_, i) => link(`a/page-${i}`, { template: 'page' }));
    await state.admit(run.runId, [...grid(10), ...ordinary]);
    const claims = await claim(run, await beginOn(run, 'a'), 50);
    expect(claims.filter(({ key }) => key.includes('grid'))).toHaveLength(2);
    expect(claims.filter(({ key }) => key.includes('page'))).toHaveLength(5);
    expect(await state.why(run.runId)).toMatchObject({ deferred: 13 });
    expect((await run.view()).templates).toEqual({ template: '1 5', grid: '2 2 e', page: '5 5' });
  });

  test('is decided by the first URL of the template', async () => {
    const run = await start(['a/0'], { endlessQuota: 1 });
    await state.admit(run.runId, [link('a/1', { template: 'x' }), link('a/2', { template: 'x', endless: true })]);
    await state.admit(run.runId, [link('a/3', endless), link('a/4', { template: 'grid' })]);
    expect((await run.view()).templates).toMatchObject({ x: '2 1000', grid: '1 1 e' });
  });

  test.each<[string, boolean, Partial<Brings>]>([
    ['a sample that nobody had', true, { sample: ['a', 'b'] }],
    ['a sample of which more than half is new', true, { sample: ['known', 'also known', 'a', 'b', 'c'] }],
    ['a sample of which half is new', false, { sample: ['known', 'also known', 'a', 'b'] }],
    ['a sample that says one thing over and over', false, { sample: ['a', 'a', 'a'] }],
    ['an empty sample', false, { sample: [] }],
    ['no sample', false, {}],
    ['a new sample of a text that is known', false, { sample: ['a', 'b'], print: 'known print' }],
    ['a link to a new page of another kind', true, { links: [link('c/1', { template: 'other' })] }],
    ['a link to a page that is known', false, { links: [link('a/0')] }],
    ['links to more of its own', false, { links: [link('a/grid-new', endless), link('a/grid-1', endless)] }],
    ['a link to another endless kind', false, { links: [link('c/1', { template: 'calendar', endless: true })] }],
    [
      'a link to another kind, and nothing else that is new',
      true,
      { print: 'known print', sample: ['known'], links: [link('c/1', { template: 'other' })] },
    ],
  ])('with %s grows: %s', async (_, grows, brings) => {
    const run = await start(['a/0', 'b/open'], { endlessQuota: 1 });
    await state.admit(run.runId, [...grid(10), link('a/filter', { template: 'filter', endless: true })]);
    const session = await beginOn(run, 'a');
    const pages = await fetchOn(run, session);
    // A page of another endless kind, which has used some of the words.
    const known = { print: 'known print', sample: ['known', 'also known'] };
    await state.settle(run.runId, [settled(named(pages, 'a/filter'), known)]);
    await state.settle(run.runId, [settled(named(pages, 'a/grid-0'), brings)]);
    expect((await run.view()).templates.grid).toBe(grows ? '3 3 e' : '1 1 e');
    const { claims } = await stepOf(run, session, [], 50);
    expect(claims.map((c) => c.key)).toEqual((grows ? ['a/grid-1', 'a/grid-2'] : []).map(keyOf));
  });

  test('grows by each page of a call for itself', async () => {
    const run = await start(['a/0', 'b/open'], { endlessQuota: 2 });
    await state.admit(run.runId, grid(10));
    const pages = await fetchOn(run, await beginOn(run, 'a'));
    const [one, two] = [named(pages, 'a/grid-0'), named(pages, 'a/grid-1')];
    // The first leads on, the second does not.
    await state.settle(run.runId, [settled(one, { links: [link('c/1', { template: 'other' })] }), settled(two, {})]);
    expect((await run.view()).templates.grid).toBe('4 4 e');
  });

  test('is not touched by the samples of ordinary pages, nor theirs by their own', async () => {
    const run = await start(['a/0', 'b/open'], { templateQuota: 2, endlessQuota: 1 });
    await state.admit(run.runId, grid(4));
    const pages = await fetchOn(run, await beginOn(run, 'a'));
    const sample = ['a', 'b'];
    await state.settle(run.runId, [settled(named(pages, 'a/0'), { print: 'p1', sample })]);
    expect((await run.view()).templates.template).toBe('2 4');
    await state.settle(run.runId, [settled(named(pages, 'a/grid-0'), { print: 'p2', sample })]);
    expect((await run.view()).templates.grid).toBe('3 3 e');
  });
});
