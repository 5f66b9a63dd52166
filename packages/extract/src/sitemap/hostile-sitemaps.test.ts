/** Sitemaps made to hurt: each must be read in time that grows with its length only, and without keeping it. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { readSitemap } from './sitemap.fixture.ts';

/** About ten times what the slowest needs here; quadratic time would take minutes at these sizes. */
const LIMIT_MS = 4000;
const HOSTILE_BYTES = 5 * 2 ** 20;
const CHUNK_BYTES = 2 ** 15;
/** A few pieces of the file; it is longer. */
const LIMIT_BYTES = 1.5 * 2 ** 20;

const GOOD = '<url><loc>https://example.com/good</loc></url>';
type Sitemap = [name: string, start: string, piece: string | ((n: number) => string), end: string];

/** The start, five megabytes of the piece, and the end. Made while it is read, so that none of it is kept here. */
async function* hostile(start: string, piece: string | ((n: number) => string), end: string) {
  yield Buffer.from(start);
  const perChunk = Math.ceil(CHUNK_BYTES / (typeof piece === 'string' ? piece : piece(0)).length);
  const chunkFrom = (first: number) =>
    typeof piece === 'string'
      ? piece.repeat(perChunk)
      : Array.from({ length: perChunk }, (_, n) => piece(first + n)).join('');
  for (let chunk = 0; chunk < HOSTILE_BYTES / CHUNK_BYTES; chunk++) yield Buffer.from(chunkFrom(chunk * perChunk));
  yield Buffer.from(end);
}

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** Without what nobody holds any more. */
function heapInUse(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

describe('a hostile sitemap', () => {
  it.each<Sitemap>([
    ['an address that is too long', '<urlset><url><loc>', 'a', `</loc></url>${GOOD}</urlset>`],
    ['an address of CDATA', '<urlset><url><loc><![CDATA[', 'a]]', `]]></loc></url>${GOOD}</urlset>`],
    ['an address of little CDATAs', '<urlset><url><loc>', '<![CDATA[a]]>', `</loc></url>${GOOD}</urlset>`],
    ['an address of references', '<urlset><url><loc>', '&#x41;', `</loc></url>${GOOD}</urlset>`],
    ['an address of & signs', '<urlset><url><loc>', '&', `</loc></url>${GOOD}</urlset>`],
    ['an address of comments', '<urlset><url><loc>/a', '<!---->', `</loc></url>${GOOD}</urlset>`],
    ['an address of white space', '<urlset><url><loc>', ' ', `</loc></url>${GOOD}</urlset>`],
    ['a date that is too long', '<urlset><url><loc>/a</loc><lastmod>', '2024-', `</lastmod></url>${GOOD}</urlset>`],
    ['a long tag name', '<urlset><url><', 'a', `/></url>${GOOD}</urlset>`],
    ['a long end of a tag', '<urlset><url></', 'a', `></url>${GOOD}</urlset>`],
    ['a long attribute name', '<urlset><url ', 'a', `></url>${GOOD}</urlset>`],
    ['a long attribute', '<urlset><url a="', 'a', `"></url>${GOOD}</urlset>`],
    [
      'a long address of a feed',
      '<feed><entry><link href="',
      'a',
      '"/></entry><entry><link href="https://example.com/good"/></entry></feed>',
    ],
    ['many attributes', '<urlset><url ', (n) => `a${n}="b" `, `></url>${GOOD}</urlset>`],
    [
      'many attributes of a link',
      '<feed><entry><link ',
      'href="x" ',
      '/></entry><entry><link href="https://example.com/good"/></entry></feed>',
    ],
    ['many names', '<urlset><url>', (n) => `<n${n}/>`, `</url>${GOOD}</urlset>`],
    ['deep nesting', '<urlset><url>', '<a>', `</url>${GOOD}</urlset>`],
    ['deep nesting of entries', '<urlset>', '<url>', `</url>${GOOD}</urlset>`],
    ['deep nesting of addresses', '<urlset><url>', '<loc>', `</url>${GOOD}</urlset>`],
    ['deep nesting of roots', '<urlset>', '<urlset>', `${GOOD}</urlset>`],
    ['ends without a start', '<urlset>', '</a>', `${GOOD}</urlset>`],
    ['a long comment', '<urlset><!--', '- -', `-->${GOOD}</urlset>`],
    ['a long instruction', '<urlset><?', '? >', `?>${GOOD}</urlset>`],
    ['many < signs', '<urlset>', '< ', `${GOOD}</urlset>`],
    ['white space ahead', '', ' \n', `<urlset>${GOOD}</urlset>`],
    ['comments ahead', '<?xml version="1.0"?>', '<!-- -->', `<urlset>${GOOD}</urlset>`],
    ['a long comment ahead', '<!--', '--', `-->${'<urlset>'}${GOOD}</urlset>`],
    ['a long document type', '<!DOCTYPE urlset [', '<!ENTITY a "b">', `]><urlset>${GOOD}</urlset>`],
    ['a long literal of a document type', '<!DOCTYPE urlset [<!ENTITY a "', '<', `">]><urlset>${GOOD}</urlset>`],
    ['a document type of < signs', '<!DOCTYPE urlset [', '<', `]><urlset>${GOOD}</urlset>`],
    ['a declaration behind the root', '<urlset><!ENTITY a "', 'a', `">${GOOD}</urlset>`],
    ['garbage behind', `<urlset>${GOOD}</urlset>`, '<x>y</z>', ''],
    ['a long line', 'https://example.com/good\n', 'a', ''],
    ['many lines', 'https://example.com/good\n', '\r\n', ''],
    ['many bad lines', 'https://example.com/good\n', 'x\n', ''],
  ])('%s', async (_, start, piece, end) => {
    const before = heapInUse();
    let kept = 0;
    const watched = async function* () {
      yield* hostile(start, piece, '');
      kept = heapInUse() - before;
      yield Buffer.from(end);
    };
    const started = process.cpuUsage();
    const { entries, report } = await readSitemap(watched());
    const { user, system } = process.cpuUsage(started);
    expect((user + system) / 1000).toBeLessThan(LIMIT_MS);
    expect(kept).toBeLessThan(LIMIT_BYTES);
    expect(entries.at(-1)?.url).toBe('https://example.com/good');
    expect(report.complete).toBe(true);
    expect(report.problems.length).toBeLessThan(6);
  });

  it.each<Sitemap>([
    ['a tag that never ends', `<urlset>${GOOD}<url `, 'a ', ''],
    ['CDATA that never ends', `<urlset>${GOOD}<url><loc><![CDATA[`, 'a', ''],
    ['an attribute that never ends', `<urlset>${GOOD}<url a="`, '<url>', ''],
  ])('%s', async (_, start, piece, end) => {
    const { entries, report } = await readSitemap(hostile(start, piece, end));
    expect(entries).toHaveLength(1);
    expect(report.problems.map(({ code }) => code)).toEqual(['TRUNCATED']);
  });
});
