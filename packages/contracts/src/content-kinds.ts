/**
 * What kinds of content are read, and how they are told: by the type a server names, or by the body where it names none. Shared by who
 * asks for pages and who reads them. Which characters a body has and what it says is not known here.
 */
import { isUtf8 } from 'node:buffer';

export type ContentKind = 'html' | 'markdown' | 'text' | 'json' | 'pdf';

const KINDS: ReadonlyMap<string, ContentKind> = new Map([
  ['text/html', 'html'],
  ['application/xhtml+xml', 'html'],
  ['text/plain', 'text'],
  ['text/markdown', 'markdown'],
  ['text/x-markdown', 'markdown'],
  ['application/json', 'json'],
  ['text/json', 'json'],
  ['application/pdf', 'pdf'],
  ['application/x-pdf', 'pdf'],
]);

/** As much as the WHATWG sniffing standard looks at, roughly. */
const SNIFFED_BYTES = 1024;

/** Tags a document without a type begins with; the list of the WHATWG sniffing standard and a few of today's. */
const HTML_START =
  /^<(?:!--|(?:!doctype html|html|head|body|title|meta|link|base|script|style|iframe|main|article|header|nav|section|h[1-6]|div|font|table|a|b|br|p)[\s/>])/i;
const XHTML_START = /^<\?xml.*<html[\s>]/is;
const UTF16_MARK = /^(?:\xff\xfe|\xfe\xff)/;
const ANY_MARK = /^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)/;
const PDF_START = '%PDF-';
/** No text has these: the white space of ASCII and the escape of Japanese mail are not among them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is about control characters
const BINARY = /[\x00-\x08\x0e-\x1a\x1c-\x1f]/;

/** The type without its parameters, in lower case; null where the header names none. */
export function mediaTypeOf(contentType: string | null): string | null {
  return contentType?.split(/[;,]/, 1)[0]?.trim().toLowerCase() || null;
}

/** Null for a type that is not read. */
export function kindOfType(mediaType: string): ContentKind | null {
  return KINDS.get(mediaType) ?? (mediaType.endsWith('+json') ? 'json' : null);
}

/** The kind of a body whose server names no type; null for what is nothing that is read. */
export function kindOfBody(body: Buffer): ContentKind | null {
  const start = body.toString('latin1', 0, SNIFFED_BYTES);
  // Zero bytes go so that UTF-16 is recognised too; byte order marks appear as their Latin-1 letters.
  const markup = start.replaceAll('\0', '').replace(ANY_MARK, '').trimStart();
  if (HTML_START.test(markup) || XHTML_START.test(markup)) return 'html';
  if (start.startsWith(PDF_START)) return 'pdf';
  if (UTF16_MARK.test(start)) return 'text';
  return body.length > 0 && !BINARY.test(start) && isUtf8(body) ? 'text' : null;
}
