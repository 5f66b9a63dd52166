/** Finds where the overlap of a chunk begins: how much of what stands before it is repeated at its start. */
import { isBlank, sentenceStarts } from './characters.ts';
import { lineStart, type MeasuredText } from './measure.ts';
import { OPENS, TEXT } from './scanned-text.ts';

/** Characters looked at per token wanted, when only a part of a line is. Longer tokens than that are rare. */
const CHARACTERS_PER_TOKEN = 12;

/**
 * Where to begin so that what stands before `before` (a place in `line`, or its start) is repeated for at most `limit` tokens, and
 * for as many as possible: where one can begin to read, which is a block, an item or a sentence, else a word of running
 * text. Never inside code, a table, a heading or HTML; a whole one can be part of an overlap. Not before `firstLine`.
 * `before` itself if there is no such place.
 */
export function overlapStart(
  measured: MeasuredText,
  firstLine: number,
  line: number,
  before: number,
  limit: number,
): number {
  const { text, flags, counter, tokensBefore } = measured;
  let room = limit;
  let best = before;
  // A line's start within a paragraph: better than any word, if there is nothing better.
  let fallback = before;
  for (let at = line; at >= firstLine && room > 0; at--) {
    const start = lineStart(measured, at);
    const end = Math.min(lineStart(measured, at + 1), before);
    if (start === end) continue;
    const isText = ((flags[at] ?? 0) & TEXT) !== 0;
    const tokens =
      end === lineStart(measured, at + 1)
        ? (tokensBefore[at + 1] ?? 0) - (tokensBefore[at] ?? 0)
        : end - start > limit * CHARACTERS_PER_TOKEN
          ? room + 1
          : counter.count(text, start, end);
    if (tokens > room) {
      if (!isText) break;
      const sentence = sentenceWithin(measured, start, end, room);
      if (sentence !== null) return sentence;
      if (best === before && fallback === before) return wordWithin(measured, start, end, room) ?? before;
      break;
    }
    room -= tokens;
    if (((flags[at] ?? 0) & OPENS) !== 0) best = start;
    else if (isText) fallback = start;
  }
  return best === before ? fallback : best;
}

/** The first start of a sentence from which on the line has no more than `room` tokens. */
function sentenceWithin({ text, counter }: MeasuredText, from: number, to: number, room: number): number | null {
  const starts = sentenceStarts(text, windowStart(from, to, room), to);
  let found: number | null = null;
  let tokens = 0;
  let end = to;
  for (let start = starts.pop(); start !== undefined; start = starts.pop()) {
    tokens += counter.count(text, start, end);
    if (tokens > room) break;
    found = start;
    end = start;
  }
  return found;
}

function wordWithin({ text, counter }: MeasuredText, from: number, to: number, room: number): number | null {
  const first = windowStart(from, to, room);
  let end = to;
  while (end > first && isBlank(text.charCodeAt(end - 1))) end--;
  let tokens = counter.count(text, end, to);
  let found: number | null = null;
  for (let at = end - 1; at > first; at--) {
    if (!isBlank(text.charCodeAt(at - 1)) || isBlank(text.charCodeAt(at))) continue;
    // With the blank in front, as the word is counted amid others.
    tokens += counter.count(text, at - 1, end);
    if (tokens > room) break;
    found = at;
    end = at - 1;
  }
  return found;
}

const windowStart = (from: number, to: number, room: number): number =>
  Math.max(from, to - room * CHARACTERS_PER_TOKEN);
