/**
 * The tree of a page. Lean on purpose: no sibling pointers, no positions; a page of a megabyte has a hundred thousand nodes. Nodes carry what
 * main-content extraction decides of them (`isDropped`); everything after it walks past what is dropped.
 */
import type { Tag } from './tags.ts';

export type Node = Element | Text;
export type Attributes = Readonly<Record<string, string>>;

export class Text {
  readonly tag: null = null;
  parent: Element | null = null;
  readonly data: string;

  constructor(data: string) {
    this.data = data;
  }
}

export class Element {
  readonly tag: Tag;
  /** In lower case. */
  readonly name: string;
  readonly attribs: Attributes;
  readonly children: Node[] = [];
  parent: Element | null = null;
  /** Not part of the page's content. */
  isDropped = false;
  /** Shown beside the text and no part of it, such as a caption: it is in the markdown, not in the plain text. */
  isAside = false;
  /** Where an anchor leads, absolute and with its fragment. */
  target: string | null = null;

  constructor(tag: Tag, name: string, attribs: Attributes) {
    this.tag = tag;
    this.name = name;
    this.attribs = attribs;
  }
}

export function attribute(element: Element, name: string): string | null {
  return element.attribs[name] ?? null;
}

/** All text below, as it stands in the source. */
export function rawText(node: Node): string {
  if (node.tag === null) return node.data;
  let text = '';
  for (const child of node.children) text += child.tag === null ? child.data : rawText(child);
  return text;
}

/** The elements below `root`, in document order, itself not included. `visit` returns false to pass over what is inside. */
export function walkElements(root: Element, visit: (element: Element) => boolean | undefined): void {
  for (const child of root.children) {
    if (child.tag !== null && visit(child) !== false) walkElements(child, visit);
  }
}
