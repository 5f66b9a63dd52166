/**
 * One walk over the whole page before anything is judged: where its links lead, what its head says, and how it is built. Links count
 * wherever they are; what is content is decided later, and by others.
 */
import { attribute, type Element, rawText } from './dom/node.ts';
import { createResolver, LinkList, type PageLink, type Resolved } from './links.ts';
import { isPermalinkSign } from './markdown/shapes.ts';
import { HeadCollector } from './metadata.ts';
import { collapseSpace } from './space.ts';

export class Survey {
  readonly head = new HeadCollector();
  /** Tables that hold tables or headings: they arrange the page. */
  readonly outerTables = new Set<Element>();
  body: Element | null = null;
  firstHeading: string | null = null;
  /** Whether a script makes formulas of text, and whether a link may lead to a footnote: most pages have neither. */
  hasFormulas = false;
  mayHaveNotes = false;

  readonly #pageUrl: string;
  readonly #links = new LinkList();
  #resolver: (href: string) => Resolved | null;
  #hasBase = false;
  readonly #tables: Element[] = [];
  /** Inside `<svg>`, where a title is that of a drawing. */
  #isInImage = false;

  constructor(root: Element, pageUrl: string) {
    this.#pageUrl = pageUrl;
    this.#resolver = createResolver(pageUrl);
    this.#walk(root);
  }

  links(): PageLink[] {
    return this.#links.toArray();
  }

  readonly resolve = (href: string): string | null => this.#resolver(href)?.url ?? null;

  #walk(parent: Element): void {
    for (const child of parent.children) if (child.tag !== null) this.#visit(child);
  }

  #visit(element: Element): void {
    switch (element.tag.kind) {
      case 'anchor':
        this.#anchor(element);
        break;
      case 'map-area':
        this.#empty(element, 'href');
        return;
      case 'frame':
        this.#empty(element, 'src');
        break;
      case 'base':
        this.#base(attribute(element, 'href'));
        return;
      case 'meta':
        this.head.addMeta(element);
        return;
      case 'link':
        this.head.addLink(element);
        return;
      case 'title':
        if (this.head.title === null && !this.#isInImage) this.head.title = lineOf(element);
        return;
      case 'dropped':
        if (element.name !== 'svg') break;
        this.#isInImage = true;
        this.#walk(element);
        this.#isInImage = false;
        return;
      case 'script':
        this.#script(element);
        return;
      case 'root':
        if (element.name === 'html')
          this.head.language ??= attribute(element, 'lang') ?? attribute(element, 'xml:lang');
        else if (element.name === 'body') this.body ??= element;
        break;
      case 'table':
        this.#table(element);
        return;
      case 'heading': {
        const table = this.#tables.at(-1);
        if (table) this.outerTables.add(table);
        this.firstHeading ??= lineOf(element);
        break;
      }
      case 'image':
      case 'break':
        return;
      case 'phrase':
        if (element.name === 'time') this.head.addTime(element);
        break;
      default:
        break;
    }
    this.#walk(element);
  }

  #script(element: Element): void {
    if (isJsonLd(attribute(element, 'type'))) this.head.addJsonLd(rawText(element));
    else if (!this.hasFormulas) {
      const [code] = element.children;
      const start = code?.tag === null ? code.data.slice(0, 500) : '';
      this.hasFormulas = FORMULAS.test(attribute(element, 'src') ?? '') || FORMULAS.test(start);
    }
  }

  #table(element: Element): void {
    const outer = this.#tables.at(-1);
    if (outer) this.outerTables.add(outer);
    this.#tables.push(element);
    this.#walk(element);
    this.#tables.pop();
  }

  #anchor(element: Element): void {
    const href = attribute(element, 'href');
    const resolved = href === null ? null : this.#resolver(href);
    if (!resolved) return;
    element.target = resolved.url + resolved.fragment;
    if (!this.mayHaveNotes && href?.charCodeAt(0) === 35)
      this.mayHaveNotes = NOTE.test(href) || NOTE.test(attribute(element, 'class') ?? '');
    this.#links.add(resolved.url, linkText(element), relOf(element));
  }

  /** `<area>` and frames are links without text of their own. */
  #empty(element: Element, name: 'href' | 'src'): void {
    const href = attribute(element, name);
    // An empty `src` shows nothing, while an empty `href` leads to the page itself.
    const resolved = href === null || (name === 'src' && href === '') ? null : this.#resolver(href);
    if (!resolved) return;
    const rel = name === 'src' ? 'frame' : relOf(element);
    this.#links.add(resolved.url, attribute(element, 'alt')?.trim() ?? '', rel);
  }

  /** Only the first `<base>` counts, also if it is no use. Each link of the page gets as long as it is. */
  #base(href: string | null): void {
    if (this.#hasBase || href === null) return;
    this.#hasBase = true;
    const base = URL.parse(href, this.#pageUrl);
    if (base && base.href.length <= MAX_BASE_LENGTH) this.#resolver = createResolver(base.href);
  }
}

const MAX_BASE_LENGTH = 8192;
const FORMULAS = /mathjax|katex/i;
/** As generators name footnotes. */
const NOTE = /fn|ftn|foot|note/i;

/** What documentation tools put behind a heading to link to it is no text of the page. */
function linkText(anchor: Element): string {
  const text = collapseSpace(visibleText(anchor)).trim();
  return isPermalinkSign(text) ? '' : text;
}

/** Text below, scripts and the like left out; an image counts by its alternative text where there is no other. */
function visibleText(element: Element): string {
  let text = '';
  let alt = '';
  for (const child of element.children) {
    if (child.tag === null) text += child.data;
    else if (child.tag.kind === 'image') alt ||= attribute(child, 'alt')?.trim() ?? '';
    else if (child.tag.kind !== 'script' && child.tag.kind !== 'dropped') text += visibleText(child);
  }
  return text === '' ? alt : text;
}

function lineOf(element: Element): string | null {
  return collapseSpace(rawText(element)).trim() || null;
}

const relOf = (element: Element): string => attribute(element, 'rel')?.trim().toLowerCase() ?? '';

const isJsonLd = (type: string | null): boolean => type?.trim().toLowerCase() === 'application/ld+json';
