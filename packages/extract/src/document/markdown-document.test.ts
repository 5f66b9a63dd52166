import { describe, expect, it } from 'vitest';
import { readMarkdown } from './markdown-document.ts';

const URL_OF_PAGE = 'https://example.com/docs/guide/start.md';
const read = (...lines: string[]) => readMarkdown(lines.join('\n'), URL_OF_PAGE);
const linksOf = (...lines: string[]) => read(...lines).links.map(({ url, text }) => [url, text]);

describe('the headings of a page in markdown', () => {
  it.each([
    ['# One', 'One', 1],
    ['### *Deep* `code` ###', 'Deep code', 3],
    ['   ## Indented', 'Indented', 2],
    ['Over\n====', 'Over', 1],
    ['text\n\nUnder it\n---', 'Under it', 2],
    ['# [Linked](x.md) title', 'Linked title', 1],
    ['# C\\# and \\*', 'C# and *', 1],
    ['#\n## Second', 'Second', 2],
  ])('of %j begin with %s', (markdown, text, level) => {
    expect(read(markdown).outline[0]).toEqual({ level, text });
    expect(read(markdown).title).toBe(text);
  });

  it.each([
    '#hashtag',
    '    # code',
    '```\n# code\n```',
    '~~~\n# code',
    '---',
    '- item\n---',
    'a\n\n---',
    '####### seven',
  ])('do not come from %j', (markdown) => {
    expect(read(markdown).outline).toEqual([]);
    expect(read(markdown).title).toBeNull();
  });

  it('come in order, those behind code included', () => {
    expect(read('# A', '```js', '# no', '```', '## B', 'C', '===').outline.map(({ text }) => text)).toEqual([
      'A',
      'B',
      'C',
    ]);
  });
});

describe('the head in YAML', () => {
  it('gives the title, the description and the author', () => {
    expect(
      read(
        '---',
        'title: "A \\"good\\" start"',
        "description: 'It''s here'",
        'author: A. Writer # me',
        '---',
        '# Other',
      ),
    ).toMatchObject({
      title: 'A "good" start',
      description: "It's here",
      author: 'A. Writer',
      outline: [{ level: 1, text: 'Other' }],
    });
  });

  it('is passed over where it is more than that', () => {
    expect(read('---', 'title: >-', '  folded', 'description: [a, b]', '---', '# T')).toMatchObject({
      title: 'T',
      description: null,
    });
    expect(read('---', 'title: no end', '# T').title).toBe('T');
    expect(read('text', '---', 'title: x', '---').title).toBe('text');
  });
});

describe('the links of a page in markdown', () => {
  it.each([
    ['inline', 'See [the next](next.md).', ['https://example.com/docs/guide/next.md', 'the next']],
    ['inline with a title', '[a](../b.md "B")', ['https://example.com/docs/b.md', 'a']],
    ['inline in angle brackets', '[a](</with space>)', ['https://example.com/with%20space', 'a']],
    ['with brackets in it', '[a](/wiki/X_(y))', ['https://example.com/wiki/X_(y)', 'a']],
    ['with emphasis', '[**a** `b`](/c)', ['https://example.com/c', 'a']],
    ['with a fragment', '[a](other.md#part)', ['https://example.com/docs/guide/other.md', 'a']],
    ['a reference', '[a]: /ref "Title"', ['https://example.com/ref', 'a']],
    ['an autolink', '<https://example.org/x>', ['https://example.org/x', '']],
    ['bare', 'at https://example.org/x?y=1.', ['https://example.org/x?y=1', '']],
    ['an anchor', '<a class="b" href="/c">d</a>', ['https://example.com/c', '']],
    ['around an image', '[![Logo](logo.png)](/home)', ['https://example.com/home', 'Logo']],
  ] as const)('are found: %s', (_, line, link) => {
    expect(linksOf(line)).toEqual([link]);
  });

  it.each([
    '![image](image.png)',
    '`[code](x.md)`',
    '`` [code](x.md) ` ``',
    '```\n[code](x.md)\n```',
    '[a](javascript:x)',
    '[a](mailto:a@b.c)',
    '[a]()',
    'f[i](x',
  ])('are not made of %j', (markdown) => {
    const found = linksOf(markdown).filter(
      ([url]) => url !== URL_OF_PAGE && url !== 'https://example.com/docs/guide/x',
    );
    expect(found).toEqual([]);
  });

  it('come once each, in order', () => {
    expect(linksOf('[](/a) [b](/b)', '[a](/a) <https://example.com/b>')).toEqual([
      ['https://example.com/a', 'a'],
      ['https://example.com/b', 'b'],
    ]);
  });

  it.each([
    ['open brackets', '['],
    ['closed brackets', ']'],
    ['links without an end', '[a]('],
    ['nested links', '[](['],
    ['backticks', '`'],
    ['double backticks', '`` a '],
    ['anchors without an end', '<a href'],
    ['anchors', '<a '],
    ['schemes', 'http://'],
    ['brackets in targets', '](((('],
    ['images', '![](a'],
    ['colons', '[a]:'],
    ['hashes', '#'],
    ['hashes and spaces', '# #\t'],
    ['underlines', '---\n'],
    ['fences', '```\n'],
    ['quotes', '---\ntitle: "\\"'],
  ])('are found in time among %s', (_, part) => {
    const markdown = part.repeat(Math.ceil(500_000 / part.length));
    const startedAt = performance.now();
    readMarkdown(markdown, URL_OF_PAGE);
    readMarkdown(markdown.replaceAll('\n', ' '), URL_OF_PAGE);
    expect(performance.now() - startedAt).toBeLessThan(1500);
  });
});
