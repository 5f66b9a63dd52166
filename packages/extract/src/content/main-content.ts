/** Which elements of a page are its content. The kind of page is recognised first: documentation and articles need opposite rules. */
import { type Element, rawText, walkElements } from '../dom/node.ts';
import { selection } from '../dom/select.ts';
import type { Content } from '../markdown/render.ts';
import type { HeadCollector } from '../metadata.ts';
import { collapseSpace } from '../space.ts';
import { type Article, findArticle } from './article.ts';
import { dropHidden } from './chrome.ts';
import { keepContainer } from './documentation.ts';
import { measure } from './measure.ts';
import { kindOf, Marks } from './page-kind.ts';

export interface ContentOptions {
  /** False: the whole body. */
  readonly mainContent: boolean;
  /** Where the page has one of these, it is the content. */
  readonly includeSelectors: readonly string[];
  readonly excludeSelectors: readonly string[];
}

const MIN_ARTICLE_SHARE = 0.4;
const MAX_ARTICLE_SHARE = 0.85;

/** In document order. What is inside and not content is marked `isDropped`. */
export function chooseContent(root: Element, body: Element, head: HeadCollector, options: ContentOptions): Content {
  for (const element of selectionOf(options.excludeSelectors)(root)) element.isDropped = true;
  const included = selectionOf(options.includeSelectors)(root);
  dropHidden(body, !options.mainContent || included.length > 0);
  if (included.length > 0) return { title: null, roots: outermost(included) };
  if (!options.mainContent) return { title: null, roots: [body] };
  const marks = new Marks(root);
  const whole = measure(body);
  const kind = kindOf(head, marks, whole);
  if (kind === 'article') {
    const article = findArticle(root);
    if (article !== null) return withTitle(article, body, head);
  }
  const roots = keepContainer(body, marks, whole, kind === 'documentation');
  const article = kind === 'plain' ? articleWithin(root, marks) : null;
  return article === null ? { title: null, roots } : withTitle(article, body, head);
}

/**
 * A page that does not say what it is may be an article among much else. Where nearly all of what is kept is the article, the rest are
 * headings and lists of it; where it is a small part, the page is about something else.
 */
function articleWithin(root: Element, marks: Marks): Article | null {
  // Where elements say what is what, names need not be guessed from.
  const isSemantic = marks.main !== null || marks.articles.length > 0;
  return findArticle(
    root,
    ({ share, isMarked }) => share > MIN_ARTICLE_SHARE && (share < MAX_ARTICLE_SHARE || (isMarked && !isSemantic)),
  );
}

/** The first-level heading that says what the page's head says too, else the first of all. */
function withTitle({ roots }: Article, body: Element, head: HeadCollector): Content {
  const name = (head.title ?? '').toLowerCase();
  const headings: Element[] = [];
  walkElements(body, (element) => {
    if (element.name === 'h1' && rawText(element).trim() !== '') headings.push(element);
    return true;
  });
  const named = headings.find((heading) => name.includes(collapseSpace(rawText(heading)).trim().toLowerCase()));
  const title = named ?? headings[0] ?? null;
  // Kept where it stands, it is there already.
  return { title: title !== null && isKept(title, roots) ? null : title, roots };
}

function isKept(element: Element, roots: readonly Element[]): boolean {
  for (let outer: Element | null = element; outer !== null && !outer.isDropped; outer = outer.parent)
    if (roots.includes(outer)) return true;
  return false;
}

/** Each source has its own, used for every page of it. */
const known = new Map<string, ReturnType<typeof selection>>();
const MAX_KNOWN = 100;

function selectionOf(selectors: readonly string[]): ReturnType<typeof selection> {
  const name = selectors.join(',');
  let found = known.get(name);
  if (found === undefined) {
    if (known.size >= MAX_KNOWN) known.clear();
    found = selection(selectors);
    known.set(name, found);
  }
  return found;
}

function outermost(elements: readonly Element[]): Element[] {
  const all = new Set(elements);
  return elements.filter((element) => {
    for (let outer = element.parent; outer !== null; outer = outer.parent) if (all.has(outer)) return false;
    return true;
  });
}
