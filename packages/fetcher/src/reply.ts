/** What a fetch can come to, as types and the one function that words a failure. Knows nothing of undici. */
import type { UrlErrorCode } from '@trawl/contracts';

export interface FetchError {
  readonly code: UrlErrorCode;
  /** A sentence for people. */
  readonly message: string;
  /** May the same URL succeed later? */
  readonly retryable: boolean;
}

/** What a server names an answer by, as it sent it. */
export interface Validators {
  readonly etag: string | null;
  readonly lastModified: string | null;
}

export interface Page extends Validators {
  readonly kind: 'page';
  readonly status: number;
  /** Decompressed; may be a view of a larger buffer. */
  readonly body: Buffer;
  readonly contentType: string | null;
  /** Length of the decompressed body. */
  readonly bytes: number;
  /** When the server says it answered, if its clock is within 15 minutes of ours; else our own time. */
  readonly date: Date;
  /** Raw values of the X-Robots-Tag headers: at most 20, each of at most 500 characters. */
  readonly robotsTags: readonly string[];
  /** The head as it was sent; only where it was asked for. */
  readonly head?: AnswerHead;
}

export interface AnswerHead {
  readonly statusText: string;
  /** In the order and spelling of the server, those of the transport included. At most 64 KiB. */
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** 304 to a request that said what is known: the page is as it was. */
export interface Unchanged extends Validators {
  readonly kind: 'unchanged';
  readonly status: 304;
  readonly date: Date;
}

/** The end of a body that was handed out as it came. */
export interface Streamed {
  readonly kind: 'streamed';
  readonly status: number;
  /** Handed out, after decompression. */
  readonly bytes: number;
  /** Was it cut, at `maxBytes` or because the reader had enough? */
  readonly truncated: boolean;
  readonly contentType: string | null;
}

export interface Text {
  readonly kind: 'text';
  readonly status: number;
  /** Decompressed, at most `maxBytes`; may be a view of a larger buffer. */
  readonly body: Buffer;
  /** Was there more than `maxBytes`? */
  readonly truncated: boolean;
  readonly contentType: string | null;
  /** As of a page. */
  readonly date: Date;
}

export interface Redirect {
  readonly kind: 'redirect';
  readonly status: number;
  /** Absolute http(s) URL without credentials and fragment. */
  readonly location: string;
}

export interface Failure {
  readonly kind: 'failed';
  /** Null when no answer came. */
  readonly status: number | null;
  readonly error: FetchError;
  /** What the content is, where it is for that it was refused. */
  readonly contentType: string | null;
  /** How long the server asks us to stay away; only with a retryable HTTP status. */
  readonly retryAfterMs: number | null;
  /** It came by way of a proxy that may have said or broken it itself: nothing was learned of the host. */
  readonly mayBeProxys?: true;
}

interface Timed {
  /** How long it took, from the call to the last byte that was wanted. */
  readonly elapsedMs: number;
  /** From the sending of the request, once connected, to the head of the answer; null if none came. */
  readonly headMs: number | null;
}

/** What comes back from a request for a `Wanted`. */
export type Reply<Wanted> = (Wanted | Redirect | Failure) & Timed;
export type FetchReply = Reply<Page | Unchanged>;
export type TextReply = Reply<Text>;
export type StreamReply = Reply<Streamed>;

/** Everything but what is listed here would fail in the same way again. */
const RETRYABLE: ReadonlySet<UrlErrorCode> = new Set<UrlErrorCode>([
  'CONNECTION_FAILED',
  'DNS_UNAVAILABLE',
  'PROXY_FAILED',
  'TIMEOUT_BODY',
  'TIMEOUT_CONNECT',
  'TIMEOUT_HEADERS',
  'HTTP_429',
  'HTTP_500',
  'HTTP_501',
  'HTTP_502',
  'HTTP_503',
  'HTTP_504',
]);

export const isRetryable = (code: UrlErrorCode): boolean => RETRYABLE.has(code);

export function failure(
  code: UrlErrorCode,
  message: string,
  status: number | null,
  retryAfterMs: number | null = null,
): Failure {
  return {
    kind: 'failed',
    status,
    error: { code, message, retryable: isRetryable(code) },
    contentType: null,
    retryAfterMs,
  };
}
