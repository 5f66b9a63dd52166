import { describe, expect, it } from 'vitest';
import { phraseSample } from './phrase-sample.ts';

const blurb = (item: number): string =>
  ['red', 'blue', 'green']
    .map((word, i) => `item${'abcdefghij'[item]} ${word} part ${'xyz'[i]} of shelf number ${item}`)
    .join('. ');

/** How much of a sample was in none of the others. */
function unseen(texts: readonly string[]): number[] {
  const seen = new Set<string>();
  return texts.map((text) => {
    const sample = phraseSample(text);
    const fresh = sample.filter((phrase) => !seen.has(phrase)).length;
    for (const phrase of sample) seen.add(phrase);
    return fresh / sample.length;
  });
}

describe('a sample of phrases', () => {
  it('is the same for the same text, and for one that differs in numbers only', () => {
    const page = (year: number) =>
      `Events of November ${year}. Mon Tue Wed Thu Fri Sat Sun 1 2 3 4 5. Previous month, next month.`;
    expect(phraseSample(page(2026))).toEqual(phraseSample(page(2126)));
  });

  it('of pages put together from the same parts is soon known', () => {
    const grids = Array.from({ length: 60 }, (_, i) =>
      [i % 10, (i * 3) % 10, (i * 7) % 10].map((item) => blurb(item)).join('\n'),
    );
    const late = unseen(grids).slice(30);
    expect(Math.max(...late)).toBeLessThanOrEqual(0.5);
  });

  it('of pages that say something is new', () => {
    const article = (n: number) =>
      Array.from(
        { length: 200 },
        (_, i) => `w${((i * i * 31 + n * 7907 * (i + 3)) % 5003).toString(36).replace(/\d/g, 'q')}`,
      ).join(' ');
    expect(Math.min(...unseen([1, 2, 3, 4, 5].map(article)))).toBeGreaterThan(0.5);
  });

  it('of few words is small, of none empty', () => {
    expect(phraseSample('two words')).toHaveLength(1);
    expect(phraseSample('12 34')).toHaveLength(1);
    expect(phraseSample('a b c d e f')).toHaveLength(3);
  });
});
