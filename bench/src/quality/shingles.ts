/**
 * How alike an extracted article and the true one are: overlap of their runs of four words. The same score as that of
 * the public article-extraction-benchmark, so that figures can be compared with those published for other extractors.
 */
import { countEach, missingFrom, overlapOf, wordsOf } from './words.ts';

export interface ArticleScore {
  /** Shares of all runs of both texts; they add up to 1, or are all 0 when neither has a word. */
  readonly both: number;
  readonly tooMuch: number;
  readonly missing: number;
  readonly isSame: boolean;
  readonly missingRuns: readonly string[];
  readonly surplusRuns: readonly string[];
}

export interface ArticleFigures {
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
  readonly accuracy: number;
}

const RUN = 4;

export function scoreArticle(truth: string, found: string): ArticleScore {
  const trueWords = wordsOf(truth);
  const foundWords = wordsOf(found);
  const wanted = countEach(runsOf(trueWords));
  const got = countEach(runsOf(foundWords));
  const overlap = overlapOf(wanted, got);
  const missingRuns = missingFrom(wanted, got);
  const surplusRuns = missingFrom(got, wanted);
  const sum = overlap + missingRuns.length + surplusRuns.length || 1;
  return {
    both: overlap / sum,
    tooMuch: surplusRuns.length / sum,
    missing: missingRuns.length / sum,
    isSame: trueWords.join(' ') === foundWords.join(' '),
    missingRuns,
    surplusRuns,
  };
}

/** Precision is of the pages something was found on, recall of those that have an article. */
export function summarize(scores: readonly ArticleScore[]): ArticleFigures {
  const precision = mean(
    scores.filter((s) => s.both + s.tooMuch > 0).map(({ both, tooMuch }) => both / (both + tooMuch)),
  );
  const recall = mean(scores.filter((s) => s.both + s.missing > 0).map(({ both, missing }) => both / (both + missing)));
  const f1 = precision + recall === 0 ? 0 : (2 * precision * recall) / (precision + recall);
  return { precision, recall, f1, accuracy: mean(scores.map(({ isSame }) => (isSame ? 1 : 0))) };
}

/** A text of fewer words is one run. */
function runsOf(words: readonly string[]): string[] {
  if (words.length === 0) return [];
  const runs: string[] = [];
  for (let at = 0; at < Math.max(1, words.length - RUN + 1); at += 1) runs.push(words.slice(at, at + RUN).join(' '));
  return runs;
}

/** Nothing to say anything against is perfect. */
function mean(values: readonly number[]): number {
  return values.length === 0 ? 1 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
