/** What a word is to the quality measures, and how many of some words are among others. */

/** Runs of letters and digits, as they are written. */
export function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}_]+/gu) ?? [];
}

export function countEach(words: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** How many of `wanted` are found, each as often as it is there. */
export function overlapOf(wanted: ReadonlyMap<string, number>, found: ReadonlyMap<string, number>): number {
  let overlap = 0;
  for (const [word, count] of wanted) overlap += Math.min(count, found.get(word) ?? 0);
  return overlap;
}

/** What of `wanted` is not among `found`, as often as it is missing. */
export function missingFrom(wanted: ReadonlyMap<string, number>, found: ReadonlyMap<string, number>): string[] {
  const missing: string[] = [];
  for (const [word, count] of wanted) {
    for (let left = count - (found.get(word) ?? 0); left > 0; left -= 1) missing.push(word);
  }
  return missing;
}
