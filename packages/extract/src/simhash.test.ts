import { describe, expect, it } from 'vitest';
import { hammingDistance, simhash } from './simhash.ts';

const hashOf = (text: string): bigint => {
  const hash = simhash(text);
  if (hash === null) throw new Error('the text has too few words');
  return hash;
};
const distance = (a: string, b: string): number => hammingDistance(hashOf(a), hashOf(b));

/** Text of a subject: words of one vocabulary of 2,000, the frequent ones far more often, the same for a seed. */
function prose(seed: number, words: number): string[] {
  let state = seed * 7919 + 1;
  return Array.from({ length: words }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return `w${Math.floor(2000 * (state / 2 ** 32) ** 3)}`;
  });
}
const pages = Array.from({ length: 60 }, (_, seed) => prose(seed, 600));
const most = (distances: readonly number[], limit: number): number =>
  distances.filter((bits) => bits <= limit).length / distances.length;

describe('the simhash of a text', () => {
  it('is null below 20 words', () => {
    expect(simhash('')).toBeNull();
    expect(simhash(prose(1, 19).join(' '))).toBeNull();
    expect(simhash(prose(1, 20).join(' '))).not.toBeNull();
    expect(simhash('漢字かな交じり文は単語を空白で区切らない')).not.toBeNull();
  });

  it('fits a signed 64-bit integer, and is the same in every process: it is kept', () => {
    const hashes = pages.map((words) => hashOf(words.join(' ')));
    for (const hash of hashes) expect(BigInt.asIntN(64, hash)).toBe(hash);
    expect(hashes.some((hash) => hash < 0n) && hashes.some((hash) => hash > 0n)).toBe(true);
    expect(hashes[0]).toBe(6708207540994619246n);
  });

  it('is blind to case, punctuation and white space, but not to order', () => {
    const text = prose(1, 100).join(' ');
    expect(distance(text, text.toUpperCase().replaceAll(' ', ', \n“'))).toBe(0);
    expect(distance(text, text.split(' ').reverse().join(' '))).toBeGreaterThan(12);
  });

  it('moves by few bits with one word', () => {
    const distances = pages.map((words) => distance(words.join(' '), words.with(300, 'other').join(' ')));
    expect(Math.max(...distances)).toBeLessThanOrEqual(8);
    expect(most(distances, 3)).toBeGreaterThan(0.7);
  });

  it('moves by some bits with one paragraph of forty', () => {
    const distances = pages.map((words, seed) => {
      const changed = words.toSpliced(300, 15, ...prose(1000 + seed, 15).map((word) => `x${word}`));
      return distance(words.join(' '), changed.join(' '));
    });
    expect(Math.max(...distances)).toBeLessThanOrEqual(12);
    expect(most(distances, 8)).toBeGreaterThan(0.9);
  });

  it('hardly moves where only a line around the page differs', () => {
    const distances = pages.map((words, seed) =>
      distance(`${words.join(' ')} last updated on ${seed} May`, `${words.join(' ')} last updated on 18 November`),
    );
    expect(Math.max(...distances)).toBeLessThanOrEqual(8);
    expect(most(distances, 3)).toBeGreaterThan(0.8);
  });

  it('is far apart for different pages, even with a third of their words in common around them', () => {
    const frame = prose(5000, 300).join(' ');
    const bare = pages.map((words) => hashOf(words.join(' ')));
    const framed = pages.map((words) => hashOf(`${frame} ${words.join(' ')}`));
    for (let a = 0; a < pages.length; a++) {
      for (let b = 0; b < a; b++) {
        expect(hammingDistance(bare[a] ?? 0n, bare[b] ?? 0n)).toBeGreaterThan(12);
        expect(hammingDistance(framed[a] ?? 0n, framed[b] ?? 0n)).toBeGreaterThan(8);
      }
    }
  });

  it('goes by what a page says rather than by a row it repeats', () => {
    const rows = 'the default value is none '.repeat(500);
    expect(distance(rows + prose(1, 400).join(' '), rows + prose(2, 400).join(' '))).toBeGreaterThan(12);
  });

  it('tells pages apart that differ in numbers', () => {
    const notes = (version: number) => `fixes of release ${version} `.repeat(3) + prose(version, 17).join(' ');
    expect(hashOf(notes(1))).not.toBe(hashOf(notes(2)));
  });

  it('takes time in proportion to the text', () => {
    const started = performance.now();
    for (const piece of ['a ', 'a b c ', '漢', 'ab', '\u2003', 'a1 '.repeat(50)])
      simhash(piece.repeat(1_000_000 / piece.length));
    simhash(Array.from({ length: 300_000 }, (_, n) => n.toString(36)).join(' '));
    expect(performance.now() - started).toBeLessThan(5000);
  });
});

describe('the distance of two hashes', () => {
  it.each([
    [0n, 0n, 0],
    [0n, -1n, 64],
    [-1n, -1n, 0],
    [1n, 2n, 2],
    [0n, -(2n ** 63n), 1],
    [2n ** 63n - 1n, -(2n ** 63n), 64],
    [0x0123456789abcdefn, 0x0123456789abcdeen, 1],
    [0xffffffffn, 0n, 32],
    [-4294967296n, 0n, 32],
  ])('%i and %i is %i', (a, b, bits) => {
    expect(hammingDistance(a, b)).toBe(bits);
    expect(hammingDistance(b, a)).toBe(bits);
  });
});
