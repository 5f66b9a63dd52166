/** Tells from the first characters of a line's content which kind of block it begins. Keeps no state: `scan-blocks.ts` does. */
import { isBlank, repeats, skipBlanks } from './characters.ts';

/** The column of a list item's content, or 0 if there is no list marker at `at` (which stands in column `column`). */
export function listItem(text: string, at: number, end: number, column: number, interruptsText: boolean): number {
  const code = text.charCodeAt(at);
  let behind = at + 1;
  if (isDigit(code)) {
    while (behind < end && behind - at < 9 && isDigit(text.charCodeAt(behind))) behind++;
    const closing = text.charCodeAt(behind);
    if (behind >= end || (closing !== 46 && closing !== 41)) return 0;
    // A line of running text may well begin with a number and a full stop.
    if (interruptsText && (behind - at !== 1 || code !== 49)) return 0;
    behind++;
  } else if (code !== 45 && code !== 42 && code !== 43) return 0;
  if (behind < end && !isBlank(text.charCodeAt(behind))) return 0;
  const content = skipBlanks(text, behind, end);
  if (content === end) return interruptsText ? 0 : column + behind - at + 1;
  const gap = content - behind;
  return column + behind - at + (gap > 4 ? 1 : gap);
}

/** `***`, `- - -`, `___`. */
export function isThematicBreak(text: string, at: number, end: number): boolean {
  const code = text.charCodeAt(at);
  if (code !== 45 && code !== 42 && code !== 95) return false;
  let signs = 0;
  for (let next = at; next < end; next++) {
    const found = text.charCodeAt(next);
    if (found === code) signs++;
    else if (!isBlank(found)) return false;
  }
  return signs >= 3;
}

/** The length of an opening fence, or 0. */
export function fenceLength(text: string, at: number, end: number): number {
  const code = text.charCodeAt(at);
  if (code !== 96 && code !== 126) return 0;
  const length = repeats(text, at, end);
  if (length < 3) return 0;
  if (code === 96) {
    const inner = text.indexOf('`', at + length);
    if (inner >= 0 && inner < end) return 0;
  }
  return length;
}

export function isFenceEnd(text: string, at: number, end: number, code: number, length: number): boolean {
  if (text.charCodeAt(at) !== code) return false;
  const found = repeats(text, at, end);
  return found >= length && skipBlanks(text, at + found, end) === end;
}

/** 1 to 6, or 0. */
export function headingLevel(text: string, at: number, end: number): number {
  if (text.charCodeAt(at) !== 35) return 0;
  const level = repeats(text, at, Math.min(end, at + 7));
  return level <= 6 && (at + level === end || isBlank(text.charCodeAt(at + level))) ? level : 0;
}

/** 1 for a line of `===` below text, 2 for one of `---`, else 0. */
export function underlineLevel(text: string, at: number, end: number): number {
  const code = text.charCodeAt(at);
  if (code !== 61 && code !== 45) return 0;
  if (skipBlanks(text, at + repeats(text, at, end), end) !== end) return 0;
  return code === 61 ? 1 : 2;
}

/** `| --- | :-: |`: what stands below a table's header. */
export function isTableDelimiter(text: string, at: number, end: number): boolean {
  let dashes = false;
  let bars = false;
  for (let next = at; next < end; next++) {
    const code = text.charCodeAt(next);
    if (code === 45) dashes = true;
    else if (code === 124) bars = true;
    else if (code !== 58 && !isBlank(code)) return false;
  }
  return dashes && bars;
}

/** `[^name]:` */
export function isFootnote(text: string, at: number, end: number): boolean {
  if (text.charCodeAt(at) !== 91 || text.charCodeAt(at + 1) !== 94) return false;
  const close = text.slice(at, Math.min(end, at + 200)).indexOf(']:');
  return close > 2;
}

/** What ends the block of HTML that begins here: a string its last line holds, '' for a blank line, null if none begins. */
export function htmlBlockEnd(text: string, at: number, end: number): string | null {
  if (text.charCodeAt(at) !== 60) return null;
  const opening = text.slice(at, Math.min(end, at + 60)).toLowerCase();
  if (opening.startsWith('<!--')) return '-->';
  const verbatim = /^<(pre|script|style|textarea)(?=[\s>]|$)/.exec(opening);
  if (verbatim) return `</${verbatim[1]}>`;
  if (
    /^<\/?(?:address|article|aside|blockquote|body|center|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|nav|ol|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul)(?=[\s/>]|$)/.test(
      opening,
    )
  )
    return '';
  return null;
}

const MAX_HEADING_CHARACTERS = 200;

/** A heading's words without the markup, cut where it is no heading any more: it is repeated for every chunk below. */
export function headingText(markdown: string): string {
  const plain = markdown
    .slice(0, 4 * MAX_HEADING_CHARACTERS)
    .replace(/^\s*#{1,6}(?=\s|$)/, '')
    .replace(/\s#+\s*$/, '')
    .replace(/!?\[([^\][]*)\]\([^()\s]*(?:\s+"[^"]*")?\)/g, '$1')
    .replace(/(?<!\\)(\*{1,3}|`+|~~|(?<![\p{L}\p{N}])_{1,3}|_{1,3}(?![\p{L}\p{N}]))/gu, '')
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .replace(/\s+/g, ' ')
    .trim();
  return plain.length <= MAX_HEADING_CHARACTERS
    ? plain
    : plain.slice(0, MAX_HEADING_CHARACTERS).toWellFormed().trimEnd();
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57;
