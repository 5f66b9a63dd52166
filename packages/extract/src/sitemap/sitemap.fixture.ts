/** Reads a file in every way it may arrive, and says in few words what a sitemap should give. Used by tests only. */
import { expect } from 'vitest';
import { createSitemapReader, type SitemapReaderOptions } from './reader.ts';
import type { SitemapEntry, SitemapFormat, SitemapProblemCode, SitemapReport } from './sitemap.ts';

export const SITEMAP_URL = 'https://example.com/maps/sitemap.xml';

export interface ReadSitemap {
  readonly entries: readonly SitemapEntry[];
  readonly sitemaps: readonly string[];
  readonly report: SitemapReport;
}

/** An entry as its address, or with the values it has. */
type ExpectedEntry = string | (Partial<Omit<SitemapEntry, 'lastmod'>> & { url: string; lastmod?: string });

export interface ExpectedSitemap {
  readonly format: SitemapFormat | null;
  readonly entries?: readonly ExpectedEntry[];
  readonly sitemaps?: readonly string[];
  readonly problems?: readonly SitemapProblemCode[];
  /** True if not given, as long as there is a format. */
  readonly complete?: boolean;
}

export async function* arriving(chunks: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

export async function readSitemap(
  chunks: AsyncIterable<Uint8Array>,
  options: Partial<SitemapReaderOptions> = {},
): Promise<ReadSitemap> {
  const reader = createSitemapReader({ url: SITEMAP_URL, maxBytes: 50 * 2 ** 20, ...options });
  const entries: SitemapEntry[] = [];
  const sitemaps: string[] = [];
  for await (const batch of reader.read(chunks)) {
    entries.push(...batch.entries);
    sitemaps.push(...batch.sitemaps);
  }
  return { entries, sitemaps, report: reader.report() };
}

/**
 * Reads the file whole, byte by byte and in random parts; each must give the same, which is returned. Only how much is read of
 * what is no sitemap depends on the parts.
 */
export async function readInEveryWay(
  file: string | Uint8Array,
  options: Partial<SitemapReaderOptions> = {},
): Promise<ReadSitemap> {
  const bytes = typeof file === 'string' ? Buffer.from(file) : file;
  const whole = await readSitemap(arriving([bytes]), options);
  const { format } = whole.report;
  const expected = format === null ? { ...whole, report: { ...whole.report, bytes: expect.any(Number) } } : whole;
  expect(await readSitemap(arriving(inParts(bytes, () => 1)), options), 'byte by byte').toEqual(expected);
  for (let seed = 1; seed <= 5; seed++) {
    const random = createRandom(seed);
    const parts = inParts(bytes, () => random(seed * 12));
    expect(await readSitemap(arriving(parts), options), `in random parts, seed ${seed}`).toEqual(expected);
  }
  return whole;
}

export async function expectSitemap(
  file: string | Uint8Array,
  expected: ExpectedSitemap,
  options: Partial<SitemapReaderOptions> = {},
): Promise<void> {
  const { entries, sitemaps, report } = await readInEveryWay(file, options);
  const codes = report.problems.map((problem) => problem.code);
  const wanted = (expected.entries ?? []).map(toEntry);
  expect({ format: report.format, entries, sitemaps, codes, complete: report.complete }).toEqual({
    format: expected.format,
    entries: wanted,
    sitemaps: expected.sitemaps ?? [],
    codes: expected.problems ?? [],
    complete: expected.complete ?? expected.format !== null,
  });
  expect([report.entries, report.sitemaps]).toEqual([entries.length, sitemaps.length]);
}

function toEntry(expected: ExpectedEntry): SitemapEntry {
  const { url, lastmod, changefreq, priority } = typeof expected === 'string' ? { url: expected } : expected;
  return {
    url,
    lastmod: lastmod === undefined ? null : new Date(lastmod),
    changefreq: changefreq ?? null,
    priority: priority ?? null,
  };
}

/** Numbers from 1 to `max`, the same for each seed. */
export function createRandom(seed: number): (max: number) => number {
  let state = seed;
  return (max) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) | 0;
    return ((state >>> 8) % max) + 1;
  };
}

function* inParts(bytes: Uint8Array, nextBytes: () => number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; ) {
    const end = at + nextBytes();
    yield bytes.subarray(at, end);
    at = end;
  }
}
