import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { extractPage } from './extract.ts';
import { createResolver } from './links.ts';

const linksOf = (html: string, url = 'https://example.com/docs/page.html') =>
  extractPage(html, { url, mainContent: true, includeSelectors: [], excludeSelectors: [] }).links;
const urlsOf = (html: string, url?: string) => linksOf(html, url).map((link) => link.url);

describe('resolving a reference', () => {
  const byParser = (href: string, base: string) => {
    const url = URL.parse(href, base);
    if (!url || !/^https?:$/.test(url.protocol)) return null;
    const hash = url.href.indexOf('#');
    return hash < 0
      ? { url: url.href, fragment: '' }
      : { url: url.href.slice(0, hash), fragment: url.href.slice(hash) };
  };

  it('is what the URL parser makes of it, by whichever way', () => {
    const base = fc.constantFrom(
      ...[
        'https://example.com/',
        'https://example.com/a/b/c.html?x=1',
        'http://example.com:8080/a//b/',
        'https://u:p@h.de/a/b',
      ],
      ...['https://example.com/%2e/a/x', 'http://[::1]/a/', 'file:///a/b', 'https://example.com/a;b/c'],
    );
    const part = fc.constantFrom(
      ...[
        'a',
        'b.html',
        '..',
        '.',
        '/',
        '../',
        './',
        '//',
        '#',
        '?',
        '#frag',
        '?q=1&r=2',
        '%41',
        '%2e',
        ' ',
        '\t',
        ':',
      ],
      ...[
        'https://example.com',
        'http:',
        'mailto:x',
        '~u',
        'ü',
        '\\',
        ';',
        "'",
        '.hidden',
        'A_b-c',
        '|',
        '+',
        '(',
        '@',
      ],
    );
    fc.assert(
      fc.property(base, fc.array(part, { maxLength: 7 }), (from, parts) => {
        const href = parts.join('');
        const resolved = createResolver(from)(href);
        const expected = byParser(href, from);
        // `x#` and `x` lead to the same place: an empty fragment may be kept or not.
        if (expected?.fragment === '#' || resolved?.fragment === '#') expect(resolved?.url).toBe(expected?.url);
        else expect(resolved).toEqual(expected);
      }),
      { numRuns: 20_000 },
    );
  });
});

describe('the links of a page', () => {
  it('are each URL once, in document order, with text and rel', () => {
    expect(
      linksOf(`<a href="b.html#x"> B <b>one</b>\n</a><a href=/a rel="NoFollow External">A</a><a href="b.html#y">again</a>
        <area href=c alt="C"><iframe src="/frame"></iframe><a href="a?x=1&amp;y=2">Q</a>`),
    ).toEqual([
      { url: 'https://example.com/docs/b.html', text: 'B one', rel: '' },
      { url: 'https://example.com/a', text: 'A', rel: 'nofollow external' },
      { url: 'https://example.com/docs/c', text: 'C', rel: '' },
      { url: 'https://example.com/frame', text: '', rel: 'frame' },
      { url: 'https://example.com/docs/a?x=1&y=2', text: 'Q', rel: '' },
    ]);
  });

  it('include those of navigation, footers and hidden parts, which lead to pages like any other', () => {
    expect(
      urlsOf('<nav><a href=/n>N</a></nav><div hidden><a href=/h>H</a></div><footer><a href=/f>F</a></footer>'),
    ).toEqual(['https://example.com/n', 'https://example.com/h', 'https://example.com/f']);
  });

  it('are http and https only, and only what is a URL', () => {
    expect(
      urlsOf(
        '<a href="mailto:a@b.c">m</a><a href="javascript:x()">j</a><a href="http://">n</a><a>none</a><a name=x>x</a>',
      ),
    ).toEqual([]);
  });

  it('are no stylesheets, scripts, images or alternates', () => {
    expect(
      urlsOf(
        '<link rel=next href=/n><link rel=alternate hreflang=de href=/de><img src=i.png><script src=s.js></script>',
      ),
    ).toEqual([]);
  });

  it('are resolved against the first base', () => {
    expect(urlsOf('<base href="/other/"><base href="/third/"><a href=x>x</a>')).toEqual([
      'https://example.com/other/x',
    ]);
    expect(urlsOf('<base href="http://[bad"><a href=x>x</a>')).toEqual(['https://example.com/docs/x']);
  });

  it('take a text and the permission to follow from a later occurrence', () => {
    expect(linksOf('<a href=x rel=nofollow><img src=i></a><a href=x>text</a>')).toEqual([
      { url: 'https://example.com/docs/x', text: 'text', rel: '' },
    ]);
  });

  it('have a text without scripts and permalink signs, and with the spaces between their parts', () => {
    expect(
      linksOf(
        '<a href=x>a<script>no</script></a><nav><a href=y>b<style>no</style></a></nav><a href="#z"><b>c</b> <i>d</i></a>',
      ).map((link) => link.text),
    ).toEqual(['a', 'b', 'c d']);
    expect(linksOf('<h1>T <a href="#t">¶</a></h1>').map((link) => link.text)).toEqual(['']);
  });

  it('do not nest: the next link ends the one before', () => {
    expect(linksOf('<a href=1>one <a href=2>two</a>').map((link) => link.text)).toEqual(['one', 'two']);
  });

  it('survive capital letters, missing quotes and a missing end', () => {
    expect(urlsOf('<A HREF=one>1</A><a href=\'two\'>2</a><a\nhref = "three">3')).toEqual([
      'https://example.com/docs/one',
      'https://example.com/docs/two',
      'https://example.com/docs/three',
    ]);
  });
});
