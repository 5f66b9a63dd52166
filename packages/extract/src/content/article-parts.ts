/**
 * The page once more, as a tree of its boxes with what the article rules weigh: text, links, prose. Measured bottom-up in one walk, so that no
 * rule has to look below a box again. Leaves out what a writer never shows and what is dropped already. Decides nothing.
 */
import type { Element } from '../dom/node.ts';

/** A line of this weight, links not counted, reads like a sentence; menus and captions mostly stay below. */
export const MIN_PROSE = 50;

export class Part {
  readonly element: Element;
  readonly parent: Part | null;
  /** In document order. Elements of a line without a class or id have no part of their own. */
  readonly children: Part[] = [];
  /** Weight of all text below: signs, white space not counted. */
  text = 0;
  /** … of it inside links. */
  link = 0;
  /** … of it in links to other sites: sources and things rather than more of the same site. */
  away = 0;
  /** … of it inside quotations. */
  quote = 0;
  /** … of it in the lines of this very box, not in boxes within. */
  own = 0;
  ownLink = 0;
  links = 0;
  images = 0;
  /** `<h1>`. */
  titles = 0;
  /** Weight of lines that read like sentences, at any depth, and how many there are. */
  prose = 0;
  paragraphs = 0;
  /** Plainly not of the article: its prose doesn't speak for what is around it. */
  isOut = false;
  /** Prose of what is not out. */
  kept = 0;
  /** Inside the article without being of it. */
  isForeign = false;

  constructor(element: Element, parent: Part | null) {
    this.element = element;
    this.parent = parent;
  }
}

/** `host` of the page, if known. */
export function measureParts(root: Element, host: string | null): Part {
  const part = new Part(root, null);
  measure(root, part, NO_LINK, host);
  return part;
}

/** Weight of the sentences in a box's own lines. */
export function ownProse({ own, ownLink }: Part): number {
  return own - ownLink >= MIN_PROSE ? own - ownLink : 0;
}

const NO_LINK = 0;
const LINK = 1;
const LINK_AWAY = 2;
type Link = typeof NO_LINK | typeof LINK | typeof LINK_AWAY;

/** Adds what is below `element` to `part`. The parser bounds the depth of a page, so of this. */
function measure(element: Element, part: Part, link: Link, host: string | null): void {
  for (const child of element.children) {
    if (child.tag === null) {
      addText(part, weigh(child.data), link);
      continue;
    }
    const { kind } = child.tag;
    if (child.isDropped || kind === 'script' || kind === 'dropped') continue;
    if (kind === 'image') {
      part.images++;
      continue;
    }
    const { class: classes, id, href } = child.attribs;
    let inside = link;
    if (kind === 'anchor' && href !== undefined) {
      part.links++;
      inside = isAway(href, host) ? LINK_AWAY : LINK;
    }
    // Elements nobody knows are mostly of a line.
    const isPhrasing = child.tag.isPhrasing || kind === 'other';
    if (isPhrasing && classes === undefined && id === undefined) {
      measure(child, part, inside, host);
      continue;
    }
    const inner = new Part(child, part);
    part.children.push(inner);
    measure(child, inner, inside, host);
    if (!isPhrasing) finishBox(inner);
    addPart(part, inner, isPhrasing);
  }
}

function addText(part: Part, weight: number, link: Link): void {
  part.text += weight;
  part.own += weight;
  if (link === NO_LINK) return;
  part.link += weight;
  part.ownLink += weight;
  if (link === LINK_AWAY) part.away += weight;
}

function finishBox(part: Part): void {
  const { tag, name } = part.element;
  const prose = ownProse(part);
  if (prose > 0) {
    part.prose += prose;
    part.paragraphs++;
  }
  if (tag.kind === 'blockquote') part.quote = part.text;
  if (name === 'h1') part.titles++;
}

function addPart(part: Part, inner: Part, isPhrasing: boolean): void {
  part.text += inner.text;
  part.link += inner.link;
  part.away += inner.away;
  part.quote += inner.quote;
  part.links += inner.links;
  part.images += inner.images;
  part.titles += inner.titles;
  part.prose += inner.prose;
  part.paragraphs += inner.paragraphs;
  if (!isPhrasing) return;
  part.own += inner.own;
  part.ownLink += inner.ownLink;
}

const SPACE = 32;
const NO_BREAK_SPACE = 160;
/** Chinese, Japanese and Korean say in one sign what takes two and more elsewhere. */
const FIRST_WIDE = 0x2e80;
const LAST_WIDE = 0xfaff;

function weigh(text: string): number {
  let weight = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code <= SPACE || code === NO_BREAK_SPACE) continue;
    weight += code >= FIRST_WIDE && code <= LAST_WIDE ? 2 : 1;
  }
  return weight;
}

/** Only an absolute address can lead away, and only from a known place. Subdomains are the same site. */
function isAway(href: string, host: string | null): boolean {
  if (host === null) return false;
  const target = hostOf(href);
  return target !== null && !target.endsWith(host) && !host.endsWith(target);
}

export function hostOf(url: string): string | null {
  return /^\s*(?:https?:)?\/\/(?:www\.)?([^/?#:\s]+)/i.exec(url)?.[1]?.toLowerCase() ?? null;
}
