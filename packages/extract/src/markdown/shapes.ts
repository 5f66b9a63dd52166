/** What elements look like to a renderer: questions about their shape, answered without writing anything. */
import { attribute, type Element, type Node, rawText } from '../dom/node.ts';
import { isTableOfDivs } from './tables.ts';

/** What documentation tools put behind a heading to link to it. */
const PERMALINK_SIGN = /^(?:[\s¶#§🔗⚓∞◆\u200b]|\uFE0F)*$/u;
const PERMALINK_CLASS =
  /(?:^|\s)(?:headerlink|hash-link|header-anchor|anchorjs-link|heading-anchor|permalink|copiable-link|anchor|doc-anchor)(?:\s|$)/;

/** Whether a text is nothing but the sign of a permalink. */
export const isPermalinkSign = (text: string): boolean => text.length <= 6 && PERMALINK_SIGN.test(text);

/** A `<code>` of several lines that stands for itself is a block, though nobody wrote `<pre>`. */
export function isCodeBlock(element: Element): boolean {
  const { parent } = element;
  if (parent === null || parent.tag.isPhrasing || parent.tag.kind === 'heading') return false;
  const isAlone = parent.children.every(
    (child) => child === element || (child.tag === null && child.data.trim() === ''),
  );
  return isAlone && element.children.some((child) => child.tag?.kind === 'break');
}

export const isPhrasingOnly = (element: Element): boolean =>
  element.children.every((child) => child.tag === null || (child.tag.isPhrasing && isPhrasingOnly(child)));

/** Whether a link is all that the element around it says. */
export const isWhole = (anchor: Element): boolean =>
  anchor.parent !== null && rawText(anchor).trim().length >= rawText(anchor.parent).trim().length - 2;

export const holdsLink = (element: Element): boolean =>
  element.children.some((child) => child.tag !== null && (child.tag.kind === 'anchor' || holdsLink(child)));

/** VitePress writes the language above the code. */
export const isLanguageOf = (element: Element): boolean =>
  (attribute(element.parent ?? element, 'class') ?? '').includes('language-');

/** A list whose items are tables is layout. */
export function isOnlyTable(item: Element, depth = 3): boolean {
  let hasTable = false;
  for (const child of item.children) {
    if (child.tag === null) {
      if (child.data.trim() !== '') return false;
    } else if (child.tag.isPhrasing) return false;
    else if (child.tag.kind === 'table' || isTableOfDivs(child, attribute(child, 'class') ?? '')) hasTable = true;
    else if (child.tag.kind === 'block' && depth > 1 && isOnlyTable(child, depth - 1)) hasTable = true;
  }
  return hasTable;
}

export function isPermalink(element: Element): boolean {
  if (element.children.length > 3) return false;
  const className = attribute(element, 'class');
  const text = rawText(element);
  if (isPermalinkSign(text)) return !hasImage(element);
  return className !== null && PERMALINK_CLASS.test(className) && text.trim().length <= 2;
}

export function holdsHeading(element: Element, depth: number): boolean {
  return element.children.some((child) => {
    if (child.tag === null || child.tag.isPhrasing) return false;
    return child.tag.kind === 'heading' || (depth > 1 && child.tag.kind === 'block' && holdsHeading(child, depth - 1));
  });
}

const hasImage = (element: Element): boolean =>
  element.children.some((child) => child.tag !== null && (child.tag.kind === 'image' || hasImage(child)));

export function imageSource(element: Element): string | null {
  for (const name of ['src', 'data-src', 'data-original', 'data-lazy-src']) {
    const source = attribute(element, name);
    if (source !== null && source !== '' && !source.startsWith('data:')) return source;
  }
  const first = (attribute(element, 'srcset') ?? attribute(element, 'data-srcset'))?.trim().split(/[\s,]/, 1)[0];
  return first && !first.startsWith('data:') ? first : null;
}

/** `[ ]` or `[x]` where the item begins with a box to tick. */
export function checkbox(item: Element): string | null {
  let node: Node | undefined = item;
  for (let depth = 0; depth < 3 && node?.tag; depth++) {
    node = node.children.find((child) => child.tag !== null || child.data.trim() !== '');
    if (node?.tag && node.name === 'input') {
      if (attribute(node, 'type') !== 'checkbox') return null;
      return Object.hasOwn(node.attribs, 'checked') ? '[x]' : '[ ]';
    }
  }
  return null;
}
