/**
 * Which box of a page holds its article. Marks made for machines and names made by people come first, as far as the prose agrees; without
 * them, or where they tell of a fragment only, prose alone decides. Does not look inside the box for what is foreign there (article-prune.ts).
 */
import type { Element } from '../dom/node.ts';
import { MIN_PROSE, ownProse, type Part } from './article-parts.ts';
import type { Names, NamesOf } from './article-words.ts';

export interface Container {
  readonly part: Part;
  /** By a mark or a name. */
  readonly isMarked: boolean;
}

/** A mark must hold this share of the prose around it, or it marks a fragment: a lead, a box, one section of many. */
const MIN_SHARE_OF_ARTICLE = 0.5;
const MIN_SHARE_OF_PAGE = 0.3;
/** … but the first of several articles on a page, each with its title, may be short. */
const MIN_SHARE_OF_FIRST = 0.1;
/** A box with less of the prose than this is not all of the article. */
const DOMINANT = 0.8;
/** Lines side by side with at least this share of the prose are the article, whatever stands around them … */
const CLUSTER = 0.6;
/** … and so they are with this share, under a title of their own. */
const TITLED_CLUSTER = 0.25;

/** `body` after `sortOut`: parts know what prose they keep. Null without prose. */
export function pickContainer(body: Part, namesOf: NamesOf): Container | null {
  if (body.kept === 0) return null;
  const marked = pickMarked(body, namesOf);
  return { part: narrow(marked ?? body), isMarked: marked !== null };
}

interface Mark {
  readonly part: Part;
  readonly rank: Rank;
  /** What holds all of the article and maybe more: the nearest `<article>` or `<main>` around, or the page. */
  readonly around: Part;
}

/** Told by structured data, by a name, by the element: the first that is sound counts. */
const RANKS = ['data', 'name', 'element'] as const;
type Rank = (typeof RANKS)[number];

function pickMarked(body: Part, namesOf: NamesOf): Part | null {
  const marks: Mark[] = [];
  collectMarks(body, body, namesOf, marks);
  for (const rank of RANKS) {
    const found = pickMark(outermost(marks.filter((mark) => mark.rank === rank)), body);
    if (found !== null) return found;
  }
  return null;
}

function collectMarks(part: Part, around: Part, namesOf: NamesOf, marks: Mark[]): void {
  for (const child of part.children) {
    if (child.isOut || child.kept < MIN_PROSE) continue;
    const rank = rankOf(child.element, namesOf(child.element));
    if (rank !== null) marks.push({ part: child, rank, around });
    const { kind } = child.element.tag;
    collectMarks(child, kind === 'article' || kind === 'main' ? child : around, namesOf, marks);
  }
}

function rankOf({ tag, attribs }: Element, names: Names): Rank | null {
  if (attribs.itemprop?.includes('articleBody')) return 'data';
  if (names.isBody && !names.isChrome) return 'name';
  return tag.kind === 'article' ? 'element' : null;
}

/** In document order, none within another; of one within another the inner, if it holds nearly as much. */
function outermost(marks: readonly Mark[]): readonly Mark[] {
  const kept: Mark[] = [];
  for (const mark of marks) {
    const last = kept.at(-1);
    if (last === undefined || !isWithin(mark.part, last.part)) kept.push(mark);
    else if (mark.part.kept >= last.part.kept * 0.9) kept[kept.length - 1] = mark;
  }
  return kept;
}

function pickMark(marks: readonly Mark[], body: Part): Part | null {
  let largest: Mark | null = null;
  for (const mark of marks) if (largest === null || mark.part.kept > largest.part.kept) largest = mark;
  if (largest === null) return null;
  const { part, around } = largest;
  const alike = marks.filter((mark) => mark.part.kept >= part.kept * 0.2 && isAlike(mark.part.element, part.element));
  const [first, second] = alike;
  if (first !== undefined && second !== undefined) {
    // One article after the other, of which the page is about the first; or sections of one, entries of a live blog, posts of a thread.
    if (isTitledApart(first.part, second.part)) {
      if (first.part.kept >= body.kept * MIN_SHARE_OF_FIRST) return first.part;
    } else {
      const common = commonBox(alike.map((mark) => mark.part));
      if (common !== null && common.kept >= body.kept * MIN_SHARE_OF_ARTICLE) return common;
    }
  }
  if (part.kept < body.kept * MIN_SHARE_OF_PAGE) return null;
  return around !== body && part.kept < around.kept * MIN_SHARE_OF_ARTICLE ? null : part;
}

function isTitledApart(first: Part, second: Part): boolean {
  for (let at: Part | null = first; at !== null && !isWithin(second, at); at = at.parent)
    if (at.titles > 0) return true;
  return false;
}

function commonBox(parts: readonly Part[]): Part | null {
  let common = parts.at(0) ?? null;
  const last = parts.at(-1);
  // They are in document order: what holds the first and the last holds all.
  while (common !== null && last !== undefined && !isWithin(last, common)) common = common.parent;
  return common;
}

function isWithin(part: Part, outer: Part): boolean {
  for (let at: Part | null = part; at !== null; at = at.parent) if (at === outer) return true;
  return false;
}

function isAlike(a: Element, b: Element): boolean {
  return a.name === b.name && (a.attribs.class ?? '') === (b.attribs.class ?? '');
}

/** From a box to the one inside it that holds the prose. */
function narrow(start: Part): Part {
  const at = descend(start);
  const densest = { part: at, prose: 0 };
  findDensest(at, densest);
  const { part, prose } = densest;
  const share = prose / at.kept;
  const isCluster = share >= CLUSTER || (share >= TITLED_CLUSTER && isTitled(part, at));
  return isCluster && part.paragraphs > 1 && !isOneOfMany(part) ? part : at;
}

function descend(start: Part): Part {
  let at = start;
  for (;;) {
    const least = at.kept * DOMINANT;
    const next = at.children.find(
      (child) => !child.isOut && child.kept >= least && child.paragraphs > 1 && isBox(child.element),
    );
    if (next === undefined) return at;
    at = next;
  }
}

/** A list may be nearly all of an article, but never the whole. */
function isBox({ tag }: Element): boolean {
  return !tag.isPhrasing && tag.kind !== 'list' && tag.kind !== 'blockquote';
}

/** The box with the most prose in its own lines and those of its children. */
function findDensest(part: Part, densest: { part: Part; prose: number }): void {
  let prose = ownProse(part);
  for (const child of part.children) {
    if (child.isOut || child.prose === 0) continue;
    prose += ownProse(child);
    findDensest(child, densest);
  }
  if (prose <= densest.prose || !isBox(part.element)) return;
  densest.part = part;
  densest.prose = prose;
}

/** Whether a box with a title has hardly other prose than these lines. */
function isTitled(part: Part, within: Part): boolean {
  const most = part.kept * 1.4;
  for (let at: Part | null = part; at !== null && at !== within && at.kept <= most; at = at.parent) {
    if (at.titles > 0) return true;
  }
  return false;
}

function isOneOfMany(part: Part): boolean {
  const siblings = part.parent?.children ?? [];
  return siblings.some(
    (other) => other !== part && !other.isOut && other.kept > part.kept * 0.1 && isAlike(other.element, part.element),
  );
}
