/**
 * `npm run quality:articles -- DIR`: how well the main content of real article pages is found. DIR holds
 * `html/<id>.html.gz` and `ground-truth.json` (id → `{ articleBody, url }`). `--list` shows the worst pages first, with
 * what they miss and what they have too much.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { decodeHtml } from '@trawl/extract';
import { z } from 'zod';
import { runExtractor } from './extractor.ts';
import { readMarkdown } from './markdown-reader.ts';
import { type ArticleScore, scoreArticle, summarize } from './shingles.ts';

const USAGE = 'Usage: npm run quality:articles -- DIR [--list]\n';
const groundTruthSchema = z.record(z.string(), z.object({ articleBody: z.string(), url: z.string() }));

interface ScoredPage {
  readonly id: string;
  readonly url: string;
  readonly ms: number;
  readonly text: ArticleScore;
  readonly markdown: ArticleScore;
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);

function main(): number {
  const parsed = readArgs();
  if (!parsed) {
    process.stderr.write(USAGE);
    return 2;
  }
  const { directory, list } = parsed;
  const truthFile = join(directory, 'ground-truth.json');
  if (!existsSync(truthFile)) {
    process.stderr.write(`${truthFile} does not exist.\n${USAGE}`);
    return 2;
  }
  const truth = groundTruthSchema.parse(JSON.parse(readFileSync(truthFile, 'utf8')));
  const pages = Object.entries(truth).map(([id, { articleBody, url }]) => scorePage(directory, id, url, articleBody));
  const perPage = pages.reduce((sum, { ms }) => sum + ms, 0) / Math.max(1, pages.length);
  const slowest = pages.reduce((a, b) => (b.ms > a.ms ? b : a), pages[0] ?? { ms: 0, id: 'none' });
  say(`${pages.length} pages, ${perPage.toFixed(1)} ms each, slowest ${slowest.ms.toFixed(0)} ms (${slowest.id})`);
  for (const kind of ['text', 'markdown'] as const) {
    const { f1, precision, recall, accuracy } = summarize(pages.map((page) => page[kind]));
    say(
      `${kind.padEnd(9)} F1 ${f1.toFixed(3)}  precision ${precision.toFixed(3)}  recall ${recall.toFixed(3)}  accuracy ${accuracy.toFixed(3)}`,
    );
  }
  if (list) listWorst(pages);
  return 0;
}

function readArgs(): { directory: string; list: boolean } | null {
  try {
    const { values, positionals } = parseArgs({ options: { list: { type: 'boolean' } }, allowPositionals: true });
    const [directory, ...more] = positionals;
    return directory === undefined || more.length > 0 ? null : { directory, list: values.list ?? false };
  } catch {
    return null;
  }
}

function scorePage(directory: string, id: string, url: string, articleBody: string): ScoredPage {
  const bytes = gunzipSync(readFileSync(join(directory, 'html', `${id}.html.gz`)));
  const { text, markdown, ms } = runExtractor(decodeHtml(bytes, null).html, url);
  return {
    id,
    url,
    ms,
    text: scoreArticle(articleBody, text),
    markdown: scoreArticle(articleBody, readMarkdown(markdown).text),
  };
}

function listWorst(pages: readonly ScoredPage[]): void {
  const ordered = pages.filter(({ markdown }) => markdown.both < 1).sort((a, b) => a.markdown.both - b.markdown.both);
  for (const { id, url, markdown } of ordered) {
    const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
    say(`\n${id}  ${url}`);
    say(
      `  same ${percent(markdown.both)}, missing ${percent(markdown.missing)}, too much ${percent(markdown.tooMuch)}`,
    );
    for (const passage of joinRuns(markdown.missingRuns)) say(`  - ${passage}`);
    for (const passage of joinRuns(markdown.surplusRuns)) say(`  + ${passage}`);
  }
}

const MOST_PASSAGES = 6;
const MOST_PASSAGE = 300;

/** Runs that overlap by all but one word belong to one passage. */
function joinRuns(runs: readonly string[]): string[] {
  const passages: string[] = [];
  let words: string[] = [];
  for (const run of runs) {
    const next = run.split(' ');
    if (words.length > 0 && words.slice(1 - next.length).join(' ') === next.slice(0, -1).join(' ')) {
      words.push(next.at(-1) ?? '');
    } else {
      if (words.length > 0) passages.push(words.join(' '));
      words = next;
    }
  }
  if (words.length > 0) passages.push(words.join(' '));
  passages.sort((a, b) => b.length - a.length);
  const shown = passages
    .slice(0, MOST_PASSAGES)
    .map((passage) => (passage.length > MOST_PASSAGE ? `${passage.slice(0, MOST_PASSAGE)}…` : passage));
  return passages.length > MOST_PASSAGES ? [...shown, `… and ${passages.length - MOST_PASSAGES} more`] : shown;
}

// As when the lines go to `head`.
process.stdout.on('error', () => process.exit());
process.exitCode = main();
