import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type ExpectedSitemap, expectSitemap, readInEveryWay } from './sitemap.fixture.ts';

const A = 'https://example.com/a';
const B = 'https://example.com/b';
const XML = `<?xml version="1.0"?><urlset><url><loc>${A}</loc></url></urlset>`;
const GREEN = `<urlset><url><loc>https://example.com/grün</loc></url></urlset>`;
const GREEN_URL = 'https://example.com/gr%C3%BCn';

const bytes = (...parts: (string | number[] | Uint8Array)[]): Uint8Array =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Uint8Array.from(part))));
const utf16le = (text: string) => Buffer.from(text, 'utf16le');
const utf16be = (text: string) => utf16le(text).swap16();
const latin1 = (text: string) => Buffer.from(text, 'latin1');

type Files = [name: string, file: string | Uint8Array, expected: ExpectedSitemap][];
const pages = (...entries: string[]): ExpectedSitemap => ({ format: 'urlset', entries });
const lines = (...entries: string[]): ExpectedSitemap => ({ format: 'text', entries });

describe('plain text', () => {
  it.each<Files[number]>([
    ['one line', A, lines(A)],
    ['lines of Unix', `${A}\n${B}\n`, lines(A, B)],
    [
      'lines of Windows, with a mark and blank ones',
      bytes([0xef, 0xbb, 0xbf], `\r\n${A}\r\n\r\n  ${B}  \r\n`),
      lines(A, B),
    ],
    ['lines of old Macs', `${A}\r${B}`, lines(A, B)],
    ['in UTF-16', bytes([0xff, 0xfe], utf16le(`${A}\r\nhttps://example.com/grün`)), lines(A, GREEN_URL)],
    ['an & is just that', `${A}?x=1&amp;y&z`, lines(`${A}?x=1&amp;y&z`)],
    [
      'lines that are no address',
      `${A}\n# a comment\n/relative\nftp://example.com/\nhttps://example.com/ is a page\n${B}`,
      { ...lines(A, B), problems: ['UNUSABLE_ADDRESSES'] },
    ],
    ['an address after other lines', `List of pages\n\n${A}\n`, { ...lines(A), problems: ['UNUSABLE_ADDRESSES'] }],
    [
      'a line that is too long',
      `${A}\nhttps://example.com/${'a'.repeat(9000)}\n${B}`,
      { ...lines(A, B), problems: ['UNUSABLE_ADDRESSES'] },
    ],
    ['in capitals', 'HTTPS://EXAMPLE.COM/A', lines('https://example.com/A')],
  ])('%s', async (_, file, expected) => {
    await expectSitemap(file, expected);
  });
});

describe('the encoding', () => {
  it.each<Files[number]>([
    ['is UTF-8 if nothing says otherwise', GREEN, pages(GREEN_URL)],
    ['is told by a mark', bytes([0xef, 0xbb, 0xbf], GREEN), pages(GREEN_URL)],
    ['is told by a mark of UTF-16', bytes([0xff, 0xfe], utf16le(GREEN)), pages(GREEN_URL)],
    [
      'is told by a mark of big-endian UTF-16',
      bytes([0xfe, 0xff], utf16be(`<?xml version="1.0" encoding="utf-16"?>${GREEN}`)),
      pages(GREEN_URL),
    ],
    ['is UTF-16 without a mark', utf16le(`<?xml version="1.0" encoding="utf-16"?>${GREEN}`), pages(GREEN_URL)],
    ['is big-endian UTF-16 without a mark', utf16be(GREEN), pages(GREEN_URL)],
    ['is declared', latin1(`<?xml version='1.0' encoding='ISO-8859-1'?>${GREEN}`), pages(GREEN_URL)],
    [
      'is declared after blank lines',
      latin1(`\n\n <?xml version="1.0" encoding="windows-1252"?>${GREEN}`),
      pages(GREEN_URL),
    ],
    ['is declared by a label nobody knows', `<?xml version="1.0" encoding="klingon"?>${GREEN}`, pages(GREEN_URL)],
    ['is declared as UTF-16 in ASCII', `<?xml version="1.0" encoding="UTF-16"?>${GREEN}`, pages(GREEN_URL)],
  ])('%s', async (_, file, expected) => {
    await expectSitemap(file, expected);
  });
});

