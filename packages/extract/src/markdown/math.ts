/** Formulas: the TeX of what MathJax, KaTeX and MathML show. */
import { attribute, type Element, rawText, walkElements } from '../dom/node.ts';

export interface Formula {
  readonly tex: string;
  /** It stands for itself, not in a line of text. */
  readonly isBlock: boolean;
}

const MATH_CLASS =
  /(?:^|\s)(?:math|arithmatex|katex(?:-display)?|MathJax(?:_Display)?|mathjax-block|stemblock)(?:\s|$)/;
const DELIMITED = /^\s*(?:\\\(([\s\S]*)\\\)|\\\[([\s\S]*)\\\]|\$\$([\s\S]*)\$\$|\$([^$]*)\$)\s*$/;

/** Whether an element with this class may hold a formula. */
export const mayBeMath = (className: string): boolean => MATH_CLASS.test(className);

/** Null where the element holds no formula in a form that can be read. */
export function formulaOf(element: Element): Formula | null {
  if (element.name === 'script') {
    const type = attribute(element, 'type') ?? '';
    if (!type.startsWith('math/tex')) return null;
    return { tex: rawText(element).trim(), isBlock: type.includes('mode=display') };
  }
  const isBlock = attribute(element, 'display') === 'block' || /display|block/i.test(attribute(element, 'class') ?? '');
  const annotated = annotation(element) ?? (element.tag.kind === 'math' ? attribute(element, 'alttext') : null);
  if (annotated !== null && annotated.trim() !== '') return { tex: annotated.trim(), isBlock };
  if (element.tag.kind === 'math') return null;
  const [, inline, block, dollars, dollar] = DELIMITED.exec(withoutNumber(element)) ?? [];
  const tex = (inline ?? block ?? dollars ?? dollar)?.trim();
  return tex ? { tex, isBlock: block !== undefined || dollars !== undefined } : null;
}

/** Sphinx puts the number of an equation in front of it. */
function withoutNumber(element: Element): string {
  let text = '';
  for (const child of element.children) {
    if (child.tag === null) text += child.data;
    else if (!/(?:^|\s)eqno(?:\s|$)/.test(attribute(child, 'class') ?? '')) text += rawText(child);
  }
  return text;
}

const IN_TEXT = /\\\(([\s\S]+?)\\\)|\\\[([\s\S]+?)\\\]|\$\$([\s\S]+?)\$\$/g;

/** Text of a page whose formulas stand between delimiters, as MathJax reads it: texts and formulas in turn. */
export function splitFormulas(text: string): (string | Formula)[] {
  const parts: (string | Formula)[] = [];
  let at = 0;
  for (const match of text.matchAll(IN_TEXT)) {
    const [whole, inline, block, dollars] = match;
    parts.push(text.slice(at, match.index));
    parts.push({ tex: (inline ?? block ?? dollars ?? '').trim(), isBlock: inline === undefined });
    at = match.index + whole.length;
  }
  parts.push(text.slice(at));
  return parts;
}

function annotation(element: Element): string | null {
  let tex: string | null = null;
  walkElements(element, (inner) => {
    if (inner.name === 'annotation' && /tex/i.test(attribute(inner, 'encoding') ?? '')) tex ??= rawText(inner);
    return tex === null;
  });
  return tex;
}
