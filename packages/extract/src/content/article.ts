/**
 * The article of a page: news, blogs, magazines, press releases, threads. Finds the box that holds it, then marks what is foreign inside.
 * Says null, and leaves the page as it is, where there is no article: lists of pages, shops, forms. Does not know documentation.
 */
import { type Element, rawText, walkElements } from '../dom/node.ts';
import { pickContainer } from './article-container.ts';
import { hostOf, measureParts, type Part } from './article-parts.ts';
import { type Left, prune, sortOut } from './article-prune.ts';
import { nameReader } from './article-words.ts';

export interface Article {
  /** In document order, none within another. */
  readonly roots: readonly Element[];
  /** Signs of the sentences in it, white space not counted. */
  readonly textLength: number;
  /** In how many lines these are. */
  readonly paragraphs: number;
  /** … as a share of all sentences of the page. */
  readonly share: number;
  /** Whether the page itself says that it is an article, or where. */
  readonly isMarked: boolean;
}

/** Less than this share of the box's prose left means that a rule misread the page. */
const MIN_LEFT = 0.4;
/** Sentences of an unmarked article, in signs: two or three. */
const MIN_ARTICLE = 200;
/** From so many linked headings on, with no more prose than this to each, the page is a list of teasers. */
const MIN_TEASERS = 5;
const MAX_TEASER = 250;

/** Where the article is not wanted after all, nothing is marked either. */
export function findArticle(root: Element, isWanted: (article: Article) => boolean = () => true): Article | null {
  const head = readHead(root);
  if (head.isProduct) return null;
  const page = measureParts(root, head.host);
  const body = findBody(page);
  const namesOf = nameReader();
  sortOut(body, body.prose, namesOf);
  const container = pickContainer(body, namesOf);
  if (container === null) return null;
  const { part } = container;
  let left = prune(part, { namesOf, title: head.title, isLax: false });
  if (left.prose < part.kept * MIN_LEFT) left = prune(part, { namesOf, title: head.title, isLax: true });
  const isMarked = container.isMarked || head.isArticle;
  if (isListing(left) || left.prose < (isMarked ? 1 : MIN_ARTICLE)) return null;
  const article = {
    roots: [part.element],
    textLength: left.prose,
    paragraphs: left.paragraphs,
    share: left.prose / body.prose,
    isMarked,
  };
  if (!isWanted(article)) return null;
  markForeign(part);
  return article;
}

function isListing({ linkedTitles, prose }: Left): boolean {
  return linkedTitles >= MIN_TEASERS && prose < linkedTitles * MAX_TEASER;
}

function markForeign(part: Part): void {
  for (const child of part.children) {
    if (!child.isForeign) markForeign(child);
    // A picture that stays is not understood without what is written below it.
    else if (child.element.name === 'figcaption') child.element.isAside = true;
    else child.element.isDropped = true;
  }
}

function findBody(page: Part): Part {
  for (const child of page.children) {
    if (child.element.name === 'body') return child;
    if (child.element.name === 'html') return findBody(child);
  }
  return page;
}

interface Head {
  host: string | null;
  title: string;
  isArticle: boolean;
  isProduct: boolean;
}

function readHead(root: Element): Head {
  const head: Head = { host: null, title: '', isArticle: false, isProduct: false };
  walkElements(root, (element) => {
    const { name, attribs } = element;
    if (name === 'title') head.title += rawText(element).replaceAll(/\s+/g, ' ');
    else if (name === 'link' && attribs.rel === 'canonical') head.host ??= hostOf(attribs.href ?? '');
    else if (name === 'meta' && attribs.property === 'og:url') head.host ??= hostOf(attribs.content ?? '');
    else if (name === 'meta' && attribs.property === 'og:type') {
      head.isArticle = attribs.content === 'article';
      head.isProduct = attribs.content?.startsWith('product') ?? false;
    }
    return name === 'html' || name === 'head';
  });
  return head;
}
