/**
 * `npm run quality:cost -- DIR`: what extraction, metadata and markdown cost, against htmlparser2's parse of the same page. Both are timed in
 * turn in one process, the best of three each, so that a busy machine slows both. Our own parse is included in our side.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeHtml } from '@trawl/extract';
import { parseDocument } from 'htmlparser2';
import { runExtractor } from './extractor.ts';

const ROUNDS = 3;
const WARM_UP = 100;
const MOST = 2;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

function main(directory: string | undefined): number {
  if (directory === undefined) {
    say('Which pages? Give a directory, such as /usr/share/doc/python3.11/html.');
    return 2;
  }
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.html'));
  const pages = names.map((name) => ({ name, html: decodeHtml(readFileSync(join(directory, name)), null).html }));
  const extract = ({ name, html }: { name: string; html: string }) =>
    runExtractor(html, `https://pages.example/${name.split('/').map(encodeURIComponent).join('/')}`);
  for (const page of pages.slice(0, WARM_UP)) {
    parseDocument(page.html);
    extract(page);
  }
  const costs = pages.map((page) => ({
    name: page.name,
    parse: fastest(() => parseDocument(page.html)),
    extract: fastest(() => extract(page)),
  }));
  const ratio = median(costs.map((cost) => cost.extract / cost.parse));
  const slowest = costs.reduce((most, cost) => (cost.extract > most.extract ? cost : most));
  say(`${costs.length} pages: extraction costs ${ratio.toFixed(2)} × the parse (median), at most ${MOST} is asked`);
  say(`slowest: ${slowest.extract.toFixed(0)} ms, ${slowest.name}`);
  return ratio <= MOST && slowest.extract < 1000 ? 0 : 1;
}

function fastest(work: () => unknown): number {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    const started = performance.now();
    work();
    best = Math.min(best, performance.now() - started);
  }
  return best;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

process.exitCode = main(process.argv[2]);
