/** Holds the golden pages of each generator to what is asked of them: the same measure as `npm run quality`. */
import { describe, expect, it } from 'vitest';
import { measureSet } from './measure-set.ts';
import { goldenSets } from './page-sets.ts';
import { isGoodEnough, KIND_NAMES, shareOf } from './score.ts';

describe.each(goldenSets())('the golden pages of $title', (set) => {
  it('keep what is asked of them', () => {
    const { score, pages, skipped } = measureSet(set);
    expect(skipped).toEqual([]);
    const short = KIND_NAMES.filter((kind) => !isGoodEnough(kind, score[kind])).map((kind) => ({
      kind,
      share: shareOf(kind, score[kind]),
      losses: pages.flatMap((page) => page.score[kind].losses.map((loss) => `${page.page}: ${loss}`)).slice(0, 5),
    }));
    expect(short).toEqual([]);
  });
});
