import type { UrlKey } from '@trawl/contracts';
import { describe, expect, it } from 'vitest';
import {
  cachedSitemapEntries,
  cachedSitemaps,
  finishSitemapReading,
  type SitemapReading,
  saveSitemapEntries,
} from './sitemap-cache.ts';
import { useStore } from './testing/store.ts';
import type { SitemapEntryRow } from './types.ts';

const store = useStore();

let hosts = 0;
const newHost = () => `site-${++hosts}.test`;
const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000);
const YEAR = 8760;

const entry = (name: string, over: Partial<SitemapEntryRow> = {}) => ({
  url: `https://example.com/${name}`,
  lastmod: null,
  changefreq: null,
  priority: null,
  identity: `https://example.com/${name}` as UrlKey,
  ...over,
});

async function partsOf(host: string, reading: SitemapReading | null) {
  if (reading === null) throw new Error(`nothing is cached of ${host}`);
  const parts: (readonly SitemapEntryRow[])[] = [];
  for await (const part of cachedSitemapEntries(store.db, host, reading)) parts.push(part);
  return parts;
}

/** What the cache gives of a site, whatever its age: the names of its pages. */
async function namesOf(host: string): Promise<string[]> {
  const entries = (await partsOf(host, await cachedSitemaps(store.db, host, YEAR))).flat();
  return entries.map(({ url }) => url.replace('https://example.com/', '')).sort();
}

/** A whole reading. */
async function read(host: string, readAt: Date, names: readonly string[]) {
  await saveSitemapEntries(
    store.db,
    host,
    readAt,
    names.map((name) => entry(name)),
  );
  await finishSitemapReading(store.db, host, { readAt, sitemaps: names });
}

