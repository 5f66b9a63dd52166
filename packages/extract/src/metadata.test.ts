import { describe, expect, it } from 'vitest';
import { extractPage } from './extract.ts';

const page = (html: string) =>
  extractPage(html, { url: 'https://example.com/d/p', mainContent: true, includeSelectors: [], excludeSelectors: [] });

describe('what a page says about itself', () => {
  it('is read from its head', () => {
    const { title, language, canonicalUrl, robots, metadata } = page(`<html lang="en-GB"><head>
      <title> A &amp; B\n page </title><base href="/base/"><link rel="Canonical" href="c?x=1#f">
      <meta name=description content="About &quot;it&quot;"><meta name="AUTHOR" content="Jane">
      <meta property="article:published_time" content="2026-01-02T03:04:05+01:00">
      <meta property="article:modified_time" content="2026-02-03">
      <meta property="og:site_name" content="Site"><meta property="og:image" content="i.png">
      <meta property="og:title" content="T"><meta property="og:title" content="second"><meta name=robots content="NoIndex, nofollow">
      <script type="application/ld+json">{"@type":"Article","n":"a &amp; b"}</script><script type="application/ld+json">{bad</script>
      </head><body><svg><title>icon</title></svg><p>two words</p></body></html>`);
    expect({ title, language, canonicalUrl, robots }).toEqual({
      title: 'A & B page',
      language: 'en-GB',
      canonicalUrl: 'https://example.com/base/c?x=1',
      robots: { noindex: true, nofollow: true },
    });
    expect(metadata).toEqual({
      description: 'About "it"',
      author: 'Jane',
      publishedAt: '2026-01-02T02:04:05.000Z',
      modifiedAt: '2026-02-03T00:00:00.000Z',
      canonicalUrl: 'https://example.com/base/c?x=1',
      siteName: 'Site',
      image: 'https://example.com/base/i.png',
      generator: null,
      keywords: [],
      wordCount: 2,
      outline: [],
      openGraph: { site_name: 'Site', image: 'i.png', title: 'T' },
      jsonLd: [{ '@type': 'Article', n: 'a &amp; b' }],
    });
  });

  it('is null where it says nothing', () => {
    const { title, language, canonicalUrl, robots, metadata } = page('<p>x</p>');
    expect({ title, language, canonicalUrl, robots }).toEqual({
      title: null,
      language: null,
      canonicalUrl: null,
      robots: { noindex: false, nofollow: false },
    });
    expect(metadata).toMatchObject({ description: null, publishedAt: null, image: null, openGraph: {}, jsonLd: [] });
  });

  it.each([
    ['<title>T</title><meta property="og:title" content="O"><h1>H</h1>', 'T'],
    ['<title> </title><meta property="og:title" content="O"><h1>H</h1>', 'O'],
    ['<h2>A <b>b</b></h2><h1>H</h1>', 'A b'],
    ['<body><title>late</title>', 'late'],
  ])('has a title in %s', (html, title) => {
    expect(page(html).title).toBe(title);
  });

  it.each([
    ['none', { noindex: true, nofollow: true }],
    ['index,follow', { noindex: false, nofollow: false }],
    ['nofollow max-snippet:5', { noindex: false, nofollow: true }],
  ])('may tell robots %j', (content, robots) => {
    expect(page(`<meta name=robots content="${content}">`).robots).toEqual(robots);
  });

  it('takes dates from structured data, and none that are not dates', () => {
    const { metadata } = page(
      '<meta name=date content="soon"><script type="application/ld+json">[{"dateModified":"2026-05-06T00:00:00Z"}]</script>',
    );
    expect([metadata.publishedAt, metadata.modifiedAt]).toEqual([null, '2026-05-06T00:00:00.000Z']);
  });

  it('takes what structured data says of the page, not of its publisher or its way there', () => {
    const graph = {
      '@graph': [
        { '@type': 'Organization', name: 'Harbour News', description: 'all of it' },
        { '@type': 'BreadcrumbList', description: 'a trail' },
        {
          '@type': ['NewsArticle'],
          description: 'Of tides',
          author: [{ '@type': 'Person', name: 'Ada' }, { name: 'Ben' }],
          datePublished: '2026-01-02',
          publisher: { name: 'Harbour News' },
          image: { url: '/i.png' },
        },
      ],
    };
    const { metadata } = page(`<script type="application/ld+json">${JSON.stringify(graph)}</script>`);
    expect(metadata).toMatchObject({
      description: 'Of tides',
      author: 'Ada, Ben',
      publishedAt: '2026-01-02T00:00:00.000Z',
      siteName: 'Harbour News',
      image: 'https://example.com/i.png',
    });
  });

  it('takes dates from times that say what they are, an author who is no address, and keywords', () => {
    const { metadata } = page(
      '<meta property="article:author" content="https://a.b/x"><meta name="dc.creator" content="Ada"><meta name=keywords content="a, b;c">' +
        '<time datetime="2020-01-01">then</time><time class="entry-date published" datetime="2026-03-04">x</time><time class=updated datetime="2026-03-05">y</time>',
    );
    expect(metadata).toMatchObject({
      author: 'Ada',
      keywords: ['a', 'b', 'c'],
      publishedAt: '2026-03-04T00:00:00.000Z',
      modifiedAt: '2026-03-05T00:00:00.000Z',
    });
  });

  it.each([
    ['en_us', 'en-US'],
    ['{{lang}}', null],
    ['de, en', 'de'],
  ])('declares its language as %s', (lang, language) => {
    expect(page(`<html lang="${lang}"><p>x</p>`).language).toBe(language);
  });

  it('has an outline of its headings', () => {
    expect(page('<h1>A</h1><p>a</p><h3>B <b>c</b></h3><p>b</p>').metadata.outline).toEqual([
      { level: 1, text: 'A' },
      { level: 3, text: 'B c' },
    ]);
  });

  it('is bounded, and can name no property of its own objects', () => {
    const { metadata } = page(
      `<meta property="og:__proto__" content="x">${Array.from({ length: 500 }, (_, n) => `<meta property="og:p${n}" content="${'y'.repeat(5000)}">`).join('')}` +
        `<script type="application/ld+json">${JSON.stringify('z'.repeat(300_000))}</script>`,
    );
    expect(Object.keys(metadata.openGraph).length).toBeLessThanOrEqual(100);
    expect(metadata.openGraph.p1?.length).toBe(2000);
    expect(Object.getPrototypeOf(metadata.openGraph)).toBe(Object.prototype);
    expect(metadata.jsonLd).toEqual([]);
  });
});
