import { describe, it } from 'vitest';
import { type ExpectedSitemap, expectSitemap } from './sitemap.fixture.ts';

const NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';
const urlset = (...urls: string[]) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<urlset ${NS}>\n${urls.join('\n')}\n</urlset>\n`;
const url = (inner: string) => `<url>${inner}</url>`;
const A = 'https://example.com/a';
const B = 'https://example.com/b';
const locA = `<loc>${A}</loc>`;

type Files = [name: string, file: string, expected: ExpectedSitemap][];
const pages = (...entries: NonNullable<ExpectedSitemap['entries']>): ExpectedSitemap => ({ format: 'urlset', entries });

describe('a set of pages', () => {
  it.each<Files[number]>([
    ['without an entry', urlset(), pages()],
    ['in one tag', '<urlset/>', pages()],
    [
      'with all values',
      urlset(url(`${locA}<lastmod>2024-05-06</lastmod><changefreq>weekly</changefreq><priority>0.8</priority>`)),
      pages({ url: A, lastmod: '2024-05-06T00:00:00Z', changefreq: 'weekly', priority: 0.8 }),
    ],
    [
      'with values ahead of the address',
      urlset(url(`<priority>1</priority><changefreq> Daily </changefreq>${locA}`)),
      pages({ url: A, changefreq: 'daily', priority: 1 }),
    ],
    [
      'with values that make no sense',
      urlset(url(`${locA}<lastmod>yesterday</lastmod><changefreq>sometimes</changefreq><priority>11</priority>`)),
      { ...pages(A), problems: ['VALUES_IGNORED'] },
    ],
    ['with empty values', urlset(url(`${locA}<lastmod/><changefreq></changefreq><priority> </priority>`)), pages(A)],
    [
      'with priorities at the ends',
      urlset(url(`${locA}<priority>0</priority>`), url(`<loc>${B}</loc><priority>.5</priority>`)),
      pages({ url: A, priority: 0 }, { url: B, priority: 0.5 }),
    ],
    [
      'with a negative priority',
      urlset(url(`${locA}<priority>-0.5</priority>`)),
      { ...pages(A), problems: ['VALUES_IGNORED'] },
    ],
    ['with space around its address', urlset(url(`<loc>\n\t  ${A}\r\n </loc>`)), pages(A)],
    ['without a namespace', `<urlset>${url(locA)}</urlset>`, pages(A)],
    [
      'with a prefix',
      `<sm:urlset xmlns:sm="x"><sm:url><sm:loc>${A}</sm:loc><sm:priority>0.1</sm:priority></sm:url></sm:urlset>`,
      pages({ url: A, priority: 0.1 }),
    ],
    [
      'with a prefix at the root only',
      `<sm:urlset xmlns:sm="x" xmlns="x">${url(`${locA}<sm:priority>0.1</sm:priority>`)}</sm:urlset>`,
      pages({ url: A, priority: 0.1 }),
    ],
    [
      'in the wrong case',
      `<URLSET><Url><LOC>${A}</LOC><LastMod>2024</LastMod></Url></URLSET>`,
      pages({ url: A, lastmod: '2024-01-01T00:00:00Z' }),
    ],
    ['with ends in another case', `<urlset><URL><loc>${A}</LOC></url></UrlSet>`, pages(A)],
    ['with CDATA', urlset(url(`<loc><![CDATA[${A}?x=1&y=2]]></loc>`)), pages(`${A}?x=1&y=2`)],
    [
      'with CDATA and text',
      urlset(url(`<loc> https://<![CDATA[example.com]]>/a?b&amp;<![CDATA[c]]]></loc>`)),
      pages(`${A}?b&c]`),
    ],
    [
      'with predefined entities',
      urlset(url(`<loc>${A}?x=1&amp;y=&quot;&apos;&lt;&gt;</loc>`)),
      pages(`${A}?x=1&y=%22%27%3C%3E`),
    ],
    [
      'with numeric references',
      urlset(url('<loc>https://example.com/&#x61;&#98;&#X63;</loc>')),
      pages('https://example.com/abc'),
    ],
    ['with an address escaped twice', urlset(url(`<loc>${A}?x&amp;amp;y</loc>`)), pages(`${A}?x&amp;y`)],
    [
      'with characters of the world',
      urlset(url('<loc>https://example.com/straße/猫/🐈</loc>')),
      pages('https://example.com/stra%C3%9Fe/%E7%8C%AB/%F0%9F%90%88'),
    ],
    [
      'with comments and instructions everywhere',
      `<?xml version="1.0"?><!-- <urlset> --><?xml-stylesheet href="a>b"?><urlset><!-- ' " > --><url><!----><loc>https://<!-- x -->example<?y z?>.com/a</loc><!-- <loc>no</loc> --></url><?end?></urlset><!-- end --><?end?>`,
      pages(A),
    ],
    [
      'with a comment that splits a reference',
      `<urlset><url><loc>${A}?x&am<!-- -->p;y</loc></url></urlset>`,
      { ...pages(`${A}?x&amp;y`), problems: ['STRAY_AMPERSANDS'] },
    ],
    ['with attributes', `<urlset a='>' b="<url>"><url c=d e><loc f="g">${A}</loc ></url\n></urlset>`, pages(A)],
    [
      'with relative addresses',
      urlset(url('<loc>/x</loc>'), url('<loc>y?z#f</loc>'), url('<loc>//example.org/</loc>')),
      pages('https://example.com/x', 'https://example.com/maps/y?z#f', 'https://example.org/'),
    ],
    [
      'with other origins and plain http',
      urlset(url('<loc>http://example.org:8080/x</loc>')),
      pages('http://example.org:8080/x'),
    ],
    ['with entries that repeat', urlset(url(locA), url(locA)), pages(A, A)],
    ['with two addresses in an entry', urlset(url(`${locA}<loc>${B}</loc>`)), pages(A)],
    ['with an empty address ahead of another', urlset(url(`<loc/>${locA}`)), pages(A)],
  ])('%s', async (_, file, expected) => {
    await expectSitemap(file, expected);
  });
});

