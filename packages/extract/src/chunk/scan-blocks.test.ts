import { describe, expect, it } from 'vitest';
import { scanMarkdown } from './scan-blocks.ts';
import { scanPlainText } from './scan-plain-text.ts';

/** The lines, each with the depth of the border in front of it. */
function depths(text: string, scan = scanMarkdown): [number, string][] {
  const { starts, depths: found } = scan(text);
  return starts.map((start, line) => [found[line] ?? -1, text.slice(start, starts[line + 1]).trim()]);
}

describe('the borders of a markdown text', () => {
  it('are deeper the less one would cut there', () => {
    expect(depths('a.\nb\n\n# H\n\nc\n\n- d\n- e\n  f\n\n  g\n  - h\n  - i\nj\n\nk')).toEqual([
      [1, 'a.'],
      [4, 'b'],
      [0, '# H'],
      [3, 'c'],
      [1, '- d'],
      [2, '- e'],
      [10, 'f'],
      [6, 'g'],
      [6, '- h'],
      [7, '- i'],
      // Text that goes on without its indent.
      [15, 'j'],
      [1, 'k'],
    ]);
  });

  it('know tables, with or without text above', () => {
    expect(depths('| a |\n|---|\n| b |\n| c |\n\ntext\na | b\n--- | ---\n1 | 2\n')).toEqual([
      [1, '| a |'],
      [5, '|---|'],
      [3, '| b |'],
      [2, '| c |'],
      [1, 'text'],
      [1, 'a | b'],
      [5, '--- | ---'],
      [3, '1 | 2'],
    ]);
  });

  it('inside a fence are those of lines, whatever they look like and whatever prefix they have', () => {
    const fence = '```\n# a\n\n- b\n| c |\n````';
    expect(depths(`${fence}\n# H`).map(([depth]) => depth)).toEqual([1, 5, 4, 5, 5, 0]);
    const inItem = `1. ${fence.replaceAll('\n', '\n   ')}\n`;
    expect(depths(inItem).map(([depth]) => depth)).toEqual([1, 10, 9, 10, 10]);
    const inQuote = `> ${fence.replaceAll('\n', '\n> ')}\n> x`;
    expect(depths(inQuote).map(([depth]) => depth)).toEqual([1, 10, 10, 9, 10, 10, 6]);
  });

  it('see a fence end with its quote, or its item', () => {
    expect(depths('> ```\n> a\n\n# H').at(-1)).toEqual([0, '# H']);
    expect(depths('- ```\n  a\n# H').at(-1)).toEqual([0, '# H']);
  });

  it('know HTML, footnotes, breaks and indented code', () => {
    expect(
      depths('<div>\n# a\n</div>\n\n<!-- b\n\n# c -->\n\n[^1]: d\n[^2]: e\n\n***\n\n    # f\n\n    g\n').map(
        ([depth]) => depth,
      ),
    ).toEqual([1, 5, 5, 1, 4, 1, 2, 1, 1, 4]);
  });

  it('know headings of both kinds, and what is none', () => {
    const { headings } = scanMarkdown('# A #\n\nB\n---\n\n#no\n\n####### no\n\n> # no\n\n- # no\n\n## \\# C');
    expect([...headings.values()]).toEqual([
      { level: 1, text: 'A' },
      { level: 2, text: 'B' },
      { level: 2, text: '# C' },
    ]);
  });

  it('of a plain text are its blank lines and its lines', () => {
    expect(depths('# a.\n- b\nc\n\n```\n\nd', scanPlainText).map(([depth]) => depth)).toEqual([1, 4, 5, 1, 1]);
  });
});
