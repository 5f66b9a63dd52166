/**
 * Where a text in markdown leads: inline links, reference definitions, autolinks, bare URLs, and anchors in HTML. Takes time in proportion to its length:
 * a reading of lines, not a parse, so that what looks like a link counts as one even where a parser would disagree. Code is left out.
 */
import { createResolver, LinkList, type PageLink } from '../links.ts';
import { collapseSpace } from '../space.ts';

/** A destination: in angle brackets, or without spaces and with brackets that match, one deep. */
const INLINE = /\]\(\s{0,10}(?:<([^<>\n]{0,4000})>|((?:[^\s()<>]|\([^\s()<>]{0,2000}\)){1,4000}))/g;
const DEFINITION = /^ {0,3}\[([^\]\n]{1,999})\]:\s{0,10}(?:<([^<>\n]{1,4000})>|(\S{1,4000}))/;
const BARE = /\bhttps?:\/\/[^\s<>()[\]"'`]{1,4000}/gi;
const ANCHOR = /<a\s[^>]{0,500}?href\s?=\s?["']?([^"'\s>]{1,4000})/gi;
const CODE_SPAN = /``[^\n]{0,4000}?``|`[^`\n]*`/g;
/** What ends a sentence is no part of a URL in it. */
const SENTENCE_END = /[.,;:!?*_~]+$/;
/** How far back the text of a link is looked for. */
const MAX_TEXT = 1000;

export function markdownLinks(lines: readonly MarkdownLine[], url: string): PageLink[] {
  const links = new LinkList();
  const resolve = createResolver(url);
  const add = (href: string, text: string): void => {
    const resolved = resolve(href);
    if (resolved) links.add(resolved.url, text, '');
  };
  for (const { text: raw, isCode } of lines) {
    if (isCode || !/[:(=]/.test(raw)) continue;
    const line = raw.replace(CODE_SPAN, (code) => ' '.repeat(code.length));
    for (const match of line.matchAll(INLINE)) {
      const label = labelBefore(line, match.index);
      if (label !== null) add(match[1] ?? match[2] ?? '', label);
    }
    const definition = DEFINITION.exec(line);
    if (definition) add(definition[2] ?? definition[3] ?? '', tidy(definition[1] ?? ''));
    for (const match of line.matchAll(ANCHOR)) add(match[1] ?? '', '');
    for (const match of line.matchAll(BARE)) add(match[0].replace(SENTENCE_END, ''), '');
  }
  return links.toArray();
}

export interface MarkdownLine {
  readonly text: string;
  /** Within a fence, or the fence itself. */
  readonly isCode: boolean;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;

export function* markdownLines(markdown: string): Generator<MarkdownLine> {
  let fence: string | null = null;
  for (const text of markdown.split('\n')) {
    const [, marks = '', rest = ''] = FENCE.exec(text) ?? [];
    if (fence === null) {
      // A line such as ```` ```code``` ```` is a span.
      if (marks !== '' && !(marks.startsWith('`') && rest.includes('`'))) fence = marks;
      yield { text, isCode: fence !== null };
    } else {
      yield { text, isCode: true };
      if (marks.startsWith(fence) && rest.trim() === '') fence = null;
    }
  }
}

/** What stands in the brackets that end at `end`; null for an image, which is shown and not led to. */
function labelBefore(line: string, end: number): string | null {
  let depth = 1;
  for (let at = end - 1; at >= 0 && end - at < MAX_TEXT; at--) {
    const sign = line[at];
    if (sign === ']') depth += 1;
    else if (sign === '[') depth -= 1;
    if (depth > 0) continue;
    return line[at - 1] === '!' ? null : tidy(line.slice(at + 1, end));
  }
  return null;
}

/** As a reader sees it: an image by its alternative text, without marks of emphasis. */
const tidy = (label: string): string =>
  collapseSpace(label.replace(/!\[([^\]]*)\](?:\([^)]*\))?/g, '$1').replace(/[*_`]+/g, '')).trim();
