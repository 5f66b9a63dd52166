import { newRunId, newSourceId, type RunConfig, type SourceId } from '@trawl/contracts';
import { describe, expect, it } from 'vitest';
import { finalizeRun } from './finalize-run.ts';
import { insertRun } from './insert-run.ts';
import { hasEarlierRun, knownPages } from './known-pages.ts';
import { sealRun } from './run-status.ts';
import { savePages } from './save-pages.ts';
import { finishSitemapReading, saveSitemapEntries } from './sitemap-cache.ts';
import { addRun, config, ending, key, outcome, page, useStore } from './testing/store.ts';
import type { OutcomeRow, PageToSave, SitemapEntryRow } from './types.ts';

const store = useStore();

async function finish(
  run: Awaited<ReturnType<typeof addRun>>,
  processed: readonly string[] = [],
  outcomes: readonly OutcomeRow[] = [],
) {
  await sealRun(store.db, run.runId);
  await finalizeRun(store.db, run.runId, ending(processed, { outcomes }));
}

/** A run that ended, with these pages. */
async function crawl(pages: readonly PageToSave[], sourceId: SourceId | null = null) {
  const run = await addRun(store.db, sourceId);
  await savePages(store.db, run, pages);
  await finish(
    run,
    pages.map((p) => p.key.replace('example.com/', '')),
  );
  return run;
}

describe('whether a source has a past that a run can build on', () => {
  const { output } = config;
  const withoutMarkdown: RunConfig['output'] = { ...output, markdown: false };

  /** A run that keeps its pages as `kept` says, made so many minutes ago. */
  async function addRunWith(kept: RunConfig['output'], sourceId: SourceId | null = null, minutesAgo = 0) {
    const inserted = await insertRun(store.db, {
      id: newRunId(),
      sourceId,
      config: { ...config, output: kept },
      overlap: true,
    });
    if (inserted.kind !== 'inserted') throw new Error(inserted.kind);
    const run = { runId: inserted.run.id, sourceId: inserted.run.sourceId };
    const age = `${minutesAgo} minutes`;
    await store.database.sql`UPDATE runs SET created_at = created_at - ${age}::interval WHERE id = ${run.runId}`;
    return run;
  }

  it('is no for its first run, finished or not', async () => {
    const run = await addRun(store.db);
    expect(await hasEarlierRun(store.db, { ...run, config })).toBe(false);
    await finish(run);
    expect(await hasEarlierRun(store.db, { ...run, config })).toBe(false);
  });

  it('is no while the other runs are not finished, be they sealed', async () => {
    const first = await addRun(store.db);
    const second = await addRun(store.db, first.sourceId);
    expect(await hasEarlierRun(store.db, { ...second, config })).toBe(false);
    await sealRun(store.db, first.runId);
    expect(await hasEarlierRun(store.db, { ...second, config })).toBe(false);
  });

  it('is yes after a finished run that kept its pages the same way, and no after one that did not', async () => {
    const first = await addRun(store.db);
    await finish(first);
    const second = await addRun(store.db, first.sourceId);
    expect(await hasEarlierRun(store.db, { ...second, config })).toBe(true);
    expect(await hasEarlierRun(store.db, { ...second, config: { ...config, output: withoutMarkdown } })).toBe(false);
    const cutOtherwise = { ...output, chunks: { ...output.chunks, maxTokens: output.chunks.maxTokens + 1 } };
    expect(await hasEarlierRun(store.db, { ...second, config: { ...config, output: cutOtherwise } })).toBe(false);
  });

  it('is no after a run that kept no raw answers, where this one keeps them', async () => {
    const first = await addRun(store.db);
    await finish(first);
    const second = await addRun(store.db, first.sourceId);
    const withHtml = { ...config, output: { ...output, html: true } };
    expect(await hasEarlierRun(store.db, { ...second, config: withHtml })).toBe(false);
  });

  it('is no after a run of another version of the extractor, and a run that names none is of the first', async () => {
    const first = await addRun(store.db);
    await finish(first);
    const second = await addRun(store.db, first.sourceId);
    const ofVersion = (extractor: number) => hasEarlierRun(store.db, { ...second, config: { ...config, extractor } });
    await store.database.sql`UPDATE runs SET config = config || '{"extractor": 2}' WHERE id = ${first.runId}`;
    expect([await ofVersion(1), await ofVersion(2), await ofVersion(3)]).toEqual([false, true, false]);
    await store.database.sql`UPDATE runs SET config = config - 'extractor' WHERE id = ${first.runId}`;
    expect([await ofVersion(1), await ofVersion(2)]).toEqual([true, false]);
  });

  it('does not depend on the order in which the outputs are named', async () => {
    const first = await addRun(store.db);
    await finish(first);
    const second = await addRun(store.db, first.sourceId);
    const { markdown, html, chunks, ...rest } = output;
    const { maxTokens, overlap, tokenizer } = chunks;
    const reordered = { chunks: { tokenizer, overlap, maxTokens }, html, ...rest, markdown };
    expect(await hasEarlierRun(store.db, { ...second, config: { ...config, output: reordered } })).toBe(true);
  });

  it('goes by the newest run that is finished', async () => {
    const oldest = await addRunWith(output, null, 3);
    const { sourceId } = oldest;
    const newer = await addRunWith(withoutMarkdown, sourceId, 2);
    await addRunWith(output, sourceId, 1);
    const run = await addRunWith(output, sourceId);
    await finish(oldest);
    expect(await hasEarlierRun(store.db, { ...run, config })).toBe(true);
    await finish(newer);
    expect(await hasEarlierRun(store.db, { ...run, config })).toBe(false);
    expect(await hasEarlierRun(store.db, { ...run, config: { ...config, output: withoutMarkdown } })).toBe(true);
  });

  it('is not about the runs of other sources', async () => {
    await finish(await addRun(store.db));
    expect(await hasEarlierRun(store.db, { ...(await addRun(store.db)), config })).toBe(false);
    expect(await hasEarlierRun(store.db, { runId: newRunId(), sourceId: newSourceId(), config })).toBe(false);
  });
});

