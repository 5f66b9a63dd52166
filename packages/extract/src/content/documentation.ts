/**
 * The content of documentation, and of pages that no rule knows better: one container that is kept whole, but for what leads elsewhere.
 * Density rules would take its code and tables for clutter.
 */
import { attribute, type Element, rawText, walkElements } from '../dom/node.ts';
import { dropChrome } from './chrome.ts';
import { holdsText, type Measures, measure } from './measure.ts';
import type { Marks } from './page-kind.ts';

/** With less of it, a list of the page's contents is the content. */
const MIN_CHARS = 250;
/** Of what a page says, links not counted, the box around its title holds at least this much. */
const TITLE_SHARE = 0.6;

/** `isCertain`: a container is where the generator says, however little of the page's text it holds. */
export function keepContainer(body: Element, marks: Marks, whole: Measures, isCertain: boolean): readonly Element[] {
  const [article, ...more] = marks.articles;
  const marked = marks.container ?? marks.main ?? (more.length === 0 ? article : undefined) ?? body;
  let container = holdsEnough(marked, whole, isCertain ? 0.1 : 0.4) ? marked : body;
  if (container === body && !isCertain) container = aroundTitle(body, whole);
  const dropped = dropChrome(container, container !== body);
  if (!holdsText(container, MIN_CHARS)) for (const contents of dropped.contents) contents.isDropped = false;
  if (container === body) return [body];
  const title = hasTitle(container) ? null : titleBefore(container, body);
  return title === null ? [container] : [title, container];
}

/** A container with a small part of the text is a part of the content only. */
function holdsEnough(container: Element, whole: Measures, share: number): boolean {
  const inside = measure(container);
  return inside.text - inside.linkText >= (whole.text - whole.linkText) * share;
}

/** The smallest box that holds the page's title and most of what it says. */
function aroundTitle(body: Element, whole: Measures): Element {
  const titles: Element[] = [];
  walkElements(body, (element) => {
    if (element.name === 'h1' && !element.isDropped) titles.push(element);
    return titles.length === 0 && !element.isDropped;
  });
  let box = titles[0] ?? null;
  while (box !== null && box !== body && !holdsEnough(box, whole, TITLE_SHARE)) box = box.parent;
  return box ?? body;
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
