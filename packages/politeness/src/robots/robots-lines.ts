/**
 * The lines of a robots.txt: text in, directives with their line numbers out. Cuts what is too long, forgives the slips that
 * Google's parser forgives. Does not know about groups, nor what a value means.
 */

/** RFC 9309 2.5 asks a crawler to read at least this much. What is beyond is ignored. */
export const MAX_ROBOTS_BYTES = 500 * 1024;

/** Eight times the longest URL that browsers took for long; Google cuts at about the same. */
const MAX_LINE_CHARS = 16 * 1024;

type DirectiveName = 'user-agent' | 'allow' | 'disallow' | 'crawl-delay' | 'sitemap';

export interface Directive {
  readonly name: DirectiveName;
  readonly value: string;
  readonly line: number;
}

/** What a name may begin with. Google compares beginnings too, so that `Disallowed:` counts; the misspellings are its own. */
const NAMES: readonly (readonly [string, DirectiveName])[] = [
  ['disallow', 'disallow'],
  ['allow', 'allow'],
  ['user-agent', 'user-agent'],
  ['useragent', 'user-agent'],
  ['user agent', 'user-agent'],
  ['sitemap', 'sitemap'],
  ['site-map', 'sitemap'],
  ['crawl-delay', 'crawl-delay'],
  ['crawldelay', 'crawl-delay'],
  ['crawl delay', 'crawl-delay'],
  ['dissallow', 'disallow'],
  ['dissalow', 'disallow'],
  ['disalow', 'disallow'],
  ['diasllow', 'disallow'],
  ['disallaw', 'disallow'],
];
const LONGEST_NAME = 16;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** A byte order mark, whole, cut short (decoded to U+FFFD), or decoded as Latin-1. */
const BYTE_ORDER_MARK = /^(?:\uFEFF|\uFFFD|ï»¿)/;

/** Soft 404s. Read as lines they could only give rules by accident, say from an article about robots.txt. */
const MARKUP = /^\s*<(?:!doctype|html|head|body|\?xml)\b/i;

export function readDirectives(text: string): Directive[] {
  const kept = cut(text).replace(BYTE_ORDER_MARK, '');
  if (MARKUP.test(kept)) return [];
  const directives: Directive[] = [];
  let line = 0;
  let start = 0;
  // By hand: splitting by a RegExp takes ten times as long on a file of bare line ends.
  for (let at = 0; at <= kept.length; at += 1) {
    const code = at === kept.length ? LINE_FEED : kept.charCodeAt(at);
    if (code !== LINE_FEED && code !== CARRIAGE_RETURN) continue;
    line += 1;
    const directive = at === start ? null : readLine(kept.slice(start, at), line);
    if (directive !== null) directives.push(directive);
    if (code === CARRIAGE_RETURN && kept.charCodeAt(at + 1) === LINE_FEED) at += 1;
    start = at + 1;
  }
  return directives;
}

/** A line that the cut went through is dropped: half of `Disallow: /private` would be `Disallow: /`. */
function cut(text: string): string {
  if (text.length * 3 < MAX_ROBOTS_BYTES) return text;
  const bytes = Buffer.from(text.slice(0, MAX_ROBOTS_BYTES), 'utf8');
  // Exactly the limit is what a caller hands over who cut it himself; less the byte order mark, if his decoder took it.
  if (bytes.length < MAX_ROBOTS_BYTES - 3) return text;
  const kept = bytes.subarray(0, MAX_ROBOTS_BYTES);
  return kept.toString('utf8', 0, Math.max(kept.lastIndexOf('\n'), kept.lastIndexOf('\r')) + 1);
}

function readLine(raw: string, line: number): Directive | null {
  const limited = raw.length > MAX_LINE_CHARS ? raw.slice(0, MAX_LINE_CHARS) : raw;
  const comment = limited.indexOf('#');
  const content = trimBlank(comment === -1 ? limited : limited.slice(0, comment));
  if (content === '') return null;
  const colon = content.indexOf(':');
  if (colon !== -1) {
    const name = nameOf(content.slice(0, colon));
    return name === null ? null : { name, value: trimBlank(content.slice(colon + 1)), line };
  }
  // `Disallow /x`: a blank instead of the colon will do, if there are exactly two words. More is prose.
  const words = content.split(/[ \t]+/, 3);
  const name = words.length === 2 ? nameOf(words[0] ?? '') : null;
  return name === null ? null : { name, value: words[1] ?? '', line };
}

function nameOf(text: string): DirectiveName | null {
  const lowered = trimBlank(text.slice(0, LONGEST_NAME)).toLowerCase();
  for (const [beginning, name] of NAMES) if (lowered.startsWith(beginning)) return name;
  return null;
}

/** Blanks and control characters, NUL included. Not `trim`: that also takes a byte order mark, which is garbage further down. */
function trimBlank(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && text.charCodeAt(start) <= 0x20) start += 1;
  while (end > start && text.charCodeAt(end - 1) <= 0x20) end -= 1;
  return text.slice(start, end);
}
