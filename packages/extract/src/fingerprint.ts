/** Short values that tell whether two pages say the same. */
import { hash } from 'node:crypto';

export interface TextPrint {
  readonly wordCount: number;
  /** 14 characters: equal for texts that differ in numbers and repetition only, such as the pages of a calendar. */
  readonly print: string;
}

/** Enough to tell pages apart, and what bounds the table below. */
const MAX_DISTINCT_WORDS = 4096;
const TABLE_SIZE = 2 * MAX_DISTINCT_WORDS;
/** Scratch space of one call, cleared at its start: a new array of this size costs more than a small page's words. */
const table = new Int32Array(TABLE_SIZE);

const FNV_START = 0x811c9dc5 | 0;
const FNV_PRIME = 0x01000193;

/** What a character is in a word, the less telling first. */
const NO_WORD = 0;
const DIGIT = 1;
const LETTER = 2;
const CAPITAL = 3;
const IDEOGRAPH = 4;
const CLASSES = Uint8Array.from({ length: 128 }, (_, code) => {
  if (code >= 48 && code <= 57) return DIGIT;
  if (code >= 65 && code <= 90) return CAPITAL;
  return (code >= 97 && code <= 122) || code === 95 ? LETTER : NO_WORD;
});

/** SHA-256 of text whose white space the caller has folded. */
export function contentHash(foldedText: string): string {
  return hash('sha256', foldedText, 'hex');
}

/**
 * Walks the characters once. A word is a run of letters, digits and underscores, or one sign of a script that writes
 * without spaces. The print is the sequence of distinct words in lower case (ASCII), those of digits only left out.
 * Words are told apart by a 32-bit hash: a collision hides one word, which leaves two prints as different as before.
 */
export function printText(text: string): TextPrint {
  const words = new DistinctWords();
  let wordCount = 0;
  let word = FNV_START;
  // The most telling class met in the current word; none between words.
  let wordClass: number = NO_WORD;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const kind = code < 128 ? (CLASSES[code] ?? NO_WORD) : classBeyondAscii(code);
    if (wordClass !== NO_WORD && (kind === NO_WORD || kind === IDEOGRAPH)) {
      wordCount++;
      if (wordClass !== DIGIT) words.add(word);
      word = FNV_START;
      wordClass = NO_WORD;
    }
    if (kind === NO_WORD) continue;
    word = Math.imul(word ^ (kind === CAPITAL ? code | 32 : code), FNV_PRIME);
    if (kind > wordClass) wordClass = kind;
  }
  if (wordClass !== NO_WORD) {
    wordCount++;
    if (wordClass !== DIGIT) words.add(word);
  }
  return { wordCount, print: words.print() };
}

/** Letters, save the spaces, dashes, quotes and brackets of typography. */
function classBeyondAscii(code: number): number {
  if (code <= 0xbf || (code >= 0x2000 && code <= 0x206f) || (code >= 0x3000 && code <= 0x303f) || code === 0xfeff) {
    return NO_WORD;
  }
  return code >= 0x3040 && code <= 0xd7af ? IDEOGRAPH : LETTER;
}

/** Folds words into 64 bits in the order in which each is first met. A set of numbers cost three times as much. */
class DistinctWords {
  #size = 0;
  #high = FNV_START;
  #low = 0x2545f491;

  constructor() {
    table.fill(0);
  }

  /** Open addressing; 0 is an empty place. */
  add(word: number): void {
    const value = word === 0 ? 1 : word;
    let place = (value ^ (value >>> 15)) & (TABLE_SIZE - 1);
    for (;;) {
      const found = table[place];
      if (found === value) return;
      if (found === 0) break;
      place = (place + 1) & (TABLE_SIZE - 1);
    }
    if (this.#size === MAX_DISTINCT_WORDS) return;
    this.#size++;
    table[place] = value;
    this.#high = Math.imul(this.#high ^ value, FNV_PRIME);
    this.#low = Math.imul(this.#low ^ (value >>> 3) ^ (this.#high >>> 15), 0x85ebca6b);
  }

  print(): string {
    return base36(this.#high) + base36(this.#low);
  }
}

const base36 = (bits: number): string => (bits >>> 0).toString(36).padStart(7, '0');
