import { describe, expect, it } from 'vitest';
import { configFor, primaryLanguage } from './languages.ts';
import { plainText, searchable } from './plain-text.ts';

describe('plain text', () => {
  it.each([
    ['a [link](https://example.com/a_(b) "title") here', 'a link here'],
    ['![an image](pic.png) and [![both](x.png)](y)', 'an image and both'],
    ['# Title\n\n## Part', 'Title\n\nPart'],
    ['```js\nlet x = 1;\n```', 'let x = 1;'],
    ['| a | b |\n| --- | :-: |\n| 1 | 2 |', 'a b\n\n1 2'],
    ['- one\n- two\n10. ten', 'one\ntwo\nten'],
    ['> said\n> so', 'said\nso'],
    ['**bold** and _slanted_ and `code` and ~~gone~~', 'bold and slanted and code and gone'],
    ['snake_case_name stays, 2 \\* 3 \\_x\\_ too', 'snake_case_name stays, 2 * 3 _x_ too'],
    ['[not a link] (really)', '[not a link] (really)'],
    ['a\n\n---\n\nb', 'a\n\nb'],
  ])('of %j is %j', (markdown, expected) => {
    expect(plainText(markdown)).toBe(expected);
  });

  it.each([
    '[',
    '](',
    '[](',
    '`',
    '*',
    '_',
    '-',
    '|',
    '> ',
    '\\',
    '[a](b "',
    '![',
    '<',
    ' \n',
    '#',
    '- x',
    '[](a(',
    '~',
  ])('of a hundred thousand %j takes no time', (part) => {
    const startedAt = performance.now();
    plainText(part.repeat(Math.ceil(100_000 / part.length)).concat('x'));
    expect(performance.now() - startedAt).toBeLessThan(1000);
  });
});

describe('searchable text', () => {
  it('is as long as the text, in small letters, and without tags and paths', () => {
    for (const text of ['ÄÖÜ İstanbul <b>X</b> a/b\\c', '😀ẞ', '']) expect(searchable(text)).toHaveLength(text.length);
    expect(searchable('ÄÖ <b>X</b> a/b')).toBe('äö  b x  b  a b');
  });
});

describe('a language', () => {
  it('is known by its first part', () => {
    const known = new Set(['english', 'german', 'simple']);
    expect([
      primaryLanguage('de-AT'),
      primaryLanguage('EN_us'),
      primaryLanguage('x-klingon'),
      primaryLanguage(null),
    ]).toEqual(['de', 'en', null, null]);
    expect(['en', 'de-CH', 'fr', 'xx', 'constructor', '', null].map((tag) => configFor(tag, known))).toEqual([
      'english',
      'german',
      'simple',
      'simple',
      'simple',
      'simple',
      'simple',
    ]);
  });
});
