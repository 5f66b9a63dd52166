/** Reads the structure of text that is no markdown: nothing in it is a heading, a fence or a list. */
import { BLOCK, endsSentence, forEachLine, GOOD_LINE, LINE, OPENS, type ScannedText, TEXT } from './scanned-text.ts';

/** Paragraphs between blank lines, and their lines. */
export function scanPlainText(text: string): ScannedText {
  const starts: number[] = [];
  const depths: number[] = [];
  const flags: number[] = [];
  let previousEnd = 0;
  let isAfterBlank = true;
  forEachLine(text, (start, first, end) => {
    if (first === end) {
      isAfterBlank = true;
      return;
    }
    starts.push(starts.length === 0 ? 0 : start);
    depths.push(isAfterBlank ? BLOCK : endsSentence(text, previousEnd) ? GOOD_LINE : LINE);
    flags.push(isAfterBlank ? TEXT | OPENS : TEXT);
    isAfterBlank = false;
    previousEnd = end;
  });
  return { starts, depths, flags, headings: new Map() };
}
