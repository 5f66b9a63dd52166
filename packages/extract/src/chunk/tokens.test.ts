import { createRequire } from 'node:module';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countTokens, LONGEST_WORD, tokenCounter } from './tokens.ts';

const require = createRequire(import.meta.url);
interface Library {
  countTokens(text: string, options: { disallowedSpecial: Set<string> }): number;
}
const libraries: Record<'cl100k_base' | 'o200k_base', Library> = {
  cl100k_base: require('gpt-tokenizer/encoding/cl100k_base'),
  o200k_base: require('gpt-tokenizer/encoding/o200k_base'),
};
const asText = { disallowedSpecial: new Set<string>() };

const TEXTS = [
  '',
  'Hello, world!',
  "It's they'll WE'RE I'M 'tis don'ts 'S 've'll x'Re O'Neill's",
  'camelCase HTTPServer ABCdef ABC abc XMLHttpRequest2 iOS',
  '1 12 123 1234 12345.678 ١٢٣٤ Ⅻ ½ 2²',
  '  two  three   four    \t tab\t\ttabs \u00a0nbsp \u3000wide',
  'a\n\nb\n \n  c\r\n\r\nd\r e\n\n\n\n',
  '\n',
  '   ',
  ' \n ',
  'foo!\n\n  bar. \n.\n\n\t\n',
  '!\n/usr/bin/\n/etc//\n/ //\n\n/x http://a.b/c?d=e&f=g#h',
  '# Title\n\n- item `code`\n  - nested\n\n| a | b |\n| --- | --- |\n```js\nlet x = 1;\n```\n',
  '漢字かな交じり文。テスト、です！ 中文，测试。한국어 시험',
  'naïve café e\u0301e\u0301 \u0301mark a\u0301\u0302b Ǆ ǅ ʰ ªº Straße İstanbul',
  'Привет, мир! Ελληνικά עברית العربية हिन्दी ไทย',
  '😀😀 👍🏽 👩‍👩‍👧 𝒜𝓫𝔠 𐐀𐐨 a😀b 1😀2 \n😀\n',
  '\ud800 lone \udc00\ud83d',
  '<|endoftext|> and <|fim_prefix|><|im_start|>user<|im_sep|>',
  'x'.repeat(LONGEST_WORD),
  ' '.repeat(LONGEST_WORD),
  '-'.repeat(LONGEST_WORD),
  'A'.repeat(100) + 'a'.repeat(100),
];

for (const tokenizer of ['cl100k_base', 'o200k_base'] as const) {
  const expected = (text: string) => libraries[tokenizer].countTokens(text, asText);

  describe(`tokens of ${tokenizer}`, () => {
    it.each(TEXTS)('are as many as the library counts in %j', (text) => {
      expect(countTokens(text, tokenizer)).toBe(expected(text));
      // From the cache, too.
      expect(countTokens(text, tokenizer)).toBe(expected(text));
    });

    it('are as many as the library counts in any text', () => {
      const piece = fc.oneof(
        fc.constantFrom(...'abzABZ019 \t\n\r\v\f.,\'/!-_|#`<>"sdmtlverSDMTLVER'.split('')),
        fc.constantFrom(
          '  ',
          '\n\n',
          ' \n',
          "'ll",
          "'S",
          '!\n/',
          'ſ',
          'K',
          "'ſ",
          '\u00a0',
          '\u2028',
          '\ufeff',
          'é',
          'É',
          '漢',
          'ー',
          '\u0301',
          'Ǆ',
          'ǅ',
          '٣',
          '😀',
          '𝒜',
          '\ud800',
        ),
        fc.string({ unit: 'binary', maxLength: 4 }),
        fc.string({ unit: 'grapheme', maxLength: 4 }),
      );
      fc.assert(
        fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
          const text = pieces.join('');
          expect(countTokens(text, tokenizer)).toBe(expected(text));
        }),
        { numRuns: Number(process.env.CHUNK_RUNS ?? 150) * 10 },
      );
    });

    it('of a part are those of the part alone', () => {
      fc.assert(
        fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), fc.nat(40), fc.nat(40), (text, a, b) => {
          const [from, to] = [Math.min(a, b, text.length), Math.min(Math.max(a, b), text.length)];
          expect(tokenCounter(tokenizer).count(text, from, to)).toBe(expected(text.slice(from, to)));
        }),
      );
    });

    it.each([
      ['one letter', 'a'],
      ['capitals', 'A'],
      ['blanks', ' '],
      ['newlines', '\n'],
      ['signs', '-'],
      ['han', '漢'],
      ['emoji', '😀'],
      ['quotes', "'"],
      ['marks', '\u0301'],
    ])('are counted in a second for a megabyte of %s', (_, character) => {
      const start = performance.now();
      expect(countTokens(character.repeat(1_000_000), tokenizer)).toBeGreaterThan(1_000);
      expect(performance.now() - start).toBeLessThan(3_000);
    });
  });
}
