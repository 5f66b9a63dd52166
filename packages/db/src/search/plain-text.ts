/**
 * The words of a piece of markdown: without link targets, fences, table rules and the signs of emphasis, which nobody searches for.
 * Rough on purpose: it is for an index and for excerpts, not for showing a page. Linear in its input, whatever that is.
 */

/** `[text](target "title")` and images. One pair of brackets inside a target, as encyclopedias have them. */
const LINKS = /!?\[([^[\]]*)\]\((?:<[^<>\n]*>|(?:[^()\s<>]|\([^()\s]*\))*)(?:[ \t]+(?:"[^"\n]*"|'[^'\n]*'))?\)/g;
const FENCES = /^[ \t]*(?:`{3,}|~{3,})[^\n`]*$/gm;
const HEADINGS = /^[ \t]{0,3}#{1,6}[ \t]+/gm;
/** `| --- | :-: |`, and `---` between paragraphs. */
const RULES = /^[ \t|:*_-]{3,}$/gm;
const LIST_MARKS = /^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+/gm;
const QUOTE_MARKS = /^[ \t]*>+[ \t]?/gm;
const EMPHASIS = /(?<!\\)(?:\*{1,3}|~~|`+)|(?<![\p{L}\p{N}\\])_{1,3}|(?<!\\)_{1,3}(?![\p{L}\p{N}])/gu;
const ESCAPES = /\\([!-/:-@[-`{-~])/g;
const CELLS = /(?<!\\)\|/g;

export function plainText(markdown: string): string {
  return (
    markdown
      // A linked image is a link inside of a link.
      .replace(LINKS, '$1')
      .replace(LINKS, '$1')
      .replace(FENCES, '')
      .replace(RULES, '')
      .replace(HEADINGS, '')
      .replace(QUOTE_MARKS, '')
      .replace(LIST_MARKS, '')
      .replace(CELLS, ' ')
      .replace(EMPHASIS, '')
      .replace(ESCAPES, '$1')
      .replace(/[ \t]+/g, ' ')
      .replace(/ ?\n ?/g, '\n')
      .replace(/\n{2,}/g, '\n\n')
      .trim()
  );
}

/** Signs that the parser of Postgres reads more into than words: tags, paths. */
const READ_INTO = /[<>/\\]/g;

/**
 * A text, or a query, as it goes to Postgres: in small letters, since a database in the C locale knows only those of ASCII, and
 * without signs that would make one word of several. Of the same length, so that places in it are places in the text.
 */
export function searchable(text: string): string {
  const lower = text.toLowerCase();
  const small = lower.length === text.length ? lower : Array.from(text, smallLetter).join('');
  return small.replace(READ_INTO, ' ');
}

/** İ becomes two in small letters, and stays as it is. */
function smallLetter(letter: string): string {
  const lower = letter.toLowerCase();
  return lower.length === letter.length ? lower : letter;
}
