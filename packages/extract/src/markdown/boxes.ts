/** Notes, warnings and the like that stand beside the text in a box: told by the words that generators put into classes. */
import { attribute, type Element } from '../dom/node.ts';

const BOX =
  /(?:^|\s)(?:admonition(?:block)?|theme-admonition|callout|custom-block|markdown-alert|alert|hint|note|tip|warning|caution|important|danger|seealso|attention|deprecation-block)(?:\s|$)/;
const TITLE =
  /(?:^|\s)(?:admonition-title|custom-block-title|markdown-alert-title|callout-title|admonitionHeading\S*|title)(?:\s|$)/;
/** Lines that title something wherever they stand. */
const LABEL = /(?:^|\s)(?:topic-title|sidebar-title|rubric|admonition-title|code-block-caption|filename)(?:\s|$)/;
const KIND = /(?:^|\s|-)(note|tip|important|warning|caution|danger|hint|attention)(?:\s|$)/;

/** Only what can hold blocks: `<span class="note">` is a word in a line. */
export function isBox(element: Element, className: string): boolean {
  if (!BOX.test(className)) return false;
  if (element.name !== 'div' && element.name !== 'aside' && element.name !== 'section') return false;
  // `alert` and `note` are words for much else; a box is small, and inside the text.
  return element.children.length < 200;
}

/** What the box is called where it has no title of its own. */
export function boxLabel(element: Element, className: string): string | null {
  const kind = KIND.exec(className)?.[1];
  if (kind === undefined || hasTitle(element, 5)) return null;
  return kind.charAt(0).toUpperCase() + kind.slice(1);
}

function hasTitle(element: Element, depth: number): boolean {
  return element.children.some(
    (child) =>
      child.tag !== null &&
      (child.tag.kind === 'heading' || isBoxTitle(child) || (depth > 1 && hasTitle(child, depth - 1))),
  );
}

export const isLabel = (className: string): boolean => LABEL.test(className);

export const isBoxTitle = (element: Element): boolean => {
  const className = attribute(element, 'class');
  return className !== null && !element.tag.isPhrasing && element.tag.kind !== 'heading' && TITLE.test(className);
};
