import { describe, expect, it } from 'vitest';
import { partsAround, readMarks } from './highlights.ts';

describe('marks', () => {
  it('are taken out, and their places are kept', () => {
    expect(readMarks('a {b} c {d}', '{', '}')).toEqual({
      text: 'a b c d',
      matches: [
        [2, 3],
        [6, 7],
      ],
    });
    expect(readMarks('{b}', '{', '}')).toEqual({ text: 'b', matches: [[0, 1]] });
    expect(readMarks('none', '{', '}')).toEqual({ text: 'none', matches: [] });
    expect(readMarks('cut {off', '{', '}')).toEqual({ text: 'cut off', matches: [[4, 7]] });
  });
});

describe('the surroundings of a match', () => {
  it('are a bounded part of the text, with every match in it once', () => {
    const text = `${'x'.repeat(500)}検索エンジン検索${'y'.repeat(500)}`;
    const [part] = partsAround(text, ['検索', '検索エンジン']);
    expect(part?.text.length).toBeLessThanOrEqual(180);
    expect(part?.matches.map(([from, to]) => part.text.slice(from, to))).toEqual(['検索エンジン', '検索']);
  });

  it('are the beginning where nothing matches, and nothing where there is no text', () => {
    expect(partsAround('alpha beta', ['gamma'])).toEqual([{ text: 'alpha beta', matches: [] }]);
    expect(partsAround('', ['gamma'])).toEqual([]);
    expect(partsAround('alpha', [])).toEqual([{ text: 'alpha', matches: [] }]);
  });

  it('never hold half of a character', () => {
    for (let shift = 0; shift < 4; shift++) {
      const [part] = partsAround(`${'a'.repeat(shift)}${'😀'.repeat(300)}字`, ['字']);
      expect(part?.text.isWellFormed()).toBe(true);
    }
  });
});
