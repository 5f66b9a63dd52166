/** What characters of a markdown line are: the few questions the scanner and the cutter share. */

/** Blank as the encodings and JavaScript see it, since a cut is only clean in front of something that isn't. */
export function isBlank(code: number): boolean {
  if (code <= 32) return code === 32 || (code >= 9 && code <= 13);
  if (code < 0xa0) return false;
  return (
    code === 0xa0 ||
    code === 0x16_80 ||
    (code >= 0x20_00 && code <= 0x20_0a) ||
    code === 0x20_28 ||
    code === 0x20_29 ||
    code === 0x20_2f ||
    code === 0x20_5f ||
    code === 0x30_00 ||
    code === 0xfe_ff
  );
}

/** Where the first character that isn't blank stands, `end` without one. */
export function skipBlanks(text: string, from: number, end: number): number {
  let at = from;
  while (at < end && isBlank(text.charCodeAt(at))) at++;
  return at;
}

/** How many times the character at `from` stands there in a row. */
export function repeats(text: string, from: number, end: number): number {
  const code = text.charCodeAt(from);
  let at = from;
  while (at < end && text.charCodeAt(at) === code) at++;
  return at - from;
}

/** Where sentences begin within a line, the first not included: behind the blanks that follow a sentence's end. */
export function sentenceStarts(text: string, from: number, end: number): number[] {
  const starts: number[] = [];
  const line = text.slice(from, end);
  const last = line.trimEnd().length;
  for (const match of line.matchAll(/[.!?…]["'”’»)\]*_`]*\s+|[。！？｡]+[」』”’）]*\s*/g)) {
    const start = match.index + match[0].length;
    // The number of a list item is no sentence.
    if (start < last && !(starts.length === 0 && /^[\s\d>]*$/.test(line.slice(0, Math.min(match.index, 100)))))
      starts.push(from + start);
  }
  return starts;
}

/** An old friend (FNV-1a), spread at the end; 32 bits. */
export function hashText(text: string, from: number, end: number, seed: number): number {
  let hash = seed ^ 0x811c_9dc5;
  for (let at = from; at < end; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x0100_0193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
