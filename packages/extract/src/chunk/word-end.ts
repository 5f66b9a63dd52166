/**
 * Where the "word" that begins at a place of a text ends, as the split patterns of the encodings define words, read from a
 * table of character classes instead of by the pattern itself, which is slow. Equal to the pattern wherever it answers; where
 * it can't be sure (characters outside the basic plane, a word that begins with a combining mark) it says `UNSURE` and
 * the pattern has to be asked. Does not count tokens.
 */

export const UNSURE = -1;

/** `end` is where the text ends for this purpose: nothing behind it is looked at. */
export type WordEnd = (text: string, at: number, end: number) => number;

// A letter can stand where capitals stand, where small letters stand, or (han, kana, modifiers) in both places.
const UPPER = 1;
const LOWER = 2;
const DIGIT = 4;
const SPACE = 8;
const NEWLINE = 16;
const OTHER = 32;
const MARK = 64;
const PAIR = 128;
const LETTER = UPPER | LOWER;
const BLANK = SPACE | NEWLINE;

const CLASSES = new Uint8Array(0x1_0000);
let classesAreRead = false;

/** Took 30 ms on a busy machine, so not before somebody counts. */
export function readCharacterClasses(): void {
  if (classesAreRead) return;
  classesAreRead = true;
  for (let code = 0; code < 0x1_0000; code++) {
    if (code >= 0xd800 && code <= 0xdfff) {
      CLASSES[code] = PAIR;
      continue;
    }
    const character = String.fromCharCode(code);
    if (/[\r\n]/.test(character)) CLASSES[code] = NEWLINE;
    else if (/\s/.test(character)) CLASSES[code] = SPACE;
    else if (/[\p{Lu}\p{Lt}]/u.test(character)) CLASSES[code] = UPPER;
    else if (/\p{Ll}/u.test(character)) CLASSES[code] = LOWER;
    else if (/\p{L}/u.test(character)) CLASSES[code] = LETTER;
    else if (/\p{N}/u.test(character)) CLASSES[code] = DIGIT;
    else if (/\p{M}/u.test(character)) CLASSES[code] = MARK;
    else CLASSES[code] = OTHER;
  }
}

const classAt = (text: string, at: number): number => CLASSES[text.charCodeAt(at)] ?? 0;

const QUOTE = 39;
const SLASH = 47;
const BLANK_CHARACTER = 32;

/** `'s 't 're …|.?letters|up to three digits| ?signs newlines|blanks` */
export const cl100kWordEnd: WordEnd = (text, at, end) => {
  const first = classAt(text, at);
  let to = at + 1;
  if (first & LETTER) return runEnd(text, to, end, LETTER);
  if (first & DIGIT) return digitsEnd(text, to, end);
  if (first & PAIR) return UNSURE;
  const second = to < end ? classAt(text, to) : 0;
  if (first & (OTHER | MARK)) {
    if (text.charCodeAt(at) === QUOTE) {
      const contraction = contractionEnd(text, at, end);
      if (contraction !== at) return contraction;
    }
    if (second & LETTER) return runEnd(text, to + 1, end, LETTER);
    to = runEnd(text, to, end, OTHER | MARK);
    return to === UNSURE ? UNSURE : newlinesEnd(text, to, end);
  }
  if (first & SPACE) {
    if (second & PAIR) return UNSURE;
    if (second & LETTER) return runEnd(text, to + 1, end, LETTER);
    if (second & (OTHER | MARK) && text.charCodeAt(at) === BLANK_CHARACTER) {
      to = runEnd(text, to + 1, end, OTHER | MARK);
      return to === UNSURE ? UNSURE : newlinesEnd(text, to, end);
    }
  }
  return blanksEnd(text, at, end, true);
};

