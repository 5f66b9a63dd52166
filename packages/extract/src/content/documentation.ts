/**
 * The content of documentation, and of pages that no rule knows better: one container that is kept whole, but for what leads elsewhere.
 * Density rules would take its code and tables for clutter.
 */
import { attribute, type Element, rawText } from '../dom/node.ts';
import { dropChrome } from './chrome.ts';
import { type Measures, measure } from './measure.ts';
import type { Marks } from './page-kind.ts';

/** With less of it, a list of the page's contents is the content. */
const MIN_CHARS = 250;

/** `isCertain`: a container is where the generator says, however little of the page's text it holds. */
export function keepContainer(body: Element, marks: Marks, whole: Measures, isCertain: boolean): readonly Element[] {
  const marked = marks.container ?? marks.main ?? (marks.articles.length === 1 ? (marks.articles[0] ?? body) : body);
  const container = holdsEnough(marked, whole, isCertain) ? marked : body;
  const dropped = dropChrome(container, container !== body);
  if (measure(container).text < MIN_CHARS) for (const contents of dropped.contents) contents.isDropped = false;
  if (container === body) return [body];
  const title = hasTitle(container) ? null : titleBefore(container, body);
  return title === null ? [container] : [title, container];
}

/** A container with a small part of the text is a part of the content only. */
function holdsEnough(container: Element, whole: Measures, isCertain: boolean): boolean {
  const inside = measure(container);
  return inside.text - inside.linkText >= (whole.text - whole.linkText) * (isCertain ? 0.1 : 0.4);
}

function hasTitle(container: Element): boolean {
  return container.children.some(
    (child) => child.tag !== null && !child.isDropped && (child.name === 'h1' || hasTitle(child)),
  );
}

/** Many themes put the title above the container of the text. */
function titleBefore(container: Element, body: Element): Element | null {
  let title: Element | null = null;
  const look = (element: Element): boolean => {
    for (const child of element.children) {
      if (child.tag === null || child.isDropped) continue;
      if (child === container) return true;
      const isTitle = child.name === 'h1' || attribute(child, 'class') === 'headertitle';
      if (isTitle && rawText(child).trim() !== '') title = child;
      else if (child.name !== 'nav' && look(child)) return true;
    }
    return false;
  };
  return look(body) ? title : null;
}
