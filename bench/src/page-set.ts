/** Whether a contestant got exactly the pages it should have. Figures of different work can't be compared. */

const SHOWN = 10;

/** Throws with the difference when the two sets are not the same. */
export function requireSamePages(who: string, wanted: ReadonlySet<string>, got: readonly string[]): void {
  const had = new Set(got);
  const missing = [...wanted].filter((url) => !had.has(url));
  const extra = [...had].filter((url) => !wanted.has(url));
  const twice = got.length - had.size;
  if (missing.length === 0 && extra.length === 0 && twice === 0) return;
  const lines = [
    `${who} did not get the site's ${wanted.size} pages: ${missing.length} missing, ${extra.length} too many, ${twice} twice.`,
    ...missing.slice(0, SHOWN).map((url) => `  missing  ${url}`),
    ...extra.slice(0, SHOWN).map((url) => `  too many ${url}`),
  ];
  throw new Error(lines.join('\n'));
}
