import { describe, expect, it } from 'vitest';
import { extractPage } from './extract.ts';
import { printText } from './fingerprint.ts';

const page = (html: string) =>
  extractPage(html, { url: 'https://example.com/', mainContent: true, includeSelectors: [], excludeSelectors: [] });

describe('the content hash', () => {
  it('is equal for equal text, whatever the markup and white space', () => {
    const hash = page('<p>one two</p><pre>three\n  four</pre>').contentHash;
    expect(page('<div>one\n <b>two</b></div><pre>three four</pre>').contentHash).toBe(hash);
    expect(page('<nav>other</nav><p>one two</p><p>three four</p>').contentHash).toBe(hash);
    expect(page('<p>one two</p><p>three five</p>').contentHash).not.toBe(hash);
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe('the print of a text', () => {
  const print = (text: string) => printText(text).print;

  it('is blind to numbers, repetition, case and punctuation', () => {
    expect(print('Events on 18 Nov 2026: none')).toBe(print('events on 3, 4 Nov 1999 (none)'));
    expect(print('a b a b c')).toBe(print('a b c'));
    expect(print('1 2 3')).toBe(print(''));
  });

  it('sees other words, another order and words with digits in them', () => {
    const prints = ['a b c', 'a c b', 'a b', 'a b c d', 'a b c v2', 'ä b c', 'a b 漢'].map(print);
    expect(new Set(prints).size).toBe(prints.length);
    for (const value of prints) expect(value).toMatch(/^[0-9a-z]{14}$/);
  });

  it('differs between any two of 100,000 short texts', () => {
    const prints = new Set(Array.from({ length: 100_000 }, (_, n) => print(`page w${n} of the set`)));
    expect(prints.size).toBe(100_000);
  });
});

describe('the word count', () => {
  it.each([
    ['', 0],
    ['one', 1],
    ['one, two; three.', 3],
    ['snake_case 42 “naïve” – x', 4],
    ['漢字かな', 4],
    ['漢字 and kanji', 4],
  ])('of %j is %i', (text, count) => {
    expect(printText(text).wordCount).toBe(count);
  });
});
