/** How many tokens the lines of a scanned text have, counted once, and whether ranges of them fit a limit. Cuts nothing. */
import type { TokenizerName } from '@trawl/contracts';
import { hashText, isBlank } from './characters.ts';
import { endsUnit, type ScannedText } from './scanned-text.ts';
import { type TokenCounter, tokenCounter } from './tokens.ts';

export interface MeasuredText extends ScannedText {
  readonly text: string;
  readonly counter: TokenCounter;
  /** Tokens of all lines before one, each counted alone. */
  readonly tokensBefore: Uint32Array;
  /** How many of the borders up to a line's are not clean. */
  readonly uncleanUpTo: Uint32Array;
}

/**
 * Counts add up where a word ends at the border whatever stands behind it, and nowhere else. That is so in front of a line that holds
 * text, since blanks after a newline never belong to a word with it. Two exceptions: a carriage return among the
 * blanks the line begins with, and for o200k a slash, which joins the signs and newlines before it.
 */
export function measure(text: string, scanned: ScannedText, tokenizer: TokenizerName): MeasuredText {
  const counter = tokenCounter(tokenizer);
  const lines = scanned.starts.length;
  const tokensBefore = new Uint32Array(lines + 1);
  const uncleanUpTo = new Uint32Array(lines + 1);
  let tokens = 0;
  let unclean = 0;
  for (let line = 0; line < lines; line++) {
    const start = scanned.starts[line] ?? 0;
    if (!isCleanStart(text, start, tokenizer)) unclean++;
    uncleanUpTo[line] = unclean;
    tokensBefore[line] = tokens;
    tokens += counter.count(text, start, scanned.starts[line + 1] ?? text.length);
  }
  tokensBefore[lines] = tokens;
  uncleanUpTo[lines] = unclean;
  return { ...fieldsOf(scanned), text, counter, tokensBefore, uncleanUpTo };
}

const fieldsOf = ({ starts, depths, flags, headings }: ScannedText): ScannedText => ({
  starts,
  depths,
  flags,
  headings,
});

function isCleanStart(text: string, start: number, tokenizer: TokenizerName): boolean {
  let at = start;
  while (at < text.length && isBlank(text.charCodeAt(at))) {
    if (text.charCodeAt(at) === 13) return false;
    at++;
  }
  return tokenizer !== 'o200k_base' || text.charCodeAt(start) !== 47;
}

export const lineStart = (measured: MeasuredText, line: number): number =>
  measured.starts[line] ?? measured.text.length;

/** Whether the counts of what lies before and behind `at` add up, which is known of the start of `line` only. */
export const isCleanBorder = (measured: MeasuredText, line: number, at: number): boolean =>
  at === lineStart(measured, line) && measured.uncleanUpTo[line] === measured.uncleanUpTo[line - 1];

/** The tokens of whole lines, as one text; `null` if they are certainly more than the limit. */
export function tokensOfLines(measured: MeasuredText, from: number, to: number, limit: number): number | null {
  const { tokensBefore, uncleanUpTo, text, counter } = measured;
  const sum = (tokensBefore[to] ?? 0) - (tokensBefore[from] ?? 0);
  if (sum > limit) return null;
  const isExact = (uncleanUpTo[to - 1] ?? 0) === (uncleanUpTo[from] ?? 0);
  const tokens = isExact ? sum : counter.count(text, lineStart(measured, from), lineStart(measured, to));
  return tokens > limit ? null : tokens;
}

/** Lines of one unit that its hash is made of: enough to tell it from others, and an edit further down leaves it alone. */
const HASHED_LINES = 4;
const HASHED_CHARACTERS = 400;

/** Of the unit that begins with each line of a range, from its first lines. */
export function hashUnits(measured: MeasuredText, from: number, to: number): Float64Array {
  const { text, depths } = measured;
  const lineHashes = new Float64Array(to - from);
  for (let line = from; line < to; line++) {
    const start = lineStart(measured, line);
    let end = Math.min(lineStart(measured, line + 1), start + HASHED_CHARACTERS);
    // Blank lines are added and lost without the unit being another one.
    while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
    lineHashes[line - from] = hashText(text, start, end, 0);
  }
  const hashes = new Float64Array(to - from);
  for (let line = from; line < to; line++) {
    const depth = depths[line] ?? 0;
    let hash = 0;
    for (let next = line; next < to && next < line + HASHED_LINES; next++) {
      if (next > line && endsUnit(depth, depths[next] ?? 0)) break;
      hash = Math.imul(hash ^ (lineHashes[next - from] ?? 0), 0x9e37_79b1) ^ (hash >>> 15);
    }
    hashes[line - from] = hash >>> 0;
  }
  return hashes;
}
