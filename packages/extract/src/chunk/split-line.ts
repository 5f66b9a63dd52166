/** Cuts a line that is too long by itself: between sentences, else behind blanks, else between words of the encoding, else between characters. */
import { hashText, isBlank, sentenceStarts } from './characters.ts';
import { splitUnits } from './split-tree.ts';
import { isInsidePair, type TokenCounter } from './tokens.ts';

/** `limit` for a piece that could grow, `maxTokens` for a sentence that would have to be cut otherwise. Gives the pieces' starts. */
export function splitLine(
  text: string,
  from: number,
  to: number,
  counter: TokenCounter,
  limit: number,
  maxTokens: number,
): number[] {
  const starts = [from, ...sentenceStarts(text, from, to)];
  const startOf = (sentence: number): number => starts[sentence] ?? to;
  const tokensBefore = new Float64Array(starts.length + 1);
  const hashes = new Float64Array(starts.length);
  for (let sentence = 0; sentence < starts.length; sentence++) {
    const start = startOf(sentence);
    const end = startOf(sentence + 1);
    tokensBefore[sentence + 1] = (tokensBefore[sentence] ?? 0) + counter.count(text, start, end);
    hashes[sentence] = hashText(text, start, Math.min(end, start + 200), 0);
  }
  const pieces: number[] = [];
  splitUnits({ depths: new Uint8Array(starts.length), hashes }, 0, starts.length, {
    fits(first, behind, isWhole) {
      const allowed = isWhole ? maxTokens : limit;
      // Sentences counted alone are a token or so more than together, as a rule but not for certain.
      if ((tokensBefore[behind] ?? 0) - (tokensBefore[first] ?? 0) > allowed) return false;
      return counter.count(text, startOf(first), startOf(behind)) <= allowed;
    },
    accept(first, behind) {
      const tokens = (tokensBefore[behind] ?? 0) - (tokensBefore[first] ?? 0);
      if (behind - first === 1 && tokens > maxTokens)
        fill(text, startOf(first), startOf(behind), counter, limit, pieces);
      else pieces.push(startOf(first));
    },
  });
  return pieces;
}

/** Per token: hardly any text has longer ones. */
const FAR_CHARACTERS = 16;

/** One piece after the other, each as long as it may be: within a sentence there is nothing to hold on to. */
function fill(text: string, from: number, to: number, counter: TokenCounter, limit: number, pieces: number[]): void {
  let at = from;
  while (at < to) {
    pieces.push(at);
    // No further: a word may be as long as the text, and would be read again for each piece of it.
    const far = Math.min(to, at + limit * FAR_CHARACTERS);
    const reach = counter.reach(text, at, isInsidePair(text, far) ? far + 1 : far, limit);
    if (reach >= to) return;
    at = reach === at ? behindCharacters(text, at, to, counter, limit) : behindBlank(text, at, reach, counter, limit);
  }
}

/** Behind the last blank that can be reached, in the second half at least; else as far as words go. */
function behindBlank(text: string, from: number, reach: number, counter: TokenCounter, limit: number): number {
  const half = from + ((reach - from) >> 1);
  for (let at = reach; at > half; at--) {
    if (!isBlank(text.charCodeAt(at - 1)) || isBlank(text.charCodeAt(at))) continue;
    // The blank itself, which otherwise begins the next word, may be a token too many.
    if (counter.count(text, from, at) <= limit) return at;
  }
  return counter.count(text, from, reach) <= limit ? reach : behindCharacters(text, from, reach, counter, limit);
}

/** Some way into a word that is longer than the limit. */
function behindCharacters(text: string, from: number, to: number, counter: TokenCounter, limit: number): number {
  let length = Math.min(to - from, limit * 8);
  for (;;) {
    const at = isInsidePair(text, from + length) ? from + length + 1 : from + length;
    if (length <= 1 || counter.count(text, from, at) <= limit) return at;
    length >>= 1;
  }
}