describe('entries of sitemaps', () => {
  it('come back as they were saved', async () => {
    const host = newHost();
    const readAt = hoursAgo(1);
    const lastmod = new Date('2026-01-02T03:04:05.678Z');
    const saved = [
      entry('bare'),
      entry('full', { lastmod, changefreq: 'weekly', priority: 0.8 }),
      entry('zero', { priority: 0, changefreq: '' }),
    ];
    await saveSitemapEntries(store.db, host, readAt, saved);
    await finishSitemapReading(store.db, host, { readAt, sitemaps: [] });
    const [part = [], ...more] = await partsOf(host, await cachedSitemaps(store.db, host, 24));
    expect(more).toEqual([]);
    expect([...part].sort((a, b) => a.url.localeCompare(b.url))).toEqual(saved.map(({ identity: _, ...row }) => row));
  });

  it('come back in parts of at most 2,000, each once', async () => {
    const host = newHost();
    const readAt = hoursAgo(1);
    const names = Array.from({ length: 4500 }, (_, i) => `page-${i}`);
    for (let from = 0; from < names.length; from += 1500) {
      const part = names.slice(from, from + 1500).map((name) => entry(name));
      await saveSitemapEntries(store.db, host, readAt, part);
    }
    await finishSitemapReading(store.db, host, { readAt, sitemaps: [] });
    const parts = await partsOf(host, await cachedSitemaps(store.db, host, 24));
    expect(parts.map((part) => part.length)).toEqual([2000, 2000, 500]);
    expect(await namesOf(host)).toEqual(names.toSorted());
  });

  it('come back without an empty part when they fill the last one', async () => {
    const host = newHost();
    await read(
      host,
      hoursAgo(1),
      Array.from({ length: 2000 }, (_, i) => `${i}`),
    );
    const parts = await partsOf(host, await cachedSitemaps(store.db, host, 24));
    expect(parts.map((part) => part.length)).toEqual([2000]);
  });

  it('are none for a site whose sitemaps name nothing', async () => {
    const host = newHost();
    await read(host, hoursAgo(1), []);
    expect(await partsOf(host, await cachedSitemaps(store.db, host, 24))).toEqual([]);
  });

  it('that come twice in one call count as they came last', async () => {
    const host = newHost();
    const readAt = hoursAgo(1);
    const twice = [entry('a', { changefreq: 'daily' }), entry('b'), entry('a', { url: 'https://example.com/a/#2' })];
    await saveSitemapEntries(store.db, host, readAt, twice);
    await finishSitemapReading(store.db, host, { readAt, sitemaps: [] });
    const entries = (await partsOf(host, await cachedSitemaps(store.db, host, 24))).flat();
    expect(entries).toHaveLength(2);
    expect(entries).toContainEqual({
      url: 'https://example.com/a/#2',
      lastmod: null,
      changefreq: null,
      priority: null,
    });
  });

  it('that come again in a later reading are as that one says, and known since the first', async () => {
    const host = newHost();
    const discovered = () => store.database.sql`SELECT discovered_at FROM sitemap_entries WHERE host = ${host}`;
    await saveSitemapEntries(store.db, host, hoursAgo(2), [entry('a', { changefreq: 'daily', priority: 1 })]);
    const before = await discovered();
    await saveSitemapEntries(store.db, host, hoursAgo(1), [entry('a', { priority: 0.5 })]);
    await finishSitemapReading(store.db, host, { readAt: hoursAgo(1.5), sitemaps: [] });
    const [part] = await partsOf(host, await cachedSitemaps(store.db, host, 24));
    expect(part).toEqual([{ url: 'https://example.com/a', lastmod: null, changefreq: null, priority: 0.5 }]);
    expect(await discovered()).toEqual(before);
  });

  it('are one when eight readers save the same in other orders', async () => {
    const host = newHost();
    const readAt = hoursAgo(1);
    const names = Array.from({ length: 200 }, (_, i) => `${i}`);
    await Promise.all(
      Array.from({ length: 8 }, (_, number) => {
        const ordered = [...names.slice(number * 20), ...names.slice(0, number * 20)];
        return saveSitemapEntries(
          store.db,
          host,
          readAt,
          (number % 2 ? ordered.toReversed() : ordered).map((name) => entry(name)),
        );
      }),
    );
    await finishSitemapReading(store.db, host, { readAt, sitemaps: [] });
    expect(await namesOf(host)).toEqual(names.toSorted());
  });

  it('may be none, or hold what Postgres refuses', async () => {
    const host = newHost();
    const readAt = hoursAgo(1);
    await saveSitemapEntries(store.db, host, readAt, []);
    await saveSitemapEntries(store.db, host, readAt, [entry('a', { changefreq: 'dai\u0000ly\ud83d' })]);
    await finishSitemapReading(store.db, host, { readAt, sitemaps: [{ url: 'x\u0000' }] });
    const reading = await cachedSitemaps(store.db, host, 24);
    expect(reading?.sitemaps).toEqual([{ url: 'x' }]);
    expect((await partsOf(host, reading)).flat()).toMatchObject([{ changefreq: 'daily\ufffd' }]);
  });

  it('are of one site only', async () => {
    const [host, other] = [newHost(), newHost()];
    await read(host, hoursAgo(1), ['a', 'both']);
    await read(other, hoursAgo(1), ['b', 'both']);
    expect(await namesOf(host)).toEqual(['a', 'both']);
    expect(await namesOf(other)).toEqual(['b', 'both']);
  });
});

