/**
 * A few phrases of a text, as short hashes, chosen by the phrases themselves: two pages that share text choose the same ones from it, wherever
 * it stands. So a page put together from parts of others (a grid of filters, a calendar) is told from one that says something.
 */

const WORDS_PER_PHRASE = 4;
const MOST_PHRASES = 12;
/** A word is letters; what differs between the pages of a calendar is digits. */
const WORD = /\p{L}+/gu;
/** Of longer texts the beginning has to do: a sample need not see everything. */
const MAX_CHARS = 60_000;

export function phraseSample(text: string): string[] {
  const words = text.slice(0, MAX_CHARS).toLowerCase().match(WORD) ?? [];
  // The smallest hashes: which these are depends on the phrases only.
  const smallest = new Set<number>();
  let largest = -1;
  const last = Math.max(0, words.length - WORDS_PER_PHRASE);
  for (let at = 0; at <= last; at++) {
    const value = hashOf(words, at);
    if (smallest.has(value) || (smallest.size === MOST_PHRASES && value >= largest)) continue;
    smallest.add(value);
    if (smallest.size > MOST_PHRASES) smallest.delete(largest);
    largest = Math.max(...smallest);
  }
  return [...smallest].map((value) => value.toString(36));
}

/** FNV-1a over the phrase, stirred once more: its low bits decide what is small. */
function hashOf(words: readonly string[], from: number): number {
  let value = 0x811c9dc5;
  for (let at = from; at < Math.min(from + WORDS_PER_PHRASE, words.length); at++) {
    const word = words[at] ?? '';
    for (let i = 0; i < word.length; i++) value = Math.imul(value ^ word.charCodeAt(i), 0x01000193);
    value = Math.imul(value ^ 32, 0x01000193);
  }
  value = Math.imul(value ^ (value >>> 15), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
