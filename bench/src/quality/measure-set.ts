/** Measures the pages of one set: extracts each, reads the markdown, compares with the truth, and adds up. */
import { runExtractor } from './extractor.ts';
import { readMarkdown } from './markdown-reader.ts';
import { type PageSet, readPage } from './page-sets.ts';
import { readTruth } from './page-truth.ts';
import { addScores, type PageScore, scorePage } from './score.ts';
import { GENERATORS } from './truth.ts';

interface MeasuredPage {
  readonly page: string;
  readonly score: PageScore;
  readonly ms: number;
}

export interface MeasuredSet {
  readonly title: string;
  readonly pages: readonly MeasuredPage[];
  /** Pages without main content, such as those that only redirect. */
  readonly skipped: readonly string[];
  readonly score: PageScore;
}

export function measureSet(set: PageSet): MeasuredSet {
  const pages: MeasuredPage[] = [];
  const skipped: string[] = [];
  for (const page of set.pages) {
    const { html, url } = readPage(set, page);
    const truth = readTruth(html, url, GENERATORS[set.generator]);
    if (!truth) {
      skipped.push(page);
      continue;
    }
    const { markdown, ms } = runExtractor(html, url);
    pages.push({ page, score: scorePage(truth, readMarkdown(markdown)), ms });
  }
  return { title: set.title, pages, skipped, score: addScores(pages.map(({ score }) => score)) };
}
