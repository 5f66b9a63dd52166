/**
 * What the head of an answer means to a crawler: a page to read, a redirect, or a failure. Pure; reads no body.
 *
 *   200, 201, 202, 203 …     a page, if the type is one that is read, or absent (then the body decides)
 *   204, 205                 failed UNSUPPORTED_TYPE: no content by definition
 *   206                      failed HTTP_206: a part of a page, though no part was asked for
 *   301 302 303 307 308      a redirect, or failed REDIRECT_INVALID
 *   429, 500–504             failed HTTP_<n>, retryable, with the server's Retry-After
 *   anything else            failed HTTP_<n>, for good
 */
import { STATUS_CODES } from 'node:http';
import { kindOfType, mediaTypeOf } from '@trawl/contracts';
import { type Encodings, maxEncodedBytes, parseEncodings } from './decode.ts';
import { type Failure, failure, isRetryable, type Redirect, type Validators } from './reply.ts';

export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** What an answer's head says beyond its status and the headers by name. */
export interface RawHead {
  readonly statusText: string;
  /** Names and values in turn, as undici has them. */
  readonly rawHeaders: Buffer[] | string[] | Headers | null;
}

export interface ReadableAnswer {
  readonly kind: 'readable';
  readonly contentType: string | null;
  readonly encodings: readonly string[];
  /** Most bytes to take from the wire. */
  readonly maxWireBytes: number;
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const MAX_CLOCK_SKEW_MS = 15 * 60_000;
const MAX_ROBOTS_TAGS = 20;
const MAX_ROBOTS_TAG_CHARS = 500;
const NO_TAGS: readonly string[] = [];

export function readHead(
  status: number,
  headers: Headers,
  url: URL,
  maxBodyBytes: number,
): ReadableAnswer | Redirect | Failure {
  const refusal = readRefusal(status, headers, url);
  if (refusal !== null) return refusal;
  if (isWithoutContent(status)) return unsupported(`The server answered ${named(status)}.`, status, headers);
  if (status === 206) return readFailure(status, headers);

  const contentType = contentTypeOf(headers);
  const mediaType = mediaTypeOf(contentType);
  if (mediaType !== null && kindOfType(mediaType) === null)
    return unsupported(`The content is ${mediaType.slice(0, 100)}, which is not read.`, status, headers);

  const encodings = encodingsOf(headers);
  if (encodings.kind === 'unknown') return failure('DECODE_FAILED', encodings.problem, status);
  const maxWireBytes = encodings.names.length === 0 ? maxBodyBytes : maxEncodedBytes(maxBodyBytes);
  if (announcedBytes(headers) > maxWireBytes) return bodyTooLarge(maxBodyBytes, status);
  return { kind: 'readable', contentType, encodings: encodings.names, maxWireBytes };
}

/** What an answer comes to that carries nothing of the kind that was asked for: all but 2xx. Null for 2xx. */
export function readRefusal(status: number, headers: Headers, url: URL): Redirect | Failure | null {
  if (status >= 200 && status <= 299) return null;
  return REDIRECTS.has(status) ? readRedirect(status, one(headers.location), url) : readFailure(status, headers);
}

/** 204 and 205 have no content by definition. */
export const isWithoutContent = (status: number): boolean => status === 204 || status === 205;

export const contentTypeOf = (headers: Headers): string | null => one(headers['content-type'])?.trim() || null;

export const encodingsOf = (headers: Headers): Encodings => parseEncodings(all(headers['content-encoding']));

/** As the server sent them, where they can be sent back: printable, and not absurdly long. */
export function validatorsOf(headers: Headers): Validators {
  return { etag: sendable(one(headers.etag)), lastModified: sendable(one(headers['last-modified'])) };
}

const MAX_VALIDATOR_CHARS = 500;
const sendable = (value: string | null): string | null =>
  value !== null && value.length <= MAX_VALIDATOR_CHARS && /^[\x21-\x7e][\x20-\x7e]*$/.test(value) ? value : null;

/** Raw values, bounded: a head may have thousands, and each is kept with its page. */
export function robotsTagsOf(headers: Headers): readonly string[] {
  const value = headers['x-robots-tag'];
  if (value === undefined) return NO_TAGS;
  const tags = typeof value === 'string' ? [value] : value.slice(0, MAX_ROBOTS_TAGS);
  return tags.map((tag) => tag.slice(0, MAX_ROBOTS_TAG_CHARS));
}

/** Content that is not read. Its type is kept, so that people see what there is. */
export const unsupported = (message: string, status: number, headers: Headers): Failure => ({
  ...failure('UNSUPPORTED_TYPE', message, status),
  contentType: contentTypeOf(headers)?.slice(0, MAX_TYPE_CHARS) ?? null,
});
const MAX_TYPE_CHARS = 200;

/** Names and values as they were sent; their bytes are Latin-1. Bounded again, as they are kept with the page. */
export function rawHeadersOf(raw: RawHead['rawHeaders']): readonly (readonly [string, string])[] {
  if (!Array.isArray(raw)) return [];
  const pairs: [string, string][] = [];
  let characters = 0;
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = latin1(raw[at]);
    const value = latin1(raw[at + 1]);
    characters += name.length + value.length;
    if (characters > MAX_RAW_CHARS) break;
    pairs.push([name, value]);
  }
  return pairs;
}
const MAX_RAW_CHARS = 64 * 1024;
const latin1 = (part: Buffer | string | undefined): string =>
  typeof part === 'string' ? part : (part?.toString('latin1') ?? '');

