/**
 * How many tokens a text has in an encoding: exactly what the encoding's library says, several times as fast. The words come from
 * `word-end.ts`, and how many tokens a word has is asked of the library once and then remembered.
 */
import { createRequire } from 'node:module';
import type { TokenizerName } from '@trawl/contracts';
import { cl100kWordEnd, o200kWordEnd, readCharacterClasses, UNSURE, type WordEnd } from './word-end.ts';

export interface TokenCounter {
  /** The tokens of `text.slice(from, to)`. */
  count(text: string, from: number, to: number): number;
  /** How far `text` goes from `from` on with `limit` tokens, in whole words of the encoding; `from` itself if the first has more. */
  reach(text: string, from: number, to: number, limit: number): number;
}

/** Text that reads like a special token (`<|endoftext|>`) is text like any other. */
export function countTokens(text: string, tokenizer: TokenizerName): number {
  return tokenCounter(tokenizer).count(text, 0, text.length);
}

const counters = new Map<TokenizerName, TokenCounter>();

/** Loads the encoding when it is first asked for: each costs 0.1 s and 70 to 100 MB. */
export function tokenCounter(tokenizer: TokenizerName): TokenCounter {
  let counter = counters.get(tokenizer);
  if (counter === undefined) {
    counter = createCounter(loadEncoding(tokenizer));
    counters.set(tokenizer, counter);
  }
  return counter;
}

/**
 * The library merges a word's bytes in quadratic time, and a page may consist of one word. A longer one is counted in
 * pieces of this length, which may differ from the library by a token or so per piece; all shorter ones are exact.
 */
export const LONGEST_WORD = 256;

interface Encoding {
  readonly wordEnd: WordEnd;
  /** The library's own pattern, for what `wordEnd` is not sure of. */
  readonly pattern: RegExp;
  countWord(word: string): number;
}

// A `require`, since it can wait for the first use without making everything that counts asynchronous.
const require = createRequire(import.meta.url);

function loadEncoding(tokenizer: TokenizerName): Encoding {
  const patterns: typeof import('gpt-tokenizer/encodingParams/constants') = require('gpt-tokenizer/encodingParams/constants');
  readCharacterClasses();
  if (tokenizer === 'cl100k_base') {
    const library: typeof import('gpt-tokenizer/encoding/cl100k_base') = require('gpt-tokenizer/encoding/cl100k_base');
    return toEncoding(library, cl100kWordEnd, patterns.CL100K_TOKEN_SPLIT_REGEX);
  }
  const library: typeof import('gpt-tokenizer/encoding/o200k_base') = require('gpt-tokenizer/encoding/o200k_base');
  return toEncoding(library, o200kWordEnd, patterns.O200K_TOKEN_SPLIT_REGEX);
}

interface Library {
  countTokens(text: string, options: { disallowedSpecial: Set<string> }): number;
  setMergeCacheSize(size: number): void;
}

function toEncoding(library: Library, wordEnd: WordEnd, pattern: RegExp): Encoding {
  const options = { disallowedSpecial: new Set<string>() };
  // Its cache would hold on to the pages its words are slices of, and the one below does the same work.
  library.setMergeCacheSize(0);
  return {
    wordEnd,
    pattern: new RegExp(pattern.source, 'uy'),
    countWord: (word) => library.countTokens(word, options),
  };
}

/** Words up to this length are remembered in a table without any object: finding one costs no slice and no string hash. */
const SHORT_WORD = 16;
const SLOTS = 1 << 17;
/** A word can stand in any of as many slots; with one alone, words of equal hash drove each other out all the time. */
const WAYS = 4;
const SET_MASK = SLOTS - WAYS;
const MAX_LONG_WORDS = 20_000;

function createCounter({ wordEnd, pattern, countWord }: Encoding): TokenCounter {
  // 4.5 MB, never more. A length of 0 marks a free slot.
  const slotCharacters = new Uint16Array(SHORT_WORD * SLOTS);
  const slotLengths = new Uint8Array(SLOTS);
  const slotTokens = new Uint8Array(SLOTS);
  const longWords = new Map<string, number>();

  let turn = 0;

  const countShort = (text: string, from: number, to: number): number => {
    const length = to - from;
    let hash = length;
    for (let at = from; at < to; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x9e37_79b1);
    hash ^= hash >>> 16;
    const set = (Math.imul(hash, 0x85eb_ca6b) >>> 13) & SET_MASK;
    for (let slot = set; slot < set + WAYS; slot++) {
      if (slotLengths[slot] !== length) continue;
      const base = slot * SHORT_WORD - from;
      let at = from;
      while (at < to && slotCharacters[base + at] === text.charCodeAt(at)) at++;
      if (at === to) return slotTokens[slot] ?? 0;
    }
    const tokens = countWord(text.slice(from, to));
    turn = (turn + 1) % WAYS;
    const slot = set + turn;
    slotLengths[slot] = length;
    slotTokens[slot] = tokens;
    for (let at = from; at < to; at++) slotCharacters[slot * SHORT_WORD - from + at] = text.charCodeAt(at);
    return tokens;
  };

  const countLong = (text: string, from: number, to: number): number => {
    const word = text.slice(from, to);
    const known = longWords.get(word);
    if (known !== undefined) return known;
    const tokens = countWord(word);
    if (longWords.size >= MAX_LONG_WORDS) longWords.clear();
    // A copy: a slice keeps alive the whole text it was taken from.
    longWords.set(Buffer.from(word, 'utf16le').toString('utf16le'), tokens);
    return tokens;
  };

  const countWordAt = (text: string, from: number, to: number): number => {
    if (to - from <= SHORT_WORD) return countShort(text, from, to);
    let tokens = 0;
    let at = from;
    while (to - at > LONGEST_WORD) {
      const pieceEnd = isInsidePair(text, at + LONGEST_WORD) ? at + LONGEST_WORD - 1 : at + LONGEST_WORD;
      tokens += countLong(text, at, pieceEnd);
      at = pieceEnd;
    }
    return tokens + countLong(text, at, to);
  };

  const nextWord = (text: string, at: number): number => {
    const next = wordEnd(text, at, text.length);
    if (next !== UNSURE) return next;
    pattern.lastIndex = at;
    return pattern.test(text) ? pattern.lastIndex : text.length;
  };

  return {
    count(text, from, to) {
      let at = from;
      let tokens = 0;
      while (at < to) {
        const next = wordEnd(text, at, to);
        // The pattern looks ahead, and must see no more than belongs to the text.
        if (next === UNSURE) return tokens + countByPattern(text.slice(at, to));
        tokens += countWordAt(text, at, next);
        at = next;
      }
      return tokens;
    },
    reach(text, from, to, limit) {
      // A word costs a token at least, but may be of any length.
      const source = text.slice(from, to);
      let at = 0;
      let tokens = 0;
      while (at < source.length) {
        const next = nextWord(source, at);
        tokens += countWordAt(source, at, next);
        if (tokens > limit) break;
        at = next;
      }
      return from + at;
    },
  };

  function countByPattern(text: string): number {
    let tokens = 0;
    for (let at = 0; at < text.length; ) {
      const next = nextWord(text, at);
      tokens += countWordAt(text, at, next);
      at = next;
    }
    return tokens;
  }
}

/** Whether a cut at `at` would part the two halves of a character. */
export function isInsidePair(text: string, at: number): boolean {
  if (at <= 0 || at >= text.length) return false;
  const before = text.charCodeAt(at - 1);
  const behind = text.charCodeAt(at);
  return before >= 0xd800 && before <= 0xdbff && behind >= 0xdc00 && behind <= 0xdfff;
}
