/** Compares what a page holds with what its markdown gives to a reader: how much of each kind is kept, and what is lost. */
import type { ReadMarkdown } from './markdown-reader.ts';
import type { PageTruth } from './page-truth.ts';
import { countEach, missingFrom, overlapOf, wordsOf } from './words.ts';

/** In the order they are printed. `least` (or `most`) is the share that a generator's pages must reach (or stay below). */
export const KINDS = {
  headings: { title: 'headings', least: 0.98 },
  code: { title: 'code blocks', least: 0.97 },
  cells: { title: 'cells', least: 0.98 },
  rows: { title: 'rows', least: 0.98 },
  links: { title: 'links', least: 0.97 },
  words: { title: 'words', least: 0.98 },
  navigation: { title: 'navigation', most: 0.05 },
} as const satisfies Record<string, { title: string; least: number } | { title: string; most: number }>;

export type Kind = keyof typeof KINDS;
export const KIND_NAMES: readonly Kind[] = ['headings', 'code', 'cells', 'rows', 'links', 'words', 'navigation'];

export interface Count {
  readonly found: number;
  readonly of: number;
  /** What is missing, or for navigation what is there. */
  readonly losses: readonly string[];
}

export type PageScore = Readonly<Record<Kind, Count>>;

export function scorePage(truth: PageTruth, markdown: ReadMarkdown): PageScore {
  return {
    headings: compare(truth.headings, markdown.headings),
    code: compareCode(truth, markdown),
    cells: compareCells(truth.rows.flat(), markdown.rows.flat()),
    rows: compareRows(truth.rows, markdown.rows),
    links: compareLinks(truth, markdown),
    words: compareWords(truth.text, markdown.text),
    navigation: compareNavigation(truth, markdown.text),
  };
}

export function addScores(scores: readonly PageScore[]): PageScore {
  const sum = (kind: Kind): Count => ({
    found: scores.reduce((total, score) => total + score[kind].found, 0),
    of: scores.reduce((total, score) => total + score[kind].of, 0),
    losses: [],
  });
  return {
    headings: sum('headings'),
    code: sum('code'),
    cells: sum('cells'),
    rows: sum('rows'),
    links: sum('links'),
    words: sum('words'),
    navigation: sum('navigation'),
  };
}

/** Of nothing, all is kept. */
export function shareOf(kind: Kind, { found, of }: Count): number {
  if (of === 0) return kind === 'navigation' ? 0 : 1;
  return found / of;
}

export function isGoodEnough(kind: Kind, count: Count): boolean {
  const limit = KINDS[kind];
  const share = shareOf(kind, count);
  return 'least' in limit ? share >= limit.least : share <= limit.most;
}

/** White space is not what headings, cells and link texts are compared by: where it falls between inline elements is a matter of taste. */
const keyOf = (text: string): string => text.normalize('NFC').replace(/[\s\u200b\ufeff]+/g, '');

/** A line that starts as a list item does, within a cell. */
const withoutBullets = (text: string): string => text.replace(/(^|\n)\s*(?:[-*+•◦▪]|\d+[.)])\s+/g, '$1');

/** Takes each thing once. */
class Pool {
  readonly #left: Map<string, number>;
  constructor(keys: Iterable<string>) {
    this.#left = countEach(keys);
  }
  take(key: string): boolean {
    const left = this.#left.get(key) ?? 0;
    if (left > 0) this.#left.set(key, left - 1);
    return left > 0;
  }
}

function compare(wanted: readonly string[], found: readonly string[]): Count {
  const pool = new Pool(found.map(keyOf));
  return countOf(
    wanted,
    wanted.filter((text) => !pool.take(keyOf(text))),
    (text) => text,
  );
}

function compareCells(wanted: readonly string[], found: readonly string[]): Count {
  const pool = new Pool(found.map(keyOf));
  const inRest = new Pool(found.map((text) => keyOf(withoutBullets(text))));
  return countOf(
    wanted,
    wanted.filter((text) => !pool.take(keyOf(text)) && !inRest.take(keyOf(text))),
    (text) => text,
  );
}

