/** Characters that markdown would read as markup. Escapes as little as GFM allows, since people and models read the result. */

const SPECIAL = /[\\`*_[\]<&~]/;
/**
 * A backslash means itself unless a sign of punctuation follows, an asterisk between blanks means itself, and brackets make a link only
 * with a target behind them, as no text refers to definitions elsewhere. At the end of a text nobody knows what follows.
 */
const SPECIALS = /\\(?=[!-/:-@[-`{-~]|$)|`|\*+|\[(?=\^)|\](?=\()|_+|<(?=[a-z/!?]|$)|&(?=#?\w{1,32};)|~+/gi;
const LETTER = /[\p{L}\p{N}]/u;
const BRACKETS = /[[\]]/;
const LINE_START = /^(?:#{1,6}(?=\s|$)|[-+*](?=\s|$)|>|=+\s*$|-{2,}\s*$|~{3}|\[[ x]\](?=\s))/i;
const NUMBERED = /^(\d{1,9})([.)])(?=\s|$)/;

/** Escapes text inside a paragraph. In the text of a link, brackets have to be told from its own where they do not pair. */
export function escapeInline(text: string, isInLink: boolean): string {
  if (!SPECIAL.test(text)) return text;
  const escaped = text.replace(SPECIALS, (match: string, at: number) => {
    switch (match.charCodeAt(0)) {
      case 95:
        // Between letters an underscore is a letter in GFM: `snake_case` stays readable.
        return isWordCode(text.charCodeAt(at - 1)) && isWordCode(text.charCodeAt(at + match.length))
          ? match
          : match.replaceAll('_', '\\_');
      case 42:
        return isBlank(text.charCodeAt(at - 1)) && isBlank(text.charCodeAt(at + match.length))
          ? match
          : match.replaceAll('*', '\\*');
      case 126:
        // One alone strikes nothing out.
        return match.length === 1 && text.indexOf('~') === text.lastIndexOf('~') ? match : match.replaceAll('~', '\\~');
      default:
        return `\\${match}`;
    }
  });
  return isInLink && BRACKETS.test(text) && !hasPairedBrackets(text)
    ? escaped.replaceAll(/(?<!\\)[[\]]/g, '\\$&')
    : escaped;
}

/** Escapes what only means something at the start of a line, where a paragraph's text happens to begin with it. */
export function escapeLineStart(line: string): string {
  const code = line.charCodeAt(0);
  // Letters, by far the most common start, can't be markup.
  if (code >= 63) return (code === 126 || code === 91) && LINE_START.test(line) ? `\\${line}` : line;
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

function hasPairedBrackets(text: string): boolean {
  let open = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 91) open++;
    else if (code === 93 && --open < 0) return false;
  }
  return open === 0;
}

function longestRun(text: string): number {
  let longest = 0;
  for (const run of text.match(/`+/g) ?? []) longest = Math.max(longest, run.length);
  return longest;
}

/** A blank, or the border of a text that was trimmed: what stands beyond it is not known, so it does not count as one. */
const isBlank = (code: number): boolean => code === 32;

function isWordCode(code: number): boolean {
  if (code < 128) return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
  return LETTER.test(String.fromCharCode(code));
}
