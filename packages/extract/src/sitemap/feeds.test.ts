import { describe, it } from 'vitest';
import { type ExpectedSitemap, expectSitemap } from './sitemap.fixture.ts';

const A = 'https://example.com/a';
const B = 'https://example.com/b';
const rss = (...items: string[]) =>
  `<?xml version="1.0"?><rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel><title>All &amp; more</title><link>https://example.com/</link><atom:link rel="self" href="https://example.com/feed"/><image><url>https://example.com/logo.png</url><link>https://example.com/</link></image>${items.join('')}</channel></rss>`;
const atom = (...entries: string[]) =>
  `<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>All</title><link href="https://example.com/"/><updated>2020-01-01T00:00:00Z</updated>${entries.join('')}</feed>`;

type Files = [name: string, file: string, expected: ExpectedSitemap][];

describe('RSS', () => {
  it.each<Files[number]>([
    ['without an item', rss(), { format: 'rss' }],
    [
      'with dates of RFC 822',
      rss(`<item><title>T</title><link>${A}</link><pubDate>Mon, 06 May 2024 10:00:00 +0200</pubDate></item>`),
      { format: 'rss', entries: [{ url: A, lastmod: '2024-05-06T08:00:00Z' }] },
    ],
    [
      'with a date of Dublin Core',
      rss(`<item><link>${A}</link><dc:date>2024-05-06T10:00:00+02:00</dc:date></item>`),
      { format: 'rss', entries: [{ url: A, lastmod: '2024-05-06T08:00:00Z' }] },
    ],
    [
      'with markup and links of other kinds in its items',
      rss(
        `<item><atom:link href="${B}"/><description>&lt;a href="${B}"&gt;b&lt;/a&gt;</description><content:encoded><![CDATA[<link>${B}</link>]]></content:encoded><source><link>${B}</link></source><link><![CDATA[${A}?x&y]]></link><media:content url="${B}"/></item>`,
      ),
      { format: 'rss', entries: [`${A}?x&y`] },
    ],
    [
      'with an item that has no link',
      rss(`<item><guid>${B}</guid></item><item><link>${A}</link></item>`),
      { format: 'rss', entries: [A], problems: ['UNUSABLE_ADDRESSES'] },
    ],
    [
      'with a date that is none',
      rss(`<item><link>${A}</link><pubDate>soon</pubDate></item>`),
      { format: 'rss', entries: [A], problems: ['VALUES_IGNORED'] },
    ],
    [
      'in version 1.0',
      `<?xml version="1.0"?><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"><channel><link>https://example.com/</link><items><rdf:Seq><rdf:li resource="${A}"/></rdf:Seq></items></channel><item rdf:about="${A}"><link>${A}</link><dc:date>2024-05</dc:date></item></rdf:RDF>`,
      { format: 'rss', entries: [{ url: A, lastmod: '2024-05-01T00:00:00Z' }] },
    ],
    [
      'cut off',
      rss(`<item><link>${A}</link></item><item><link>${B}</link>`).replace('</channel></rss>', ''),
      { format: 'rss', entries: [A, B], problems: ['TRUNCATED'], complete: false },
    ],
  ])('%s', async (_, file, expected) => {
    await expectSitemap(file, expected);
  });
});

describe('Atom', () => {
  it.each<Files[number]>([
    [
      'with a link and a date',
      atom(
        `<entry><link href="${A}"/><updated>2024-05-06T10:00:00.123Z</updated><published>2020-01-01T00:00:00Z</published></entry>`,
      ),
      { format: 'atom', entries: [{ url: A, lastmod: '2024-05-06T10:00:00.123Z' }] },
    ],
    [
      'with links to other things',
      atom(
        `<entry><link rel="self" href="${B}"/><link rel='enclosure' href='${B}'></link><link rel="Alternate" href="${A}?x&amp;y"/><link href="${B}"/></entry>`,
      ),
      { format: 'atom', entries: [`${A}?x&y`] },
    ],
    [
      'with a relative link and no quotes',
      atom('<entry><link HREF=/x REL=alternate /></entry>'),
      { format: 'atom', entries: ['https://example.com/x'] },
    ],
    [
      'with links within its content and source',
      atom(
        `<entry><source><link href="${B}"/><updated>2001-01-01</updated></source><content type="xhtml"><div><link href="${B}"/></div></content><link href="${A}"/></entry>`,
      ),
      { format: 'atom', entries: [A] },
    ],
    [
      'with an entry that only links to other things',
      atom(`<entry><link rel="edit" href="${B}"/><id>${B}</id></entry>`),
      { format: 'atom', problems: ['UNUSABLE_ADDRESSES'] },
    ],
    [
      'with a prefix',
      `<a:feed xmlns:a="http://www.w3.org/2005/Atom"><a:entry><a:link href="${A}"/><link href="${B}"/></a:entry></a:feed>`,
      { format: 'atom', entries: [A] },
    ],
  ])('%s', async (_, file, expected) => {
    await expectSitemap(file, expected);
  });
});