/** A row may hold more than its own cells: those that reach into it from above, and empty ones. */
function compareRows(wanted: PageTruth['rows'], found: ReadMarkdown['rows']): Count {
  const rows = found.map((cells) => ({
    cells: cells.map((cell) => [keyOf(cell), keyOf(withoutBullets(cell))]),
    taken: false,
  }));
  const byFirst = new Map<string, typeof rows>();
  for (const row of rows) {
    for (const key of new Set(row.cells.flat())) {
      const known = byFirst.get(key);
      if (known) known.push(row);
      else byFirst.set(key, [row]);
    }
  }
  const lost = wanted.filter((cells) => {
    const keys = cells.map(keyOf);
    const match = byFirst.get(keys[0] ?? '')?.find((row) => !row.taken && holdsInOrder(row.cells, keys));
    if (match) match.taken = true;
    return !match;
  });
  return countOf(wanted, lost, (cells) => cells.join(' | '));
}

function holdsInOrder(row: readonly (readonly string[])[], keys: readonly string[]): boolean {
  let at = 0;
  for (const cell of row) if (at < keys.length && cell.includes(keys[at] ?? '')) at += 1;
  return at === keys.length;
}

function compareCode({ codeBlocks }: PageTruth, markdown: ReadMarkdown): Count {
  const pool = new Pool(markdown.codeBlocks.map(codeKey));
  const cells = markdown.rows.flat().map(keyOf);
  const lost = codeBlocks.filter(({ text, isInTable }) => {
    if (pool.take(codeKey(text))) return false;
    return !(isInTable && cells.some((cell) => cell.includes(keyOf(text))));
  });
  return countOf(codeBlocks, lost, ({ text }) => text);
}

/** All white space counts, save what can't be seen: at the end of lines, before and after the code, and which kind a space is. */
const codeKey = (code: string): string =>
  code
    .replace(/\r\n?/g, '\n')
    .replace(/\u00a0/g, ' ')
    .replace(/[ \t]+$/gm, '')
    .replace(/^\n+/, '')
    .trimEnd();

function compareLinks({ links }: PageTruth, markdown: ReadMarkdown): Count {
  const found = markdown.links.flatMap(({ url, text }) =>
    URL.canParse(url) ? [{ url: new URL(url).href, key: keyOf(text) }] : [],
  );
  const pool = new Pool(found.map(({ url, key }) => `${url} ${key}`));
  const lost = links.filter(({ url, text, holdsBlocks }) => {
    const key = keyOf(text);
    if (pool.take(`${url} ${key}`)) return false;
    return !(holdsBlocks && found.some((link) => link.url === url && link.key !== '' && key.includes(link.key)));
  });
  return countOf(links, lost, ({ url, text }) => `${text} <${url}>`);
}

function compareWords(truth: string, found: string): Count {
  const wanted = countEach(wordsOf(truth));
  const got = countEach(wordsOf(found));
  const of = [...wanted.values()].reduce((sum, count) => sum + count, 0);
  return {
    found: overlapOf(wanted, got),
    of,
    losses: [missingFrom(wanted, got).join(' ')].filter((text) => text !== ''),
  };
}

/** Words that stand only beside the content: whichever of them the markdown has, it has from there. */
function compareNavigation({ text, eitherText, chromeText }: PageTruth, markdown: string): Count {
  const content = new Set([...wordsOf(text), ...wordsOf(eitherText)]);
  const only = [...new Set(wordsOf(chromeText))].filter((word) => !content.has(word));
  const got = new Set(wordsOf(markdown));
  const left = only.filter((word) => got.has(word));
  return { found: left.length, of: only.length, losses: [left.join(' ')].filter((words) => words !== '') };
}

function countOf<T>(wanted: readonly T[], lost: readonly T[], show: (thing: T) => string): Count {
  return { found: wanted.length - lost.length, of: wanted.length, losses: lost.map(show) };
}