describe('extensions of an entry', () => {
  it.each<Files[number]>([
    ['are not its address', urlset(url(`<image:image><image:loc>${B}</image:loc></image:image>${locA}`)), pages(A)],
    ['are not its address even as its children', urlset(url(`<image:loc>${B}</image:loc>${locA}`)), pages(A)],
    ['are not its address without a prefix', urlset(url(`<image xmlns="x"><loc>${B}</loc></image>${locA}`)), pages(A)],
    [
      'of every kind',
      urlset(
        url(
          `<xhtml:link rel="alternate" hreflang="de" href="${B}"/><video:video><video:player_loc>${B}</video:player_loc><video:publication_date>2020-01-01</video:publication_date></video:video>` +
            `<news:news><news:publication><news:name>N</news:name></news:publication><news:title>T &amp; U</news:title></news:news>${locA}<lastmod>2024-01</lastmod>`,
        ),
      ),
      pages({ url: A, lastmod: '2024-01-01T00:00:00Z' }),
    ],
    [
      'are no address where it has none',
      urlset(url(`<image:image><image:loc>${B}</image:loc></image:image>`)),
      { ...pages(), problems: ['UNUSABLE_ADDRESSES'] },
    ],
    ['of the root are passed over', urlset(`<meta><loc>${B}</loc>some text</meta>`, url(locA)), pages(A)],
  ])('%s', async (_, file, expected) => {
    await expectSitemap(file, expected);
  });
});

describe('an index', () => {
  const C = 'https://example.com/c.xml.gz';
  it.each<Files[number]>([
    [
      'names sitemaps',
      `<?xml version="1.0"?><sitemapindex ${NS}><sitemap><loc>${C}</loc><lastmod>2024-01-01</lastmod></sitemap><sitemap><loc>d.xml</loc></sitemap></sitemapindex>`,
      { format: 'index', sitemaps: [C, 'https://example.com/maps/d.xml'] },
    ],
    [
      'has a prefix',
      `<s:sitemapindex><s:sitemap><s:loc>${C}</s:loc></s:sitemap></s:sitemapindex>`,
      { format: 'index', sitemaps: [C] },
    ],
    [
      'may name pages too',
      `<sitemapindex><url>${locA}</url><sitemap><loc>${C}</loc></sitemap></sitemapindex>`,
      { format: 'index', entries: [A], sitemaps: [C] },
    ],
    [
      'may be a set of pages that names sitemaps',
      `<urlset><sitemap><loc>${C}</loc></sitemap></urlset>`,
      { format: 'urlset', sitemaps: [C] },
    ],
    [
      'has sitemaps without address',
      `<sitemapindex><sitemap/><sitemap><loc>ftp://example.com/x</loc></sitemap></sitemapindex>`,
      { format: 'index', problems: ['UNUSABLE_ADDRESSES'] },
    ],
  ])('%s', async (_, file, expected) => {
    await expectSitemap(file, expected);
  });
});

describe('an address that is no use', () => {
  it.each<Files[number]>([
    ['missing', urlset(url('<lastmod>2024</lastmod>'), url(locA)), { ...pages(A), problems: ['UNUSABLE_ADDRESSES'] }],
    [
      'of another scheme',
      urlset(url('<loc>mailto:a@example.com</loc>'), url('<loc>javascript:void(0)</loc>')),
      { ...pages(), problems: ['UNUSABLE_ADDRESSES'] },
    ],
    [
      'malformed',
      urlset(url('<loc>http://</loc>'), url('<loc>https://exa mple.com/</loc>')),
      { ...pages(), problems: ['UNUSABLE_ADDRESSES'] },
    ],
    ['with an element in it', urlset(url(`<loc><b>${A}</b></loc>`)), { ...pages(), problems: ['UNUSABLE_ADDRESSES'] }],
    [
      'too long by one',
      urlset(url(`<loc>https://example.com/${'a'.repeat(8193 - 20)}</loc>`)),
      { ...pages(), problems: ['UNUSABLE_ADDRESSES'] },
    ],
    [
      'as long as may be',
      urlset(url(`<loc>https://example.com/${'a'.repeat(8192 - 20)}</loc>`)),
      pages(`https://example.com/${'a'.repeat(8192 - 20)}`),
    ],
    [
      'as long as may be, each sign of it a reference',
      urlset(url(`<loc>https://example.com/${'&#97;'.repeat(6000)}</loc>`)),
      pages(`https://example.com/${'a'.repeat(6000)}`),
    ],
  ])('is %s', async (_, file, expected) => {
    await expectSitemap(file, expected);
  });
});
