/**
 * What a page holds, read off its markup by selectors that know the generator that made it. Shares no code with the
 * extractor and uses another parser, so that the two can't be wrong in the same way.
 */
import { type CheerioAPI, load } from 'cheerio';

/** Where a generator puts things. */
export interface Generator {
  readonly name: string;
  /** The main content: the elements of the first selector that finds any. */
  readonly main: readonly string[];
  /** What is no content though it stands within the main content: permalinks, page contents, breadcrumbs, buttons. */
  readonly chrome: string;
  /** What may be kept or left out: lists of the pages below, dates of change. */
  readonly either?: string;
  /** Tables that only lay the page out: their text counts, their cells do not. */
  readonly layoutTables?: string;
  /** Code blocks, if more than `pre`. */
  readonly code?: string;
  /** Elements that are lines of a code block each, if the block does not hold its line breaks itself. */
  readonly codeLines?: string;
}

export interface PageTruth {
  readonly headings: readonly string[];
  readonly codeBlocks: readonly CodeTruth[];
  /** Texts of the cells that have one, by row. */
  readonly rows: readonly (readonly string[])[];
  readonly links: readonly LinkTruth[];
  readonly text: string;
  /** What may be kept or left out. */
  readonly eitherText: string;
  /** What is shown beside the main content. */
  readonly chromeText: string;
}

interface CodeTruth {
  readonly text: string;
  /** A table cell of markdown is one line: there the code can only keep its words. */
  readonly isInTable: boolean;
}

interface LinkTruth {
  readonly url: string;
  readonly text: string;
  /** A link around whole blocks, of which markdown can link one line. */
  readonly holdsBlocks: boolean;
}

type Nodes = ReturnType<ReturnType<CheerioAPI['root']>['contents']>;
type Node = Nodes[number];

/** Without those that lead from a heading back to a list of contents, and those that only a script makes links of. */
const LINKS = 'a[href]:not(.toc-backref, [href="#"])';
const HEADINGS = 'h1, h2, h3, h4, h5, h6';
/** Never text to read, whoever made the page. Formulas may be written in more than one way, so their letters don't count. */
const UNREAD = [
  'script, style, template, noscript, svg, iframe, object, select, textarea, head',
  'math, .katex, .MathJax',
  '[hidden], [style*="display:none"], [style*="display: none"]',
  // Markdown has its own footnotes, which need neither.
  'a.footnote-ref, a.footnote-reference, a[role="doc-noteref"], a[data-footnote-ref], a.footnote, sup.footnote, sup[id^="fnref"]',
  'a.footnote-back, a.footnote-backref, a.fn-backref, a[role="doc-backlink"], a[data-footnote-backref], a[href^="#fnref"]',
  'a[href^="#_footnoteref"], div.footnote a.para, #footnote-label',
].join(', ');
const BLOCKS = new Set(
  (
    'address article aside blockquote body br button caption center dd details dialog div dl dt fieldset figcaption figure ' +
    'footer form h1 h2 h3 h4 h5 h6 header hr html li main nav ol option p pre section summary table tbody td tfoot th thead tr ul'
  ).split(' '),
);
const BLOCK_SELECTOR = [...BLOCKS].filter((tag) => tag !== 'br').join(', ');

/** Null when the page has no main content, as those that only redirect have none. */
export function readTruth(html: string, url: string, generator: Generator): PageTruth | null {
  const $ = load(html);
  const selector = generator.main.find((candidate) => $(candidate).length > 0);
  if (selector === undefined) return null;
  const main = $(selector).filter((_, element) => $(element).parents(selector).length === 0);
  const unread = new Set<Node>($(generator.either === undefined ? UNREAD : `${generator.either}, ${UNREAD}`).toArray());
  const chrome = new Set<Node>([...$(generator.chrome).toArray(), ...unread]);
  const base = baseOf($, url);
  const mainNodes = new Set<Node>(main.toArray());
  const isContent = (node: Node): boolean => !isWithin(node, chrome);
  const find = (wanted: string): Node[] => main.find(wanted).addBack(wanted).toArray().filter(isContent);

  const layout = new Set<Node>(generator.layoutTables === undefined ? [] : $(generator.layoutTables).toArray());
  const tables = find('table').filter((table) => !layout.has(table) && $(table).find('th, td').length > 1);
  const tableSet = new Set<Node>(tables);
  const isInTable = (node: Node): boolean => isWithin(node, tableSet);
  const codeSelector = generator.code ?? 'pre';
  const codeSet = new Set<Node>($(codeSelector).toArray());
  const isInCode = (node: Node): boolean => node.parent !== null && isWithin(node.parent, codeSet);

  return {
    headings: find(HEADINGS)
      .filter((heading) => !isInTable(heading))
      .map((heading) => textOf(heading, chrome))
      .filter((text) => text !== ''),
    codeBlocks: find(codeSelector)
      .filter((block) => !isInCode(block))
      .map((block) => ({ text: codeOf($, block, chrome, generator), isInTable: isInTable(block) }))
      .filter(({ text }) => text.trim() !== ''),
    rows: tables.flatMap((table) => rowsOf($, table, chrome)),
    links: find(LINKS)
      .filter((link) => !isInCode(link))
      .flatMap((link) => linkOf($, link, chrome, base)),
    text: [...mainNodes].map((node) => textOf(node, chrome)).join('\n'),
    eitherText: [...unread].map((node) => textOf(node, new Set())).join('\n'),
    chromeText: chromeTextOf($, mainNodes, chrome, unread),
  };
}

