/** How much there is below an element, and of what: what judgements about a page are made of. One walk. */
import type { Element } from '../dom/node.ts';

export interface Measures {
  /** Characters of text, white space at the borders of texts not counted. */
  text: number;
  linkText: number;
  codeText: number;
  codeBlocks: number;
  headings: number;
  paragraphs: number;
  terms: number;
}

/** What is dropped already counts nowhere. */
export function measure(root: Element): Measures {
  const measures: Measures = { text: 0, linkText: 0, codeText: 0, codeBlocks: 0, headings: 0, paragraphs: 0, terms: 0 };
  add(root, measures, false, false);
  return measures;
}

function add(element: Element, measures: Measures, isInLink: boolean, isInCode: boolean): void {
  for (const child of element.children) {
    if (child.tag === null) {
      const length = isInCode ? child.data.length : trimmedLength(child.data);
      measures.text += length;
      if (isInLink) measures.linkText += length;
      if (isInCode) measures.codeText += length;
      continue;
    }
    const { kind } = child.tag;
    if (child.isDropped || kind === 'script' || kind === 'dropped') continue;
    if (kind === 'preformatted') measures.codeBlocks++;
    else if (kind === 'heading') measures.headings++;
    else if (kind === 'term') measures.terms++;
    else if (child.name === 'p') measures.paragraphs++;
    add(child, measures, isInLink || kind === 'anchor', isInCode || kind === 'preformatted');
  }
}

/** Whether there is so much text, looking no further than needed. */
export function holdsText(root: Element, least: number): boolean {
  let left = least;
  const look = (element: Element): boolean => {
    for (const child of element.children) {
      if (child.tag === null) left -= trimmedLength(child.data);
      else if (!child.isDropped && child.tag.kind !== 'script' && child.tag.kind !== 'dropped') look(child);
      if (left <= 0) return true;
    }
    return false;
  };
  return look(root);
}

/** Without making a string of it. */
function trimmedLength(data: string): number {
  let start = 0;
  let end = data.length;
  while (start < end && isSpace(data.charCodeAt(start))) start++;
  while (end > start && isSpace(data.charCodeAt(end - 1))) end--;
  return end - start;
}

const isSpace = (code: number): boolean => code === 32 || (code >= 9 && code <= 13) || code === 160;