/** A key by which no other test's sitemaps know the page. */
let identities = 0;
const identityOf = () => key(`identity-${++identities}`);

async function know(sourceId: SourceId, name: string, identity = identityOf()) {
  return (await knownPages(store.db, sourceId, [{ key: key(name), identity }])).get(key(name));
}

describe('what is known of pages', () => {
  it('is what to ask the server by, and when it was last asked', async () => {
    const crawledAt = new Date('2026-02-03T04:05:06.789Z');
    const { sourceId } = await crawl([
      page('a', {
        httpStatus: 203,
        contentType: 'text/html; charset=utf-8',
        etag: '"v1"',
        lastModified: 'Tue, 03 Feb 2026 04:00:00 GMT',
        bodyHash: 'body of a',
        crawledAt,
      }),
    ]);
    expect(await know(sourceId, 'a')).toEqual({
      httpStatus: 203,
      contentType: 'text/html; charset=utf-8',
      etag: '"v1"',
      lastModified: 'Tue, 03 Feb 2026 04:00:00 GMT',
      bodyHash: 'body of a',
      contentHash: 'hash of text of a',
      crawledAt,
      rendered: false,
      sitemap: null,
    });
  });

  it('tells that a browser read it', async () => {
    const { sourceId } = await crawl([page('a', { rendered: true }), page('b')]);
    expect([(await know(sourceId, 'a'))?.rendered, (await know(sourceId, 'b'))?.rendered]).toEqual([true, false]);
  });

  it('is little where the server named nothing', async () => {
    const { sourceId } = await crawl([page('a', { contentType: null })]);
    expect(await know(sourceId, 'a')).toMatchObject({
      contentType: null,
      etag: null,
      lastModified: null,
      bodyHash: null,
      contentHash: 'hash of text of a',
    });
  });

  it('is nothing for a page that was kept in another way, or by another version of the extractor', async () => {
    const { sourceId, runId } = await crawl([page('a')]);
    const asked = [{ key: key('a'), identity: key('a') }];
    const isKnown = async (kept: Pick<RunConfig, 'output' | 'extractor'>) =>
      (await knownPages(store.db, sourceId, asked, kept)).size === 1;
    expect(await isKnown(config)).toBe(true);
    expect(await isKnown({ ...config, extractor: config.extractor + 1 })).toBe(false);
    expect(await isKnown({ ...config, output: { ...config.output, html: true } })).toBe(false);
    await store.database.sql`UPDATE runs SET config = config - 'extractor' WHERE id = ${runId}`;
    expect([await isKnown({ ...config, extractor: 1 }), await isKnown({ ...config, extractor: 2 })]).toEqual([
      true,
      false,
    ]);
  });

  it('is nothing for a page that no run saw, and for one of another source', async () => {
    const { sourceId } = await crawl([page('a')]);
    const other = await crawl([page('b')]);
    const asked = ['a', 'b', 'c'].map((name) => ({ key: key(name), identity: key(name) }));
    expect([...(await knownPages(store.db, sourceId, asked)).keys()]).toEqual([key('a')]);
    expect([...(await knownPages(store.db, other.sourceId, asked)).keys()]).toEqual([key('b')]);
    expect(await knownPages(store.db, newSourceId(), asked)).toEqual(new Map());
    expect(await knownPages(store.db, sourceId, [])).toEqual(new Map());
  });

  it('is as the last run left it, and one answer for a page that is asked for twice', async () => {
    const { sourceId } = await crawl([page('a', { etag: '"v1"', lastModified: 'then' })]);
    await crawl([page('a', { etag: '"v2"', text: 'other' })], sourceId);
    const asked = { key: key('a'), identity: key('a') };
    const known = await knownPages(store.db, sourceId, [asked, asked]);
    expect([...known.values()]).toMatchObject([
      { etag: '"v2"', lastModified: null, contentHash: 'hash of other', bodyHash: null },
    ]);
  });

  it('is nothing for a page that is gone, until it is back', async () => {
    const { sourceId } = await crawl([page('a'), page('b')]);
    await finish(await addRun(store.db, sourceId), [], [outcome('a', { httpStatus: 410 })]);
    expect(await know(sourceId, 'a')).toBeUndefined();
    expect(await know(sourceId, 'b')).toBeDefined();
    await crawl([page('a', { etag: '"back"' })], sourceId);
    expect(await know(sourceId, 'a')).toMatchObject({ etag: '"back"' });
  });

  it('is nothing for a page that has since asked not to be kept', async () => {
    const { sourceId } = await crawl([page('a', { etag: '"v1"' })]);
    const run = await addRun(store.db, sourceId);
    const error = { code: 'ROBOTS_NOINDEX', message: 'noindex', retryable: false, attempts: 1 } as const;
    await savePages(store.db, run, [page('a', { etag: '"v2"', text: '', chunks: [], skipped: error })]);
    await finish(run, [], [outcome('a', { outcome: 'skipped', httpStatus: 200, error })]);
    // Known by the validators of what was not kept, it would be taken as unchanged by the next run, without its text.
    expect(await know(sourceId, 'a')).toBeUndefined();
  });

  it('is not the answer of a page that asked not to be kept, in a run that did not count it', async () => {
    const { sourceId } = await crawl([page('a', { etag: '"v1"' })]);
    const run = await addRun(store.db, sourceId);
    const error = { code: 'ROBOTS_NOINDEX', message: 'noindex', retryable: false, attempts: 1 } as const;
    const { contentHash } = page('a');
    await savePages(store.db, run, [page('a', { etag: '"v2"', text: '', contentHash, chunks: [], skipped: error })]);
    await finish(run);
    // By this one the next run would take the page as unchanged, which has no text any more.
    expect((await know(sourceId, 'a'))?.etag ?? null).not.toBe('"v2"');
  });

  it('is answered for 3,000 pages at once', async () => {
    const names = Array.from({ length: 3000 }, (_, i) => `many-${i}`);
    const { sourceId } = await crawl(names.slice(0, 100).map((name) => page(name)));
    const asked = names.map((name) => ({ key: key(name), identity: key(name) }));
    expect((await knownPages(store.db, sourceId, asked)).size).toBe(100);
  });
});

