/**
 * What a reader of the markdown gets, according to a markdown parser that is not ours: the quality measures compare
 * that with the page, so that a broken fence or an unescaped `|` counts as the loss it is.
 */
import type { Nodes, Root } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';

export interface ReadMarkdown {
  readonly headings: readonly string[];
  readonly codeBlocks: readonly string[];
  /** Cells of each row of each table. */
  readonly rows: readonly (readonly string[])[];
  readonly links: readonly { readonly url: string; readonly text: string }[];
  readonly text: string;
}

/** Between these there is white space, whether the markdown has some or not. */
const BLOCKS = new Set(['root', 'blockquote', 'list', 'listItem', 'table', 'tableRow', 'footnoteDefinition']);

export function readMarkdown(markdown: string): ReadMarkdown {
  const root: Root = fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
  const headings: string[] = [];
  const codeBlocks: string[] = [];
  const rows: string[][] = [];
  const links: { url: string; text: string }[] = [];
  const definitions = new Map<string, string>();
  walk(root, (node) => {
    if (node.type === 'definition') definitions.set(node.identifier, node.url);
  });
  walk(root, (node) => {
    if (node.type === 'heading') headings.push(textOf(node));
    else if (node.type === 'code') codeBlocks.push(node.value);
    else if (node.type === 'tableRow') rows.push(node.children.map(textOf));
    else if (node.type === 'link') links.push({ url: node.url, text: textOf(node) });
    else if (node.type === 'linkReference') {
      const url = definitions.get(node.identifier);
      if (url !== undefined) links.push({ url, text: textOf(node) });
    }
  });
  return { headings, codeBlocks, rows, links, text: textOf(root) };
}

/** Without the text that stands for images, which is no text of the page. */
function textOf(node: Nodes): string {
  if (node.type === 'break' || node.type === 'thematicBreak') return '\n';
  if (node.type === 'html') return textOfHtml(node.value);
  if ('value' in node) return node.value;
  if ('children' in node) {
    const parts = node.children.map((child) => textOf(child));
    return parts.join(BLOCKS.has(node.type) ? '\n' : '');
  }
  return '';
}

/** Markup that the markdown holds as such: of a line break the break remains, of the rest what is between the tags. */
function textOfHtml(html: string): string {
  return html
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/<br\b[^>]*>/gi, '\n')
    .replace(/<[^>]*>/g, '');
}

function walk(node: Nodes, visit: (node: Nodes) => void): void {
  visit(node);
  if ('children' in node) for (const child of node.children) walk(child, visit);
}
