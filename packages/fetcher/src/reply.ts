/** What a fetch can come to, as types and the one function that words a failure. Knows nothing of undici. */
import type { UrlErrorCode } from '@trawl/contracts';

export interface FetchError {
  readonly code: UrlErrorCode;
  /** A sentence for people. */
  readonly message: string;
  /** May the same URL succeed later? */
  readonly retryable: boolean;
}

interface Page {
  readonly kind: 'page';
  readonly status: number;
  /** Decompressed; may be a view of a larger buffer. */
  readonly body: Buffer;
  readonly contentType: string | null;
  /** Length of the decompressed body. */
  readonly bytes: number;
  /** When the server says it answered, if its clock is within 15 minutes of ours; else our own time. */
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
  /** How long the server asks us to stay away; only with a retryable HTTP status. */
  readonly retryAfterMs: number | null;
}

export type Outcome = Page | Redirect | Failure;

/** How long it took, from the call to the last byte that was wanted. */
interface Timed {
  readonly elapsedMs: number;
}
export type FetchReply = (Page & Timed) | (Redirect & Timed) | (Failure & Timed);

/** Everything but what is listed here would fail in the same way again. */
const RETRYABLE: ReadonlySet<UrlErrorCode> = new Set<UrlErrorCode>([
  'CONNECTION_FAILED',
  'DNS_UNAVAILABLE',
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
  return { kind: 'failed', status, error: { code, message, retryable: isRetryable(code) }, retryAfterMs };
}
