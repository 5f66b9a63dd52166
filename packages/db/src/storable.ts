/** Makes text and JSON that Postgres takes: no U+0000 anywhere, no half surrogate pairs in JSON. Changes nothing else. */

/** In JSON text these are the escapes of U+0000 and of half surrogate pairs, or an escaped backslash before such letters. */
const SUSPECT = /\\u(?:0000|d[89a-f])/;
const NUL = '\u0000';

/** `value` as JSON. The slow way is only taken for the rare text that may hold a character Postgres refuses. */
export function storableJson(value: unknown): string {
  const json = JSON.stringify(value);
  return SUSPECT.test(json) ? JSON.stringify(cleaned(value)) : json;
}

export function storableText(value: string): string {
  return value.includes(NUL) ? value.replaceAll(NUL, '') : value;
}

function cleaned(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value).toWellFormed();
  if (value instanceof Date || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(cleaned);
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [cleaned(name), cleaned(inner)]));
}
