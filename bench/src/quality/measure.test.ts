/** The measure itself: what it counts as kept, and as lost. */
import { describe, expect, it } from 'vitest';
import { readMarkdown } from './markdown-reader.ts';
import { type Generator, readTruth } from './page-truth.ts';
import { type Kind, type PageScore, scorePage } from './score.ts';
import { scoreArticle, summarize } from './shingles.ts';

const GENERATOR: Generator = {
  name: 'test',
  main: ['main'],
  chrome: 'a.permalink, .linenos',
  layoutTables: 'table.layout',
};

function score(html: string, markdown: string): PageScore {
  const truth = readTruth(html, 'https://test.example/docs/page.html', GENERATOR);
  if (!truth) throw new Error('the page has no main content');
  return scorePage(truth, readMarkdown(markdown));
}

function losses(kind: Kind, html: string, markdown: string): readonly string[] {
  return score(`<nav>menu</nav><main>${html}</main>`, markdown)[kind].losses;
}

describe('losses', () => {
  it('counts a heading without its permalink, and not a line that only looks like one', () => {
    const html = '<h2>On tides<a class="permalink" href="#x">¶</a></h2>';
    expect(losses('headings', html, '## On tides')).toEqual([]);
    expect(losses('headings', html, '**On tides**')).toEqual(['On tides']);
    expect(losses('headings', html, '## On tides¶')).toEqual(['On tides']);
  });

  it('wants code with its white space, line breaks of blocks and `br` included', () => {
    const html = '<pre>if x:\n    <span>y()</span><br>z<div>w</div></pre>';
    expect(losses('code', html, '```\nif x:\n    y()\nz\nw\n```')).toEqual([]);
    expect(losses('code', html, '```\nif x:\n  y()\nz\nw\n```')).toHaveLength(1);
    expect(losses('code', html, 'if x:\n    y()\nz\nw')).toHaveLength(1);
  });

  it('leaves line numbers out of code', () => {
    const html =
      '<table class="layout"><tr><td class="linenos"><pre>1\n2</pre></td><td><pre>a\nb</pre></td></tr></table>';
    expect(score(`<main>${html}</main>`, '```\na\nb\n```')).toMatchObject({
      code: { found: 1, of: 1 },
      rows: { found: 0, of: 0 },
    });
  });

  it('wants cells and rows as the parser of the markdown sees them', () => {
    const html = '<table><tr><th>a</th><th>b</th></tr><tr><td>x|y</td><td>z</td></tr></table>';
    expect(losses('rows', html, '| a | b |\n|---|---|\n| x\\|y | z |')).toEqual([]);
    expect(losses('rows', html, '| a | b |\n|---|---|\n| x|y | z |')).toEqual(['x|y | z']);
    expect(losses('cells', html, 'a b x|y z')).toHaveLength(4);
  });

  it('takes a row that holds a cell from above as well', () => {
    const html =
      '<table><tr><th>m</th><th>n</th></tr><tr><td rowspan="2">a</td><td>b</td></tr><tr><td>c</td></tr></table>';
    expect(losses('rows', html, '| m | n |\n|---|---|\n| a | b |\n| a | c |')).toEqual([]);
    expect(losses('rows', html, '| m | n |\n|---|---|\n| a | b |\n| | c |')).toEqual([]);
  });

  it('takes list items in a cell with and without bullets', () => {
    const html =
      '<table><tr><th>m</th><th>n</th></tr><tr><td>a</td><td><ul><li>b</li><li>c</li></ul></td></tr></table>';
    expect(losses('cells', html, '| m | n |\n|---|---|\n| a | - b<br>- c |')).toEqual([]);
    expect(losses('cells', html, '| m | n |\n|---|---|\n| a | b<br>c |')).toEqual([]);
  });

  it('wants links absolute and with their text', () => {
    const html = '<p><a href="../guide?a=1#b">the guide</a></p>';
    expect(losses('links', html, '[the guide](https://test.example/guide?a=1#b)')).toEqual([]);
    expect(losses('links', html, '[the guide](../guide?a=1#b)')).toHaveLength(1);
    expect(losses('links', html, '[guide](https://test.example/guide?a=1#b)')).toHaveLength(1);
  });

  it('counts words as often as they are there', () => {
    expect(losses('words', '<p>to be or not to be</p>', 'to be or not')).toEqual(['to be']);
  });

  it('counts words that stand only beside the content as navigation', () => {
    const page = '<nav>home tide</nav><main><p>tide</p></main>';
    expect(score(page, 'tide').navigation).toEqual({ found: 0, of: 1, losses: [] });
    expect(score(page, 'home tide').navigation).toEqual({ found: 1, of: 1, losses: ['home'] });
  });

  it('has no truth for a page without main content', () => {
    expect(readTruth('<p>moved</p>', 'https://test.example/', GENERATOR)).toBeNull();
  });
});

describe('articles', () => {
  it('are scored by runs of four words', () => {
    const { both, missing, tooMuch, isSame } = scoreArticle('one two three four five', 'one two three four six');
    expect({ both, missing, tooMuch, isSame }).toEqual({ both: 1 / 3, missing: 1 / 3, tooMuch: 1 / 3, isSame: false });
  });

  it('are the same whatever stands between the words', () => {
    expect(scoreArticle('One, two.\nThree', 'One two – Three')).toMatchObject({ both: 1, isSame: true });
  });

  it('are perfect when there is nothing to find and nothing was found', () => {
    expect(summarize([scoreArticle('', '')])).toEqual({ precision: 1, recall: 1, f1: 1, accuracy: 1 });
  });

  it('have the mean of precision and of recall over pages', () => {
    const { precision, recall } = summarize([scoreArticle('a b c d', 'a b c d'), scoreArticle('a b c d', 'e f g h')]);
    expect({ precision, recall }).toEqual({ precision: 0.5, recall: 0.5 });
  });
});
