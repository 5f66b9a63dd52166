import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createSitemapReader } from './reader.ts';
import { arriving, createRandom, readSitemap, SITEMAP_URL } from './sitemap.fixture.ts';

const entry = (n: number) =>
  `<url><loc>https://example.com/products/category-${n % 97}/item-${n}</loc><lastmod>2024-05-06T07:08:09+00:00</lastmod><changefreq>weekly</changefreq><priority>0.8</priority></url>\n`;

/** What was asked of a source, and whether it was let go. */
class Source {
  chunks = 0;
  bytes = 0;
  hasEnded = false;
  isReleased = false;

  async *give(chunks: Iterable<string | Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      for (const chunk of chunks) {
        const bytes = Buffer.from(chunk);
        this.chunks++;
        this.bytes += bytes.length;
        yield bytes;
      }
      this.hasEnded = true;
    } finally {
      this.isReleased = true;
    }
  }
}

function* inChunks(text: string, chars: number): Generator<string> {
  for (let at = 0; at < text.length; at += chars) yield text.slice(at, at + chars);
}

function* endless(start: string | Uint8Array, piece: string | Uint8Array): Generator<string | Uint8Array> {
  yield start;
  for (;;) yield piece;
}

describe('reading 50,000 entries', () => {
  const file = `<?xml version="1.0"?><urlset>${Array.from({ length: 50_000 }, (_, n) => entry(n)).join('')}</urlset>`;

  it.each([
    ['plain', () => inChunks(file, 16_384)],
    ['packed', () => [gzipSync(file)].flatMap((packed) => inSlices(packed, 16_384))],
  ])('gives the first batch while the file still arrives: %s', async (_, chunks) => {
    const source = new Source();
    const reader = createSitemapReader({ url: SITEMAP_URL, maxBytes: 50 * 2 ** 20 });
    const sizes: number[] = [];
    for await (const batch of reader.read(source.give(chunks()))) {
      if (sizes.length === 0) expect(source.hasEnded).toBe(false);
      sizes.push(batch.entries.length);
      expect(batch.entries[0]?.url).toMatch(/item-\d+000$|item-0$/);
    }
    expect(sizes).toEqual(new Array(50).fill(1000));
    expect(reader.report()).toEqual({
      format: 'urlset',
      entries: 50_000,
      sitemaps: 0,
      bytes: file.length,
      problems: [],
      complete: true,
    });
  });

  it('asks for no more of the file than the batches that are taken', async () => {
    const source = new Source();
    const batches = createSitemapReader({ url: SITEMAP_URL, maxBytes: 50 * 2 ** 20 }).read(
      source.give(inChunks(file, 16_384)),
    );
    await batches.next();
    const { bytes } = source;
    expect(bytes).toBeLessThan(1000 * 200 + 2 * 16_384);
    await new Promise(setImmediate);
    expect(source.bytes).toBe(bytes);
    await batches.return(undefined);
    expect(source.isReleased).toBe(true);
  });

  it('takes a fraction of a second of CPU', async () => {
    const started = process.cpuUsage();
    await readSitemap(arriving([Buffer.from(file)]));
    const { user, system } = process.cpuUsage(started);
    // 0.3 here when warm; the rest is for slower machines that have other work.
    expect((user + system) / 1e6).toBeLessThan(3);
  });
});

describe('a reader', () => {
  it('fills batches with entries and sitemaps alike', async () => {
    const file = `<sitemapindex>${'<sitemap><loc>/s</loc></sitemap><url><loc>/p</loc></url>'.repeat(5)}</sitemapindex>`;
    const reader = createSitemapReader({ url: SITEMAP_URL, maxBytes: 10_000, batchSize: 4 });
    const sizes: number[][] = [];
    for await (const { entries, sitemaps } of reader.read(arriving([Buffer.from(file)]))) {
      sizes.push([entries.length, sitemaps.length]);
    }
    expect(sizes).toEqual([
      [2, 2],
      [2, 2],
      [1, 1],
    ]);
  });

  it('hands over what came before its source failed, then fails like it', async () => {
    const reader = createSitemapReader({ url: SITEMAP_URL, maxBytes: 10_000 });
    const failing = async function* () {
      yield Buffer.from(`<urlset>${entry(1)}${entry(2)}<url><loc>https://exam`);
      throw new Error('connection reset');
    };
    const batches = reader.read(failing());
    expect((await batches.next()).value.entries).toHaveLength(2);
    await expect(batches.next()).rejects.toThrow('connection reset');
    expect(reader.report()).toMatchObject({ format: 'urlset', entries: 2, problems: [], complete: false });
  });

  it('fails like its source when that fails within gzip', async () => {
    const failing = async function* () {
      yield gzipSync(`<urlset>${entry(1)}`).subarray(0, 20);
      throw new Error('connection reset');
    };
    await expect(readSitemap(failing())).rejects.toThrow('connection reset');
  });

  it('lets go of its source when the batches are left early', async () => {
    for (const packed of [false, true]) {
      const source = new Source();
      const text = `<urlset>${entry(1).repeat(20_000)}`;
      const reader = createSitemapReader({ url: SITEMAP_URL, maxBytes: 50 * 2 ** 20, batchSize: 10 });
      for await (const batch of reader.read(
        source.give(packed ? inSlices(gzipSync(text), 1000) : inChunks(text, 1000)),
      )) {
        expect(batch.entries).toHaveLength(10);
        break;
      }
      expect(source).toMatchObject({ isReleased: true, hasEnded: false });
      expect(reader.report().complete).toBe(false);
    }
  });

  it('lets go of its source when it knows that this is no sitemap', async () => {
    for (const start of ['<!DOCTYPE html><html>', 'prose ', '\0', '<a><b><c>']) {
      const source = new Source();
      const { report } = await readSitemap(source.give(endless(start, `${start}\n`.repeat(1000))));
      expect(report.problems.map(({ code }) => code)).toEqual(['NOT_A_SITEMAP']);
      expect(source.isReleased).toBe(true);
      expect(source.bytes).toBeLessThan(2 ** 21);
    }
  });

  it('reads one file only', async () => {
    const reader = createSitemapReader({ url: SITEMAP_URL, maxBytes: 1000 });
    expect(await reader.read(arriving([])).next()).toEqual({ done: true, value: undefined });
    await expect(reader.read(arriving([])).next()).rejects.toThrow('create another');
  });

  it('says how far it has come while it reads', async () => {
    const reader = createSitemapReader({ url: SITEMAP_URL, maxBytes: 10_000, batchSize: 1 });
    expect(reader.report()).toMatchObject({ format: null, entries: 0, bytes: 0, complete: false });
    const batches = reader.read(arriving([Buffer.from(`<urlset>${entry(1)}`), Buffer.from('</urlset>')]));
    await batches.next();
    expect(reader.report()).toMatchObject({ format: 'urlset', entries: 1, complete: false });
    await batches.next();
    expect(reader.report().complete).toBe(true);
  });
});