describe('what sitemaps say of a known page', () => {
  const MONDAY = new Date('2026-03-02T00:00:00.000Z');
  const TUESDAY = new Date('2026-03-03T00:00:00.000Z');
  const WEDNESDAY = new Date('2026-03-04T00:00:00.000Z');
  const lastmod = new Date('2026-01-01T12:30:00.000Z');

  let hosts = 0;
  /** A page of a source, and a site of its own whose sitemaps may name it. */
  async function namedPage() {
    const { sourceId } = await crawl([page('a')]);
    const identity = identityOf();
    const host = `site-${++hosts}.test`;
    return {
      sitemap: async () => (await know(sourceId, 'a', identity))?.sitemap,
      names: (readAt: Date, over: Partial<SitemapEntryRow> = {}, by = host) =>
        saveSitemapEntries(store.db, by, readAt, [
          { url: 'https://example.com/a', lastmod: null, changefreq: null, priority: null, identity, ...over },
        ]),
      finish: (readAt: Date, by = host) => finishSitemapReading(store.db, by, { readAt, sitemaps: [] }),
    };
  }

  it('is null where none names it', async () => {
    const { sitemap, finish } = await namedPage();
    expect(await sitemap()).toBeNull();
    await finish(MONDAY);
    expect(await sitemap()).toBeNull();
  });

  it.each<[string, Partial<SitemapEntryRow>, object]>([
    ['neither', {}, { lastmod: null, changefreq: null }],
    ['lastmod', { lastmod }, { lastmod, changefreq: null }],
    ['changefreq', { changefreq: 'daily' }, { lastmod: null, changefreq: 'daily' }],
    ['both', { lastmod, changefreq: 'never', priority: 0.3 }, { lastmod, changefreq: 'never' }],
  ])('is told with %s', async (_, named, facts) => {
    const { sitemap, names } = await namedPage();
    await names(MONDAY, named);
    expect(await sitemap()).toEqual({ ...facts, isDropped: false });
  });

  it('is found by the identity, whatever the key of the page is', async () => {
    const { sourceId } = await crawl([page('a')]);
    const identity = identityOf();
    const entry = { url: 'https://www.example.com/A/', lastmod, changefreq: null, priority: null, identity };
    await saveSitemapEntries(store.db, 'identity.test', MONDAY, [entry]);
    expect((await know(sourceId, 'a', identity))?.sitemap).toMatchObject({ lastmod });
    expect((await know(sourceId, 'a', key('a')))?.sitemap).toBeNull();
  });

  it('is that it is dropped once a later reading came to its end without it', async () => {
    const { sitemap, names, finish } = await namedPage();
    await names(MONDAY, { lastmod });
    await finish(MONDAY);
    expect(await sitemap()).toEqual({ lastmod, changefreq: null, isDropped: false });
    await finish(TUESDAY);
    expect(await sitemap()).toEqual({ lastmod, changefreq: null, isDropped: true });
  });

  it('is not that it is dropped while a later reading goes on, nor once that has named it', async () => {
    const { sitemap, names, finish } = await namedPage();
    await names(MONDAY);
    await finish(MONDAY);
    await names(TUESDAY, { lastmod });
    expect(await sitemap()).toEqual({ lastmod, changefreq: null, isDropped: false });
    await finish(TUESDAY);
    expect(await sitemap()).toEqual({ lastmod, changefreq: null, isDropped: false });
  });

  it('is that it is no longer dropped when it is named again', async () => {
    const { sitemap, names, finish } = await namedPage();
    await names(MONDAY);
    await finish(TUESDAY);
    expect(await sitemap()).toMatchObject({ isDropped: true });
    await names(WEDNESDAY, { changefreq: 'hourly' });
    await finish(WEDNESDAY);
    expect(await sitemap()).toEqual({ lastmod: null, changefreq: 'hourly', isDropped: false });
  });

  it('is what was read last where two sites name it, and the end of one reading drops nothing of the other', async () => {
    const { sitemap, names, finish } = await namedPage();
    await names(TUESDAY, { changefreq: 'daily' });
    await finish(TUESDAY);
    await names(MONDAY, { changefreq: 'yearly' }, 'www.two.test');
    await finish(WEDNESDAY, 'www.two.test');
    expect(await sitemap()).toEqual({ lastmod: null, changefreq: 'daily', isDropped: false });
    await names(WEDNESDAY, { changefreq: 'weekly' }, 'www.two.test');
    expect(await sitemap()).toMatchObject({ changefreq: 'weekly', isDropped: false });
  });
});
