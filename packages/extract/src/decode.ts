/**
 * Bytes of a page to characters: finds the encoding that is declared, or that the bytes show. Never throws: a wrong label costs a
 * few letters, not the page. Guessing where nothing is declared and the bytes are not UTF-8 is `guess-charset.ts`.
 */
import { guessCharset } from './guess-charset.ts';

/** How far the HTML standard looks for a `<meta>` that names the encoding. */
const META_WINDOW_BYTES = 1024;
/** Where the bytes are not UTF-8, a `<meta>` behind a long head is still better than a guess. */
const LATE_META_WINDOW_BYTES = 16 * 1024;
/** Longer tags are not looked at further: unclosed quotes would make each of them cost the whole window. */
const MAX_META_CHARACTERS = 1000;

const LABEL = String.raw`["']?\s*([\w.:-]+)`;
const IN_CONTENT_TYPE = new RegExp(String.raw`;\s*charset\s*=\s*${LABEL}`, 'i');
const IN_META_CONTENT = new RegExp(String.raw`charset\s*=\s*${LABEL}`, 'i');
const META = /^<meta[\s/]((?:[^>"']|"[^"]*"|'[^']*')*)/i;
const ATTRIBUTE = /([a-z-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi;
const XML_DECLARATION = /^\s*<\?xml\s[^>]*?encoding\s*=\s*["']\s*([\w.:-]+)/;
const XML_TYPE = /^\s*application\/xhtml\+xml\b/i;

export interface DecodedHtml {
  readonly html: string;
  /** The encoding used, under its standard name. */
  readonly charset: string;
}

export interface DecodedText {
  readonly text: string;
  readonly charset: string;
}

/**
 * The encoding is that of the byte order mark, else of the Content-Type header, else of a `<meta>` near the start or an XML
 * declaration, else what the bytes show: UTF-16 by its zeros, UTF-8 if they are valid, else a late `<meta>`, else a guess. A
 * label nobody knows is passed over. A declared encoding is used though some bytes do not fit it, as browsers do: each of those
 * becomes U+FFFD.
 */
export function decodeHtml(body: Uint8Array, contentType: string | null): DecodedHtml {
  const isXml = contentType !== null && XML_TYPE.test(contentType);
  const { text, charset } = decode(body, contentType, (bytes) => markupLabel(bytes, isXml));
  return { html: text, charset };
}

/** The same for what is no markup. */
export function decodeText(body: Uint8Array, contentType: string | null): DecodedText {
  return decode(body, contentType, null);
}

type MarkupLabel = (window: string) => string | null;

function decode(body: Uint8Array, contentType: string | null, inMarkup: MarkupLabel | null): DecodedText {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const declared =
    labelOfMark(bytes) ??
    knownLabel(contentType === null ? undefined : IN_CONTENT_TYPE.exec(contentType)?.[1]) ??
    inMarkup?.(bytes.toString('latin1', 0, META_WINDOW_BYTES)) ??
    unmarkedUtf16(bytes);
  if (declared !== null) return decodeAs(bytes, declared);
  const utf8 = validUtf8(bytes);
  // Japanese mail's encoding is ASCII with escapes, so that it is valid UTF-8 too.
  if (utf8 !== null)
    return hasJapaneseEscape(bytes) ? decodeAs(bytes, 'iso-2022-jp') : { text: utf8, charset: 'utf-8' };
  const late = inMarkup?.(bytes.toString('latin1', 0, LATE_META_WINDOW_BYTES)) ?? null;
  return decodeAs(bytes, late ?? guessCharset(bytes, inMarkup !== null));
}

function decodeAs(body: Uint8Array, label: string): DecodedText {
  const decoder = new TextDecoder(label);
  return { text: decoder.decode(body), charset: decoder.encoding };
}

/** Null if the bytes are not UTF-8. Those that were cut off within their last character are, if they have others beyond ASCII. */
function validUtf8(bytes: Buffer): string | null {
  const cut = cutBytes(bytes);
  const whole = cut === 0 ? bytes : bytes.subarray(0, -cut);
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(whole);
    if (cut === 0) return text;
    return text.length < whole.length ? `${text}\ufffd` : null;
  } catch {
    return null;
  }
}

/** How many bytes at the end begin a character of UTF-8 that is not complete, after at least one that is. */
function cutBytes(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back < bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc2) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0;
  }
  return 0;
}

function labelOfMark(body: Buffer): string | null {
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf) return 'utf-8';
  if (body[0] === 0xff && body[1] === 0xfe) return 'utf-16le';
  if (body[0] === 0xfe && body[1] === 0xff) return 'utf-16be';
  return null;
}

/** Every other byte of ASCII letters in UTF-16 is zero; no other text has zeros, let alone in such places only. */
function unmarkedUtf16(body: Buffer): string | null {
  const pairs = Math.min(body.length, META_WINDOW_BYTES) >> 1;
  if (pairs < 4) return null;
  const zeros: [number, number] = [0, 0];
  for (let at = 0; at < 2 * pairs; at++) if (body[at] === 0) zeros[at & 1 ? 1 : 0] += 1;
  const [even, odd] = zeros;
  if (odd > pairs / 8 && even * 4 < odd) return 'utf-16le';
  if (even > pairs / 8 && odd * 4 < even) return 'utf-16be';
  return null;
}

function hasJapaneseEscape(body: Buffer): boolean {
  const at = body.indexOf('\x1b$');
  return at >= 0 && (body[at + 2] === 0x42 || body[at + 2] === 0x40);
}

/** Of a page whose start is read as Latin-1, in which the tags of every encoding that extends ASCII can be read. */
function markupLabel(window: string, isXml: boolean): string | null {
  const inDeclaration = (): string | null => knownMarkupLabel(XML_DECLARATION.exec(window)?.[1]);
  return isXml ? (inDeclaration() ?? metaLabel(window)) : (metaLabel(window) ?? inDeclaration());
}

function metaLabel(window: string): string | null {
  for (let at = window.indexOf('<'); at >= 0; at = window.indexOf('<', at)) {
    if (window.startsWith('<!--', at)) {
      const end = window.indexOf('-->', at + 2);
      if (end < 0) return null;
      at = end + 3;
      continue;
    }
    const attributes = META.exec(window.slice(at, at + MAX_META_CHARACTERS))?.[1];
    const label = attributes === undefined ? null : labelInMeta(attributes);
    if (label !== null) return label;
    at += 1;
  }
  return null;
}

function labelInMeta(source: string): string | null {
  const found = new Map<string, string>();
  for (const [, name = '', ...values] of source.matchAll(ATTRIBUTE)) {
    const value = values.find((v) => v !== undefined) ?? '';
    if (!found.has(name.toLowerCase())) found.set(name.toLowerCase(), value);
  }
  const charset = found.get('charset')?.trim();
  if (charset !== undefined) return knownMarkupLabel(charset);
  if (found.get('http-equiv')?.trim().toLowerCase() !== 'content-type') return null;
  return knownMarkupLabel(IN_META_CONTENT.exec(found.get('content') ?? '')?.[1]);
}

function knownMarkupLabel(label: string | undefined): string | null {
  const known = knownLabel(label);
  // A label of UTF-16 that can be read as ASCII is wrong: the standard takes such a page for UTF-8.
  return known?.startsWith('utf-16') ? 'utf-8' : known;
}

function knownLabel(label: string | undefined): string | null {
  if (label === undefined) return null;
  try {
    const { encoding } = new TextDecoder(label);
    // A trick of scripts to get at bytes: no page is written in it, and the standard reads those that say so like this.
    return encoding === 'x-user-defined' ? 'windows-1252' : encoding;
  } catch {
    // A RangeError is the only way to learn that a label is unknown.
    return null;
  }
}