describe('a reading', () => {
  it('is trusted once it came to its end, with what was kept of it', async () => {
    const host = newHost();
    const readAt = hoursAgo(1);
    await saveSitemapEntries(store.db, host, readAt, [entry('a')]);
    expect(await cachedSitemaps(store.db, host, YEAR)).toBeNull();
    const sitemaps = [{ url: 'https://example.com/sitemap.xml', entries: 1 }];
    await finishSitemapReading(store.db, host, { readAt, sitemaps });
    expect(await cachedSitemaps(store.db, host, YEAR)).toEqual({ readAt, sitemaps });
    expect(await cachedSitemaps(store.db, newHost(), YEAR)).toBeNull();
  });

  it('is trusted for so many hours, and no longer', async () => {
    const host = newHost();
    await read(host, hoursAgo(2), ['a']);
    expect(await cachedSitemaps(store.db, host, 2.1)).not.toBeNull();
    expect(await cachedSitemaps(store.db, host, 1.9)).toBeNull();
    expect(await cachedSitemaps(store.db, host, 2)).toBeNull();
  });

  it('is never trusted for 0 hours', async () => {
    const host = newHost();
    await read(host, new Date(), ['a']);
    expect(await cachedSitemaps(store.db, host, 0)).toBeNull();
  });

  it('is never trusted for 0 hours, be the clock of who read ahead', async () => {
    const host = newHost();
    await read(host, hoursAgo(-0.01), ['a']);
    expect(await cachedSitemaps(store.db, host, 0)).toBeNull();
  });

  it('leaves the one before it trusted while it goes on', async () => {
    const host = newHost();
    await read(host, hoursAgo(2), ['a', 'b']);
    await saveSitemapEntries(store.db, host, hoursAgo(1), [entry('a')]);
    expect(await cachedSitemaps(store.db, host, 24)).toMatchObject({ sitemaps: ['a', 'b'] });
    expect(await namesOf(host)).toEqual(['a', 'b']);
  });

  it('gives back nothing that only an older one met', async () => {
    const host = newHost();
    await read(host, hoursAgo(2), ['a', 'b', 'c']);
    await read(host, hoursAgo(1), ['b', 'd']);
    expect(await namesOf(host)).toEqual(['b', 'd']);
    const [count] = await store.database.sql`SELECT count(*)::int FROM sitemap_entries WHERE host = ${host}`;
    expect(count?.count).toBe(4);
  });

  it('that comes to its end after a newer one changes nothing', async () => {
    const host = newHost();
    const [older, newer] = [hoursAgo(2), hoursAgo(1)];
    await saveSitemapEntries(store.db, host, older, [entry('old'), entry('both')]);
    await read(host, newer, ['new', 'both']);
    await finishSitemapReading(store.db, host, { readAt: older, sitemaps: ['older'] });
    expect(await cachedSitemaps(store.db, host, 24)).toEqual({ readAt: newer, sitemaps: ['new', 'both'] });
    expect(await namesOf(host)).toEqual(['both', 'new']);
  });

  it('that is saved after a newer one takes no entry out of it', async () => {
    const host = newHost();
    await read(host, hoursAgo(1), ['a']);
    await saveSitemapEntries(store.db, host, hoursAgo(2), [entry('a'), entry('old')]);
    expect(await namesOf(host)).toEqual(['a']);
  });

  it('that is saved after a newer one does not take back what that says of an entry', async () => {
    const host = newHost();
    const lastmod = new Date('2026-02-01T00:00:00.000Z');
    const readAt = hoursAgo(1);
    await saveSitemapEntries(store.db, host, readAt, [entry('a', { lastmod })]);
    await finishSitemapReading(store.db, host, { readAt, sitemaps: [] });
    await saveSitemapEntries(store.db, host, hoursAgo(2), [entry('a')]);
    expect((await partsOf(host, await cachedSitemaps(store.db, host, 24))).flat()).toMatchObject([{ lastmod }]);
  });

  it('gives back what a later one met too, though it did not come to its end', async () => {
    const host = newHost();
    await read(host, hoursAgo(2), ['a']);
    await saveSitemapEntries(store.db, host, hoursAgo(1), [entry('given')]);
    expect(await namesOf(host)).toEqual(['a', 'given']);
  });

  it('may come to its end twice', async () => {
    const host = newHost();
    const readAt = hoursAgo(1);
    await read(host, readAt, ['a']);
    await finishSitemapReading(store.db, host, { readAt, sitemaps: ['again'] });
    expect(await cachedSitemaps(store.db, host, 24)).toEqual({ readAt, sitemaps: ['again'] });
  });
});
