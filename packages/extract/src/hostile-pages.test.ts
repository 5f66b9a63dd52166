/** Pages made to hurt: each must be read in time that grows with its length only, without overflowing the stack. */
import { describe, expect, it } from 'vitest';
import { extractPage } from './extract.ts';

const read = (html: string) =>
  extractPage(html, { url: 'https://example.com/', mainContent: true, includeSelectors: [], excludeSelectors: [] });

/** About ten times what the slowest needs here; quadratic time would take minutes at these sizes. */
const LIMIT_MS = 8000;
const repeated = (piece: string, megabytes: number) => piece.repeat(Math.ceil((megabytes * 2 ** 20) / piece.length));

describe('a hostile page', () => {
  it.each<[string, () => string]>([
    ['100,000 nested divs', () => `${'<div>'.repeat(100_000)}x${'</div>'.repeat(100_000)}`],
    [
      '200,000 unclosed tags of many kinds',
      () => '<div><b><ul><li><table><tr><td><blockquote><p><a href=x>'.repeat(20_000),
    ],
    [
      'unclosed elements with ends of others',
      () => `${'<div>'.repeat(100_000)}${'</section></span></li></td>'.repeat(50_000)}`,
    ],
    ['ends without starts', () => repeated('</p></b></div></a></table>', 5)],
    ['one text of 5 MB', () => `<p>${'word '.repeat(2 ** 20)}</p>`],
    ['one word of 5 MB', () => `<p>${'w'.repeat(5 * 2 ** 20)}</p>`],
    ['white space of 5 MB', () => `<p>x${' \n'.repeat(2.5 * 2 ** 20)}y</p>`],
    ['100,000 attributes', () => `<div ${Array.from({ length: 100_000 }, (_, n) => `a${n}="b"`).join(' ')}>x</div>`],
    ['an attribute of 5 MB', () => `<a href="${'a/'.repeat(2.5 * 2 ** 20)}">x</a>`],
    ['a tag that never ends', () => `<div ${'a '.repeat(2 ** 20)}`],
    ['a comment that never ends', () => `x<!-- ${'- '.repeat(2 ** 20)}`],
    ['a script that never ends', () => `x<script>${'</scrip'.repeat(2 ** 19)}`],
    ['nested tables', () => '<table><tr><td>x'.repeat(50_000)],
    ['a wide and long table', () => `<table><tr>${'<td>x'.repeat(5000)}${'<tr><td>y'.repeat(50_000)}</table>`],
    ['huge column spans', () => `<table>${'<tr><td colspan=1000000>y'.repeat(50_000)}</table>`],
    ['deep lists', () => `${'<ul><li>x'.repeat(50_000)}`],
    ['deep quotes with many paragraphs', () => `${'<blockquote>'.repeat(500)}${'<p>x'.repeat(200_000)}`],
    ['special characters', () => `<p>${'*_`[]<&~'.repeat(2 ** 18)}</p>`],
    ['backticks in code', () => `<code>${'`'.repeat(2 ** 20)}</code><pre>${'`'.repeat(2 ** 20)}</pre>`],
    ['unfinished entities', () => `<p>${'&am'.repeat(2 ** 20)}</p>`],
    [
      'a base that makes each link as long as the page',
      () =>
        `<base href="/${'a'.repeat(2e6)}/">${Array.from({ length: 1500 }, (_, n) => `<a href="${n}">x</a>`).join(' ')}`,
    ],
    ['100,000 links', () => Array.from({ length: 100_000 }, (_, n) => `<a href="/p/${n}">link ${n}</a>`).join(' ')],
    [
      '10 MB of random markup',
      () => {
        let seed = 1;
        const signs = '<>/="\'&; abpdivtr!-\n';
        const piece = Array.from({ length: 2 ** 18 }, () => {
          seed = Math.imul(seed, 1_103_515_245) + 12_345;
          return signs[(seed >>> 16) % signs.length];
        });
        return piece.join('').repeat(40);
      },
    ],
  ])('%s', (_, html) => {
    const source = html();
    const started = process.cpuUsage();
    const page = read(source);
    const spent = process.cpuUsage(started);
    expect((spent.user + spent.system) / 1000).toBeLessThan(LIMIT_MS);
    // Nesting must not multiply what is kept.
    expect(page.markdown.length).toBeLessThan(20 * source.length + 1000);
  });

  it('keeps the text that lies deeper than structure is followed', () => {
    expect(read(`${'<div>'.repeat(100_000)}deep${'</div>'.repeat(100_000)}<p>after</p>`).text).toBe('deep\nafter');
  });

  it('is not cut short by what is hidden beyond that depth', () => {
    expect(read(`${'<div>'.repeat(600)}<nav>x</nav>y${'</div>'.repeat(600)}<p>after</p>`).text).toContain('after');
  });
});