export const bodyTooLarge = (maxBodyBytes: number, status: number): Failure =>
  failure('BODY_TOO_LARGE', `The page is larger than the limit of ${maxBodyBytes} bytes.`, status);

/**
 * Each piece costs about a microsecond whatever its size, so chunks of one byte would make a page of ten megabytes cost
 * ten seconds. A server that flushes every line of a page of some megabytes stays below.
 */
export const MAX_PIECES = 100_000;
export const tooManyPieces = (status: number): Failure =>
  failure('BODY_TOO_LARGE', `The content comes in more than ${MAX_PIECES} pieces.`, status);

/** The length the server announced, 0 if none. */
export const announcedBytes = (headers: Headers): number => Number(one(headers['content-length']) ?? 0) || 0;

/** The server's Date if it is credible. */
export function answerDate(headers: Headers, now: number): Date {
  const sent = Date.parse(one(headers.date) ?? '');
  return new Date(Math.abs(sent - now) <= MAX_CLOCK_SKEW_MS ? sent : now);
}

function readRedirect(status: number, location: string | null, from: URL): Redirect | Failure {
  const invalid = (why: string) => failure('REDIRECT_INVALID', `The server answered ${named(status)} ${why}.`, status);
  if (location === null || location.trim() === '') return invalid('without saying where to');
  const target = URL.parse(utf8IfPossible(location), from.href);
  if (target === null) return invalid('with a target that is not a URL');
  if (target.protocol !== 'http:' && target.protocol !== 'https:')
    return invalid(`with a target of the scheme ${target.protocol.slice(0, 40)}`);
  if (target.username !== '' || target.password !== '') return invalid('with a target that carries credentials');
  target.hash = '';
  return { kind: 'redirect', status, location: target.href };
}

function readFailure(status: number, headers: Headers): Failure {
  const code = `HTTP_${status}` as const;
  const retryAfter = isRetryable(code) ? one(headers['retry-after']) : null;
  const message = `The server answered ${named(status)}.`;
  return failure(code, message, status, retryAfter === null ? null : retryAfterMs(retryAfter, headers, Date.now()));
}

function retryAfterMs(value: string, headers: Headers, now: number): number | null {
  if (/^\s*\d+\s*$/.test(value)) return Math.min(Number(value) * 1000, Number.MAX_SAFE_INTEGER);
  const at = Date.parse(value);
  // Counted by the server's clock where that is credible: it is the one the header was written by.
  return Number.isNaN(at) ? null : Math.max(0, at - answerDate(headers, now).getTime());
}

/** Header values arrive as Latin-1; a target with raw letters beyond ASCII nearly always meant UTF-8. */
function utf8IfPossible(value: string): string {
  const bytes = Buffer.from(value, 'latin1');
  const decoded = bytes.toString('utf8');
  return decoded.includes('\ufffd') ? value : decoded;
}

const named = (status: number): string =>
  STATUS_CODES[status] === undefined ? `${status}` : `${status} (${STATUS_CODES[status]})`;

const one = (value: string | string[] | undefined): string | null => (Array.isArray(value) ? value[0] : value) ?? null;

const all = (value: string | string[] | undefined): string => (Array.isArray(value) ? value.join(',') : (value ?? ''));
