/** What a scan of a text finds: its lines, and how deep the borders between them lie. The scanners of markdown and of plain text share it. */
import { isBlank, skipBlanks } from './characters.ts';

export interface ScannedText {
  /** Where each line that holds text begins; the first is 0. */
  readonly starts: readonly number[];
  /** How deep the border in front of each line lies. */
  readonly depths: readonly number[];
  /** `TEXT` and `OPENS` of each line. */
  readonly flags: readonly number[];
  readonly headings: ReadonlyMap<number, Heading>;
}

export interface Heading {
  readonly level: number;
  readonly text: string;
}

/** Running text: it may be entered in the middle, unlike code, tables, headings and HTML. */
export const TEXT = 1;
/** A block or an item begins with this line. */
export const OPENS = 2;

/** The depth of the border in front of a heading, and of the text's own ends. */
export const SECTION = 0;

// Depths within one container, best first; those of a container inside it follow.
export const BLOCK = 1;
export const ITEM = 2;
/** Between a heading and what it is the heading of, a table's header and its first row. */
export const BOUND = 3;
/** A line after a blank one in code, after a sentence's end in text. */
export const GOOD_LINE = 4;
export const LINE = 5;
export const DEPTHS = 5;

/** Whether a unit with a border of one depth in front of it is over at a border of another. */
export function endsUnit(depth: number, next: number): boolean {
  const kind = depth === SECTION ? SECTION : ((depth - 1) % DEPTHS) + 1;
  // The lines of one leaf have two depths, and are one thing.
  return kind < GOOD_LINE ? next <= depth : next < depth - kind + GOOD_LINE;
}

/** With the first character that isn't blank, and the end without the newline. */
export function forEachLine(text: string, visit: (start: number, first: number, end: number) => void): void {
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    visit(start, skipBlanks(text, start, end), end);
    start = end + 1;
  }
}

export function endsSentence(text: string, lineEnd: number): boolean {
  let at = lineEnd - 1;
  while (at > 0 && isBlank(text.charCodeAt(at))) at--;
  return '.!?:;…。！？'.includes(text.charAt(at));
}