/** `.?capitals letters 's|…|up to three digits| ?signs newlines and slashes|blanks` */
export const o200kWordEnd: WordEnd = (text, at, end) => {
  const first = classAt(text, at);
  let to = at + 1;
  if (first & LETTER) return casedWordEnd(text, at, end);
  if (first & DIGIT) return digitsEnd(text, to, end);
  if (first & (PAIR | MARK)) return UNSURE;
  const second = to < end ? classAt(text, to) : 0;
  if (first & OTHER) {
    if (second & (LETTER | MARK)) return casedWordEnd(text, to, end);
    to = runEnd(text, to, end, OTHER | MARK);
    return to === UNSURE ? UNSURE : newlinesAndSlashesEnd(text, to, end);
  }
  if (first & SPACE) {
    if (second & PAIR) return UNSURE;
    if (second & (LETTER | MARK)) return casedWordEnd(text, to, end);
    if (second & OTHER && text.charCodeAt(at) === BLANK_CHARACTER) {
      to = runEnd(text, to + 1, end, OTHER | MARK);
      return to === UNSURE ? UNSURE : newlinesAndSlashesEnd(text, to, end);
    }
  }
  return blanksEnd(text, at, end, false);
};

function runEnd(text: string, from: number, end: number, classes: number): number {
  let to = from;
  while (to < end) {
    const found = classAt(text, to);
    if ((found & classes) === 0) return found & PAIR ? UNSURE : to;
    to++;
  }
  return to;
}

function digitsEnd(text: string, from: number, end: number): number {
  let to = from;
  while (to < end && to < from + 2) {
    const found = classAt(text, to);
    if ((found & DIGIT) === 0) return found & PAIR ? UNSURE : to;
    to++;
  }
  return to;
}

function newlinesEnd(text: string, from: number, end: number): number {
  let to = from;
  while (to < end && classAt(text, to) & NEWLINE) to++;
  return to;
}

function newlinesAndSlashesEnd(text: string, from: number, end: number): number {
  let to = from;
  while (to < end && (classAt(text, to) & NEWLINE || text.charCodeAt(to) === SLASH)) to++;
  return to;
}

/** Capitals, then small letters; what can be either goes as far as it can. */
function casedWordEnd(text: string, from: number, end: number): number {
  let to = from;
  // Behind the last letter that may end a word, should no small letter follow the capitals.
  let lastEnding = from;
  while (to < end) {
    const found = classAt(text, to);
    if (found & PAIR) return UNSURE;
    if ((found & (UPPER | MARK)) === 0) break;
    to++;
    if (found & (LOWER | MARK)) lastEnding = to;
  }
  const capitalsEnd = to;
  while (to < end) {
    const found = classAt(text, to);
    if (found & PAIR) return UNSURE;
    if ((found & (LOWER | MARK)) === 0) break;
    to++;
  }
  if (to === capitalsEnd && lastEnding > from) to = lastEnding;
  return to < end && text.charCodeAt(to) === QUOTE ? contractionEnd(text, to, end) : to;
}

/** Behind `'s`, `'ll` and the like, or `at` itself. */
function contractionEnd(text: string, at: number, end: number): number {
  if (at + 1 >= end) return at;
  const first = text.charCodeAt(at + 1) | 32;
  // The bit makes small letters of capitals, and these of nothing else.
  if (first === 115 || first === 100 || first === 109 || first === 116) return at + 2;
  if (at + 2 >= end) return at;
  const second = text.charCodeAt(at + 2) | 32;
  if (first === 108 && second === 108) return at + 3;
  return (first === 118 || first === 114) && second === 101 ? at + 3 : at;
}

/** Up to the last newline of the run; without one all but the last blank, which belongs to the word that follows. */
function blanksEnd(text: string, at: number, end: number, wholeAtEnd: boolean): number {
  let to = at;
  let behindNewline = at;
  while (to < end) {
    const found = classAt(text, to);
    if ((found & BLANK) === 0) break;
    to++;
    if (found & NEWLINE) behindNewline = to;
  }
  if (to === end && wholeAtEnd) return to;
  if (behindNewline > at) return behindNewline;
  if (to === end) return to;
  return to - at > 1 ? to - 1 : to;
}
