/**
 * A short value of a text by which texts that are nearly the same can be found: the more they share, the fewer of its 64
 * bits differ. Which pages are called duplicates is near-duplicates.ts's business; for equal texts see fingerprint.ts.
 */

/** So little says nothing of a page, and texts without words would all be one. */
const MIN_WORDS = 20;

/** Enough to tell pages apart, and what bounds the table below. */
const MAX_DISTINCT_SHINGLES = 2 ** 16;
/** Scratch space of one call, as much of it as a text can need cleared at its start: 1 MB in all. */
const shingles = new Int32Array(2 * MAX_DISTINCT_SHINGLES);
const occurrences = new Int32Array(2 * MAX_DISTINCT_SHINGLES);

const END_OF_WORD = 32;
const FNV_START = 0x811c9dc5 | 0;
const FNV_PRIME = 0x01000193;

/** The lower-case letter, digit or underscore of an ASCII code; 0 for what ends a word. */
const WORD_CODES = Uint8Array.from({ length: 128 }, (_, code) => {
  if (code >= 65 && code <= 90) return code | 32;
  return (code >= 48 && code <= 57) || (code >= 97 && code <= 122) || code === 95 ? code : 0;
});

/**
 * The simhash of a text as a signed 64-bit integer, as Postgres keeps it, or null for fewer than 20 words. It is made of
 * shingles, three words in a row, since single words are shared by all pages of a subject. Words are those of
 * fingerprint.ts, numbers among them: without, 34 of the 692 pages of Django's documentation are one (release notes).
 */
export function simhash(text: string): bigint | null {
  const table = new ShingleTable(text.length);
  const bits = new MajorityBits();
  let wordCount = 0;
  let older = 0;
  let old = 0;
  let word = FNV_START;
  let isInWord = false;
  for (let at = 0; at <= text.length; at++) {
    const code = at < text.length ? text.charCodeAt(at) : END_OF_WORD;
    const letter = code < 128 ? (WORD_CODES[code] ?? 0) : isLetterBeyondAscii(code) ? code : 0;
    if (isInWord && (letter === 0 || isIdeograph(letter))) {
      if (++wordCount >= 3) {
        const shingle = mix(Math.imul(mix(Math.imul(older, 31) + old), 31) + word);
        if (table.weighs(shingle)) bits.add(shingle, word);
      }
      older = old;
      old = word;
      word = FNV_START;
    }
    isInWord = letter !== 0;
    if (isInWord) word = Math.imul(word ^ letter, FNV_PRIME);
  }
  return wordCount < MIN_WORDS ? null : bits.toBigInt();
}

/** How many of 64 bits differ. */
export function hammingDistance(a: bigint, b: bigint): number {
  const difference = BigInt.asUintN(64, a ^ b);
  return bitCount(Number(difference >> 32n)) + bitCount(Number(difference & 0xffffffffn));
}

/** How many bits of a 32-bit integer are set. */
export function bitCount(bits: number): number {
  let count = bits - ((bits >>> 1) & 0x55555555);
  count = (count & 0x33333333) + ((count >>> 2) & 0x33333333);
  return Math.imul((count + (count >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/**
 * How often each shingle was met. A shingle weighs 1 + log2 of that: counted plainly, the rows of a generated table
 * outweigh what the page says, and 49 of 8,427 pages of the JDK's are within 3 bits of another rather than 11.
 */
class ShingleTable {
  readonly #mask: number;
  #size = 0;

  /** A text has at most one word per character. */
  constructor(textLength: number) {
    let places = 1024;
    while (places < 2 * textLength && places < shingles.length) places *= 2;
    this.#mask = places - 1;
    shingles.fill(0, 0, places);
  }

  /** Counts a shingle; true for the first, second, fourth … of its kind. Open addressing; 0 is an empty place. */
  weighs(shingle: number): boolean {
    const value = shingle === 0 ? 1 : shingle;
    let place = value & this.#mask;
    for (;;) {
      const found = shingles[place];
      if (found === value) {
        const times = (occurrences[place] ?? 0) + 1;
        occurrences[place] = times;
        return (times & (times - 1)) === 0;
      }
      if (found === 0) break;
      place = (place + 1) & this.#mask;
    }
    if (this.#size === MAX_DISTINCT_SHINGLES) return false;
    this.#size++;
    shingles[place] = value;
    occurrences[place] = 1;
    return true;
  }
}

/** No counter reaches 2^21: the table has 2^16 shingles, of 32 weights at most. */
const PLANES = 21;

/**
 * Counts for each of 64 bits in how many shingles it is set. The counters lie across: plane n holds bit n of all of
 * them, so that an addition is a carry through a few planes rather than 64 additions.
 */
class MajorityBits {
  #count = 0;
  readonly #high = new Int32Array(PLANES);
  readonly #low = new Int32Array(PLANES);

  /** `lastWord` gives the second half bits of its own: two shingles alike in the first are not so in both. */
  add(shingle: number, lastWord: number): void {
    this.#count++;
    carry(this.#high, shingle);
    carry(this.#low, mix(shingle ^ Math.imul(lastWord, 0x27d4eb2f) ^ 0x2545f491));
  }

  toBigInt(): bigint {
    const high = moreThanHalf(this.#high, this.#count);
    const low = moreThanHalf(this.#low, this.#count);
    return (BigInt(high) << 32n) | BigInt(low >>> 0);
  }
}

function carry(planes: Int32Array, bits: number): void {
  let carried = bits;
  for (let plane = 0; carried !== 0; plane++) {
    const sum = planes[plane] ?? 0;
    planes[plane] = sum ^ carried;
    carried &= sum;
  }
}

/** The bits whose counter is above half of `count`. */
function moreThanHalf(planes: Int32Array, count: number): number {
  let result = 0;
  for (let bit = 0; bit < 32; bit++) {
    let counter = 0;
    for (let plane = 0; plane < PLANES; plane++) counter |= (((planes[plane] ?? 0) >>> bit) & 1) << plane;
    if (2 * counter > count) result |= 1 << bit;
  }
  return result;
}

/** The end of MurmurHash3: each bit of the input moves every bit of the output, which the majority relies on. */
function mix(value: number): number {
  let mixed = value ^ (value >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

/** As in fingerprint.ts: not the spaces, dashes, quotes and brackets of typography. */
function isLetterBeyondAscii(code: number): boolean {
  return code > 0xbf && !(code >= 0x2000 && code <= 0x206f) && !(code >= 0x3000 && code <= 0x303f) && code !== 0xfeff;
}

/** Signs of scripts that write without spaces: each is a word. */
const isIdeograph = (code: number): boolean => code >= 0x3040 && code <= 0xd7af;