describe('the limit', () => {
  const tooLarge = { problems: [{ code: 'TOO_LARGE' }], complete: false };

  it('ends an endless sitemap, of which a gigabyte is offered', async () => {
    const fitting = 50_000;
    // The next entry is cut within its address.
    const maxBytes = '<urlset>'.length + fitting * entry(12_345).length + 20;
    const piece = entry(12_345).repeat(400);
    const gigabyte = function* () {
      yield '<urlset>';
      for (let bytes = 0; bytes < 2 ** 30; bytes += piece.length) yield piece;
    };
    const source = new Source();
    const reader = createSitemapReader({ url: SITEMAP_URL, maxBytes });
    let entries = 0;
    for await (const batch of reader.read(source.give(gigabyte()))) entries += batch.entries.length;
    expect(reader.report()).toMatchObject({ ...tooLarge, format: 'urlset', bytes: maxBytes, entries });
    expect(entries).toBe(fitting);
    expect(source.bytes).toBeLessThan(maxBytes + 2 * piece.length);
    expect(source.isReleased).toBe(true);
  });

  it('is not exceeded by a file of just its size', async () => {
    const file = Buffer.from(`<urlset>${entry(1)}</urlset>`);
    expect((await readSitemap(arriving([file]), { maxBytes: file.length })).report.problems).toEqual([]);
    const { entries, report } = await readSitemap(arriving([file]), { maxBytes: file.length - 1 });
    expect(entries).toHaveLength(1);
    expect(report).toMatchObject({ ...tooLarge, bytes: file.length - 1 });
  });

  it('cuts plain text at a whole line', async () => {
    const { entries, report } = await readSitemap(arriving([Buffer.from('https://a.org/1\nhttps://a.org/234')]), {
      maxBytes: 31,
    });
    expect(entries.map(({ url }) => url)).toEqual(['https://a.org/1']);
    expect(report).toMatchObject({ ...tooLarge, format: 'text' });
  });

  it.each<[string, Uint8Array, Uint8Array]>([
    ['a gzip bomb', gzipSync('<urlset>'), gzipSync(Buffer.alloc(2 ** 26, ' '))],
    ['gzip of nothing, again and again', gzipSync('<urlset>'), Buffer.concat(new Array(1000).fill(gzipSync('')))],
  ])('ends %s', async (_, start, piece) => {
    const source = new Source();
    const { report } = await readSitemap(source.give(endless(start, piece)), { maxBytes: 2 ** 23 });
    expect(report).toMatchObject(tooLarge);
    expect(report.bytes).toBeLessThanOrEqual(2 ** 23);
    expect(source.bytes).toBeLessThan(2 ** 24);
    expect(source.isReleased).toBe(true);
  });

  it('ends a bomb within a bomb', async () => {
    const bomb = gzipSync(Buffer.concat([gzipSync('<urlset>'), gzipSync(Buffer.alloc(2 ** 27, ' '))]));
    const { report } = await readSitemap(arriving([bomb]), { maxBytes: 2 ** 23 });
    expect(report).toMatchObject({ ...tooLarge, format: 'urlset', bytes: 2 ** 23 });
  });
});

it('never throws and always ends, whatever a sitemap is turned into', async () => {
  const file = Buffer.from(
    `<?xml version="1.0"?><!DOCTYPE urlset [<!ENTITY a "b">]><!-- c --><urlset>${entry(1)}<url><loc><![CDATA[/x]]></loc><image:image><image:loc>/y</image:loc></image:image></url></urlset>`,
  );
  const signs = Buffer.from('<>/="\'&;![]-? \0\n');
  const random = createRandom(7);
  for (let round = 0; round < 2000; round++) {
    const damaged = Buffer.from(file);
    for (let times = random(8); times > 0; times--) {
      damaged[random(file.length) - 1] = signs[random(signs.length) - 1] ?? 0;
    }
    const whole = await readSitemap(arriving([damaged]));
    const cut = random(file.length);
    const parts = await readSitemap(arriving([damaged.subarray(0, cut), damaged.subarray(cut)]));
    expect(parts, damaged.toString()).toEqual({ ...whole, report: { ...whole.report, bytes: expect.any(Number) } });
  }
});

function inSlices(bytes: Uint8Array, size: number): Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) => bytes.subarray(n * size, (n + 1) * size));
}