describe('gzip', () => {
  const packed = gzipSync(XML);
  const damaged = Uint8Array.from(packed).fill(0x55, packed.length - 8, packed.length - 4);
  const broken: ExpectedSitemap = { ...pages(A), problems: ['GZIP_BROKEN'], complete: false };

  it.each<Files[number]>([
    ['once', packed, pages(A)],
    ['twice', gzipSync(packed), pages(A)],
    ['three times', gzipSync(gzipSync(packed)), { format: null, problems: ['NOT_A_SITEMAP'] }],
    ['with a file name', bytes([0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3], 'sitemap.xml\0', packed.subarray(10)), pages(A)],
    ['in several members', bytes(gzipSync(XML.slice(0, 40)), gzipSync(''), gzipSync(XML.slice(40))), pages(A)],
    ['of plain text', gzipSync(`${A}\n${B}`), lines(A, B)],
    ['of nothing', gzipSync(''), { format: null, problems: ['EMPTY'] }],
    ['with zeros behind it', bytes(packed, new Uint8Array(600)), pages(A)],
    ['with junk behind it', bytes(packed, 'Powered by a server'), broken],
    ['with a wrong checksum', damaged, broken],
    ['without its last bytes', packed.subarray(0, -4), broken],
    ['cut in the middle', packed.subarray(0, -24), { format: 'urlset', problems: ['GZIP_BROKEN'], complete: false }],
    ['cut in its header', packed.subarray(0, 5), { format: null, problems: ['GZIP_BROKEN'] }],
    [
      'with nothing but damage',
      bytes([0x1f, 0x8b, 0x08], 'x'.repeat(100)),
      { format: null, problems: ['GZIP_BROKEN'] },
    ],
  ])('%s', async (_, file, expected) => {
    await expectSitemap(file, expected);
  });

  it('gives what lies ahead of damage, however it arrives', async () => {
    const entries = Array.from({ length: 3000 }, (_, n) => `<url><loc>/p/${(n * 7919) % 10_007}</loc></url>`);
    const large = gzipSync(`<urlset>${entries.join('')}</urlset>`);
    const { entries: read, report } = await readInEveryWay(
      bytes(large.subarray(0, 9000), new Uint8Array(3000).fill(0xff)),
    );
    expect(read.length).toBeGreaterThan(1500);
    expect(read.slice(0, 1500)).toEqual(
      read.slice(0, 1500).map((entry, n) => ({ ...entry, url: `https://example.com/p/${(n * 7919) % 10_007}` })),
    );
    expect(report.problems.map(({ code }) => code)).toContain('GZIP_BROKEN');
  });
});

describe('what is no sitemap', () => {
  it.each<Files[number]>([
    ['nothing', '', { format: null, problems: ['EMPTY'] }],
    ['white space', bytes([0xef, 0xbb, 0xbf], ' \r\n\t '), { format: null, problems: ['EMPTY'] }],
    [
      'a web page',
      '<!DOCTYPE html>\n<html><head><title>Not found</title></head><body><a href="x">x</a></body></html>',
      { format: null, problems: ['NOT_A_SITEMAP'] },
    ],
    [
      'an old web page',
      '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01//EN" "http://www.w3.org/TR/html4/strict.dtd"><title>x</title>',
      { format: null, problems: ['NOT_A_SITEMAP'] },
    ],
    [
      'a page without a doctype',
      '<!-- x --><HTML><BODY>404</BODY></HTML>',
      { format: null, problems: ['NOT_A_SITEMAP'] },
    ],
    ['part of a page', '<div class="error">Not found</div>', { format: null, problems: ['NOT_A_SITEMAP'] }],
    ['text ahead of a page', 'Warning!\n<html><body></body></html>', { format: null, problems: ['NOT_A_SITEMAP'] }],
    [
      'other XML',
      '<?xml version="1.0"?><opml version="2.0"><body><outline/></body></opml>',
      { format: null, problems: ['NOT_A_SITEMAP'] },
    ],
    ['an XML declaration', '<?xml version="1.0" encoding="UTF-8"?>', { format: null, problems: ['NOT_A_SITEMAP'] }],
    [
      'an image',
      bytes([0x89], 'PNG\r\n', [0x1a, 0x0a, 0, 0, 0, 0x0d], 'IHDR'),
      { format: null, problems: ['NOT_A_SITEMAP'] },
    ],
    [
      'bytes at random',
      Uint8Array.from({ length: 6000 }, (_, n) => (n * n * 31 + n * 7 + 200) & 0xff),
      { format: null, problems: ['NOT_A_SITEMAP'] },
    ],
    ['prose', 'There is no sitemap here.\nGo away.', { format: null, problems: ['NOT_A_SITEMAP'] }],
    ['JSON', '{"error":"not found"}', { format: null, problems: ['NOT_A_SITEMAP'] }],
  ])('%s', async (_, file, expected) => {
    await expectSitemap(file, expected);
  });

  it.each([
    ['a page', '<!DOCTYPE html><html>', 'looks like a web page'],
    ['part of a page', '<p>Not found</p>', 'looks like a web page'],
    ['other XML', '<kml><Document/></kml>', 'root element is <kml>'],
    ['an image', '\x89PNG\0', 'binary'],
    ['prose', 'Hello', 'no line of it is one'],
  ])('says so of %s', async (_, file, words) => {
    const { report } = await readInEveryWay(file);
    expect(report.problems[0]?.message).toContain(words);
  });
});
