/**
 * What is not of the article: first what is plainly beside it (`sortOut`, before its box is chosen), then what stands inside its box without being
 * of it (`prune`): titles, bylines, captions, share buttons, links to other pages. Marks parts only; the page itself stays as it is.
 */
import type { Element } from '../dom/node.ts';
import { isCall, isCredit, isLabel, isPointer, isSentence } from './article-lines.ts';
import { MIN_PROSE, ownProse, type Part } from './article-parts.ts';
import type { NamesOf } from './article-words.ts';

const CHROME_TAGS = new Set(['footer', 'aside', 'form']);
const CHROME_ROLES = new Set(
  'navigation complementary banner contentinfo search dialog alertdialog menu toolbar tooltip form'.split(' '),
);

/** So much prose must remain elsewhere for a box to be out that holds more than half of the page's. */
const MIN_REST = 200;

/** Counts the prose that remains, too. */
export function sortOut(part: Part, total: number, namesOf: NamesOf): void {
  let kept = part.prose;
  for (const child of part.children) {
    if (child.prose === 0) continue;
    if (isChrome(child, total, namesOf)) {
      child.isOut = true;
      kept -= child.prose;
    } else {
      sortOut(child, total, namesOf);
      kept -= child.prose - child.kept;
    }
  }
  part.kept = kept;
}

function isChrome(part: Part, total: number, namesOf: NamesOf): boolean {
  const { tag, name, attribs } = part.element;
  if (
    tag.kind === 'article' ||
    tag.kind === 'main' ||
    tag.kind === 'root' ||
    tag.kind === 'preformatted' ||
    isQuote(part)
  )
    return false;
  const names = namesOf(part.element);
  // A box with half of the prose is not out for any name: layouts are called `with-sidebar`. Comments can well be longer than what they are on.
  const isLarge = part.prose >= total / 2;
  if (isLarge) return total - part.prose >= MIN_REST && (names.isComments || name === 'footer');
  if (CHROME_TAGS.has(name) || (attribs.role !== undefined && CHROME_ROLES.has(attribs.role))) return true;
  return names.isChrome && !names.isBody;
}

export interface PruneOptions {
  readonly namesOf: NamesOf;
  /** What the page is called in its head. */
  readonly title: string;
  /** Without the rules that guess: for pages of which they leave too little. */
  readonly isLax: boolean;
}

export interface Left {
  /** Weight of the prose, and in how many lines. */
  readonly prose: number;
  readonly paragraphs: number;
  /** Headings that lead to another page of the site, as over teasers. */
  readonly linkedTitles: number;
}

/** Returns what is left. */
export function prune(container: Part, options: PruneOptions): Left {
  const pruner = new Pruner(container, options);
  pruner.pruneBelow(container);
  if (!options.isLax) dropEnds(container, options.title);
  return pruner;
}

class Pruner implements Left {
  /** Of what was passed and stays. */
  prose = 0;
  paragraphs = 0;
  linkedTitles = 0;

  readonly #container: Part;
  readonly #options: PruneOptions;
  #hasTitle = false;

  constructor(container: Part, options: PruneOptions) {
    this.#container = container;
    this.#options = options;
    this.#addLines(container);
  }

  pruneBelow(part: Part): void {
    for (const child of part.children) {
      child.isForeign = child.isOut;
      if (child.isForeign || (child.text === 0 && child.images === 0)) continue;
      child.isForeign = this.#isForeign(child);
      if (child.isForeign) continue;
      if (isWhole(child)) {
        this.prose += child.prose;
        this.paragraphs += child.paragraphs;
        continue;
      }
      if (!child.element.tag.isPhrasing) this.#addLines(child);
      this.pruneBelow(child);
    }
    dropLoneHeadings(part);
  }

  #addLines(part: Part): void {
    const prose = ownProse(part);
    this.prose += prose;
    if (prose > 0) this.paragraphs++;
    if (part.element.tag.kind === 'heading' && part.link - part.away === part.text) this.linkedTitles++;
  }

  #isForeign(part: Part): boolean {
    const { element } = part;
    const { kind, isPhrasing } = element.tag;
    if (part.prose > this.#container.prose / 2 || kind === 'row' || kind === 'cell' || isTableSection(element))
      return false;
    if (isQuote(part) || (isPhrasing && isInSentence(part))) return false;
    if (this.#isForeignElement(part)) return true;
    const names = this.#options.namesOf(element);
    if (names.isChrome) return true;
    if (this.#options.isLax) return false;
    return names.isExtra || isLinks(part) || isForeignLine(part);
  }

  #isForeignElement(part: Part): boolean {
    const { name, attribs } = part.element;
    if (CHROME_TAGS.has(name) || (attribs.role !== undefined && CHROME_ROLES.has(attribs.role))) return true;
    // The first is the page's title, told by its metadata; further ones are headings of the article.
    if (name === 'h1') {
      const isFirst = !this.#hasTitle;
      this.#hasTitle = true;
      return isFirst;
    }
    if (name === 'header') return this.prose === 0 || part.titles > 0;
    if (name === 'figcaption') return part.parent === null || part.parent.images > 0 || part.parent.text === part.text;
    return name === 'time' || name === 'address';
  }
}