function isWithin(node: Node, set: ReadonlySet<Node>): boolean {
  for (let up: Node | null = node; up !== null; up = up.parent) if (set.has(up)) return true;
  return false;
}

function rowsOf($: CheerioAPI, table: Node, skipped: ReadonlySet<Node>): string[][] {
  return $(table)
    .find('tr')
    .toArray()
    .filter((row) => $(row).closest('table').get(0) === table && $(row).find('table').length === 0)
    .map((row) =>
      $(row)
        .children('th, td')
        .toArray()
        .filter((cell) => !skipped.has(cell))
        .map((cell) => textOf(cell, skipped))
        .filter((text) => text !== ''),
    )
    .filter((cells) => cells.length > 0);
}

function linkOf($: CheerioAPI, link: Node, skipped: ReadonlySet<Node>, base: string): LinkTruth[] {
  const href = $(link).attr('href')?.trim() ?? '';
  if (!URL.canParse(href, base)) return [];
  const { href: url, protocol } = new URL(href, base);
  if (protocol !== 'http:' && protocol !== 'https:') return [];
  const text = textOf(link, skipped);
  if (text === '' && $(link).find('img[alt]:not([alt=""])').length === 0) return [];
  return [{ url, text, holdsBlocks: $(link).find(BLOCK_SELECTOR).length > 0 }];
}

function baseOf($: CheerioAPI, url: string): string {
  const href = $('base[href]').attr('href');
  return href !== undefined && URL.canParse(href, url) ? new URL(href, url).href : url;
}

function codeOf($: CheerioAPI, block: Node, skipped: ReadonlySet<Node>, { codeLines }: Generator): string {
  const lines = codeLines === undefined ? [] : $(block).find(codeLines).toArray();
  if (lines.length > 0) return lines.map((line) => rawText(line, skipped).replace(/\n$/, '')).join('\n');
  return rawText(block, skipped);
}

/** White space as it is, which is what code is about, and the line breaks that blocks within the code make. */
function rawText(node: Node, skipped: ReadonlySet<Node>): string {
  const parts: string[] = [];
  collectCode(node, skipped, parts);
  return parts.join('');
}

function collectCode(node: Node, skipped: ReadonlySet<Node>, parts: string[]): void {
  if (skipped.has(node)) return;
  if (node.type === 'text') parts.push(node.data);
  if (!('children' in node)) return;
  const name = 'name' in node ? node.name : '';
  if (name === 'br') parts.push('\n');
  const startsLine = name !== 'br' && BLOCKS.has(name);
  if (startsLine) endLine(parts);
  for (const child of node.children) collectCode(child, skipped, parts);
  if (startsLine) endLine(parts);
}

function endLine(parts: string[]): void {
  const last = parts.findLast((part) => part !== '');
  if (last !== undefined && !last.endsWith('\n')) parts.push('\n');
}

/** White space as a browser shows it, more or less: one space, and a line between blocks. */
function textOf(node: Node, skipped: ReadonlySet<Node>): string {
  const parts: string[] = [];
  collect(node, skipped, parts);
  return parts.join('').replace(/\s+/g, ' ').trim();
}

function collect(node: Node, skipped: ReadonlySet<Node>, parts: string[]): void {
  if (skipped.has(node)) return;
  if (node.type === 'text') parts.push(node.data);
  if (!('children' in node)) return;
  const isBlock = 'name' in node && BLOCKS.has(node.name);
  if (isBlock) parts.push('\n');
  for (const child of node.children) collect(child, skipped, parts);
  if (isBlock) parts.push('\n');
}

function chromeTextOf(
  $: CheerioAPI,
  main: ReadonlySet<Node>,
  chrome: ReadonlySet<Node>,
  unread: ReadonlySet<Node>,
): string {
  const inner = [...chrome].filter((node) => !unread.has(node)).map((node) => textOf(node, unread));
  const outer = $('body')
    .toArray()
    .map((body) => textOf(body, new Set([...main, ...unread])));
  return [...inner, ...outer].join('\n');
}
