/** CSS selectors over the tree, by cheerio's own engine. */
import { compile, type Options } from 'css-select';
import { type Element, type Node, rawText, walkElements } from './node.ts';

const adapter: NonNullable<Options<Node, Element>['adapter']> = {
  isTag: (node): node is Element => node.tag !== null,
  getAttributeValue: (element, name) => (Object.hasOwn(element.attribs, name) ? element.attribs[name] : undefined),
  hasAttrib: (element, name) => Object.hasOwn(element.attribs, name),
  getChildren: (node) => (node.tag === null ? [] : node.children),
  getName: (element) => element.name,
  getParent: (node) => node.parent,
  getSiblings: (node) => node.parent?.children ?? [node],
  getText: (node) => rawText(node),
  // Only asked of the roots of a search, and there is one.
  removeSubsets: (nodes) => nodes,
};

export type Selection = (root: Element) => Element[];

/** What any of the selectors matches below a root, in document order, nothing twice. Throws on what is no selector. */
export function selection(selectors: readonly string[]): Selection {
  if (selectors.length === 0) return () => [];
  const matches = compile<Node, Element>(selectors.join(','), { adapter, cacheResults: false });
  return (root) => {
    const found: Element[] = [];
    walkElements(root, (element) => {
      if (matches(element)) found.push(element);
      return true;
    });
    return found;
  };
}