const isTableSection = ({ name }: Element): boolean => name === 'tbody' || name === 'thead' || name === 'tfoot';

/** A quotation, or a box around one: embedded posts of social networks are quotations in boxes called `social`. */
function isQuote(part: Part): boolean {
  return part.element.tag.kind === 'blockquote' || part.quote > part.text * 0.7;
}

/** Inside these nothing is foreign: code is full of elements called `comment`, tables of cells that are links. */
function isWhole(part: Part): boolean {
  const { kind } = part.element.tag;
  return (
    kind === 'blockquote' ||
    kind === 'preformatted' ||
    kind === 'code' ||
    kind === 'math' ||
    (kind === 'table' && part.prose === 0)
  );
}

/** `<a class="tag">` in the middle of a sentence is a word of it. */
function isInSentence({ parent, own, element }: Part): boolean {
  return (
    parent !== null && parent.own - own >= MIN_PROSE / 2 && (element.tag.kind === 'anchor' || element.name === 'time')
  );
}

const MAX_LINKS = 400;

/** Mostly links to the same site. A line that ends like a sentence is one, however many links it has. */
function isLinks(part: Part): boolean {
  const { kind, isPhrasing } = part.element.tag;
  if (part.links === 0 || isPhrasing || kind === 'heading' || kind === 'table') return false;
  const density = (part.link - part.away) / part.text;
  const isDense = density > 0.8 && part.text < MAX_LINKS;
  const isList = (kind === 'list' || kind === 'block') && density > 0.5 && part.links > 1 && part.prose === 0;
  if (!isDense && !isList) return false;
  return part.own !== part.text || !isSentence(lineOf(part.element));
}

const MAX_LINE = 300;

function isForeignLine(part: Part): boolean {
  if (part.own !== part.text || part.text > MAX_LINE) return false;
  if (part.element.tag.isPhrasing && !isOwnLine(part)) return false;
  const line = lineOf(part.element);
  return isLabel(line) || isCredit(line) || (part.link * 3 > part.text && isPointer(line));
}

/** Elements of a line within others have been looked at with these. */
function isOwnLine({ parent, own }: Part): boolean {
  return parent !== null && parent.own === own && !parent.element.tag.isPhrasing;
}

/** Headings of what was taken away. */
function dropLoneHeadings(part: Part): void {
  let heading: Part | null = null;
  let isLone = false;
  for (const child of part.children) {
    const isHeading = child.element.tag.kind === 'heading';
    if (child.text === 0 && child.images === 0) continue;
    if (child.isForeign) {
      isLone ||= !isHeading;
      continue;
    }
    if (isHeading && heading !== null && isLone) heading.isForeign = true;
    heading = isHeading ? child : null;
    isLone = false;
  }
  if (heading !== null && isLone) heading.isForeign = true;
}

/** At the beginning the page's title, at the end headings with nothing below and lines that ask the reader for something. */
function dropEnds(container: Part, title: string): void {
  const lines: Part[] = [];
  collectLines(container, lines);
  const [first] = lines;
  if (first?.element.tag.kind === 'heading' && title.includes(lineOf(first.element))) first.isForeign = true;
  for (let at = lines.length - 1; at > 0; at--) {
    const line = lines[at];
    if (line === undefined) return;
    const { kind } = line.element.tag;
    const isEnd =
      kind === 'heading' ||
      (kind !== 'cell' && kind !== 'item' && line.text <= MAX_LINE && isCall(lineOf(line.element)));
    if (!isEnd) return;
    line.isForeign = true;
  }
}

function collectLines(part: Part, lines: Part[]): void {
  for (const child of part.children) {
    if (child.isForeign || child.text === 0 || (child.element.tag.isPhrasing && part.own > child.own)) continue;
    if (child.own > 0) lines.push(child);
    else collectLines(child, lines);
  }
}

function lineOf(element: Element): string {
  return shownText(element).replaceAll(/\s+/g, ' ').trim();
}

function shownText(element: Element): string {
  let text = '';
  for (const child of element.children) {
    if (child.tag === null) text += child.data;
    else if (!child.isDropped && child.tag.kind !== 'script' && child.tag.kind !== 'dropped') text += shownText(child);
  }
  return text;
}
