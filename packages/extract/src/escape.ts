/** Characters that markdown would read as markup. Escapes as little as GFM allows, since people and models read the result. */

const SPECIAL = /[\\`*_[\]<&~]/;
const SPECIALS = /[\\`*[\]]|_+|<(?=[a-z/!?])|&(?=#?\w{1,32};)|~(?=~)/gi;
const LINE_START = /^(?:#{1,6}(?=\s|$)|[-+](?=\s|$)|>|=+\s*$|-{2,}\s*$|~{3})/;
const NUMBERED = /^(\d{1,9})([.)])(?=\s|$)/;

/** Escapes text inside a paragraph. */
export function escapeInline(text: string): string {
  if (!SPECIAL.test(text)) return text;
  return text.replace(SPECIALS, (match: string, at: number) => {
    if (match.charCodeAt(0) !== 95) return `\\${match}`;
    // Between letters an underscore is a letter in GFM: `snake_case` stays readable.
    return isWordCode(text.charCodeAt(at - 1)) && isWordCode(text.charCodeAt(at + match.length))
      ? match
      : match.replaceAll('_', '\\_');
  });
}

/** Escapes what only means something at the start of a line, where a paragraph's text happens to begin with it. */
export function escapeLineStart(line: string): string {
  const code = line.charCodeAt(0);
  // Letters, by far the most common start, can't be markup.
  if (code >= 63) return code === 126 && LINE_START.test(line) ? `\\${line}` : line;
  if (LINE_START.test(line)) return `\\${line}`;
  return code >= 48 && code <= 57 ? line.replace(NUMBERED, '$1\\$2') : line;
}

/** An inline code span around text that may hold backticks itself. */
export function codeSpan(text: string): string {
  if (!text.includes('`')) return `\`${text}\``;
  const fence = '`'.repeat(longestRun(text) + 1);
  return `${fence} ${text} ${fence}`;
}

/** A fence no line of the text can end. */
export function fenceFor(text: string): string {
  return text.includes('```') ? '`'.repeat(longestRun(text) + 1) : '```';
}

/** A link's destination; parentheses would end it early. */
export function destination(url: string): string {
  return url.includes('(') || url.includes(')') ? `<${url}>` : url;
}

function longestRun(text: string): number {
  let longest = 0;
  for (const run of text.match(/`+/g) ?? []) longest = Math.max(longest, run.length);
  return longest;
}

function isWordCode(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code > 127;
}
