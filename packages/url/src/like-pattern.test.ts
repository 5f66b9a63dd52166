import { describe, expect, it } from 'vitest';
import { compileLike } from './like-pattern.ts';

describe('a LIKE pattern', () => {
  it.each([
    ['abc', 'abc', true],
    ['abc', 'abcd', false],
    ['abc', 'ABC', false],
    ['%', '', true],
    ['%%', 'x', true],
    ['', '', true],
    ['', 'x', false],
    ['a%', 'abc', true],
    ['%c', 'abc', true],
    ['a%a', 'a', false],
    ['a%a', 'aa', true],
    ['%b%', 'abc', true],
    ['%ab%ab%', 'xabab', true],
    ['%ab%ab%', 'xab', false],
    ['a_c', 'abc', true],
    ['a_c', 'ac', false],
    ['%_', '', false],
    ['%a_c%', 'xxabacc', true],
    ['%a_c%', 'xxabac', false],
    ['%a_c', 'aacabc', true],
    ['100\\%', '100%', true],
    ['100\\%', '100x', false],
    ['a\\_b', 'a_b', true],
    ['a\\_b', 'axb', false],
    ['a\\\\b', 'a\\b', true],
    ['a\\', 'a\\', true],
    ['a.c', 'abc', false],
    ['https://example.com/docs/%', 'https://example.com/docs/a/b?c', true],
  ])('%j on %j: %s', (pattern, value, expected) => {
    expect(compileLike(pattern)(value)).toBe(expected);
  });

  it('agrees with trying every split, on all short strings of two letters', () => {
    const naive = (p: string, v: string): boolean => {
      if (p === '') return v === '';
      if (p[0] === '%') return naive(p.slice(1), v) || (v !== '' && naive(p, v.slice(1)));
      return v !== '' && (p[0] === '_' || p[0] === v[0]) && naive(p.slice(1), v.slice(1));
    };
    const strings = (alphabet: string, length: number): string[] =>
      length === 0 ? [''] : ['', ...strings(alphabet, length - 1).flatMap((s) => [...alphabet].map((c) => c + s))];
    const values = strings('ab', 5);
    for (const pattern of new Set(strings('ab%_', 4))) {
      const like = compileLike(pattern);
      for (const value of values) expect(like(value), `${pattern} on ${value}`).toBe(naive(pattern, value));
    }
  });

  it('answers at once where backtracking would not come back', () => {
    const like = compileLike(`${'%a'.repeat(100)}%_b${'%_a'.repeat(50)}`);
    const started = performance.now();
    expect(like('a'.repeat(8000))).toBe(false);
    expect(performance.now() - started).toBeLessThan(200);
  });
});
