/** One error type, and the stable codes a client may rely on. `docs/errors.md` explains each. */

/** What can go wrong with one URL. `HTTP_<status>` stands beside these for a plain HTTP answer. */
export const URL_ERROR_CODES = [
  'ACCESS_UNREADABLE',
  'ADDRESS_INVALID',
  'BODY_TOO_LARGE',
  'CONNECTION_FAILED',
  'DECODE_FAILED',
  'DNS_NOT_FOUND',
  'DNS_UNAVAILABLE',
  'HOST_UNAVAILABLE',
  'HTTP_PROTOCOL',
  'LOST',
  'PDF_UNREADABLE',
  'PRIVATE_ADDRESS',
  'PROCESS_FAILED',
  'PROXY_FAILED',
  'PROXY_REFUSED',
  'REDIRECTED',
  'REDIRECT_INVALID',
  'REDIRECT_LOOP',
  'RENDER_CRASHED',
  'RENDER_FAILED',
  'RENDER_TIMEOUT',
  'RENDER_TOO_LARGE',
  'RENDER_UNAVAILABLE',
  'ROBOTS_DISALLOWED',
  'ROBOTS_NOINDEX',
  'ROBOTS_UNREACHABLE',
  'RUN_CANCELLED',
  'TIMEOUT_BODY',
  'TIMEOUT_CONNECT',
  'TIMEOUT_HEADERS',
  'TLS_CERT_EXPIRED',
  'TLS_CERT_UNTRUSTED',
  'TLS_FAILED',
  'TLS_NAME_MISMATCH',
  'UNSUPPORTED_TYPE',
] as const;
export type UrlErrorCode = (typeof URL_ERROR_CODES)[number] | `HTTP_${number}`;

/** The fault of a source's own proxy: it says nothing of the host. */
export const isProxyFault = (code: string): boolean => code.startsWith('PROXY_');

export const ERROR_CODES = [
  'BAD_REQUEST',
  'CONFIG_INVALID',
  'CONFLICT',
  'DEPENDENCY_UNAVAILABLE',
  'NOT_FOUND',
  'START_FAILED',
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

/** Why one URL failed or was skipped, as it is kept and shown. */
export interface UrlError {
  readonly code: UrlErrorCode;
  readonly message: string;
  readonly retryable: boolean;
  readonly attempts: number;
}

export class TrawlError extends Error {
  override readonly name = 'TrawlError';
  readonly code: ErrorCode;
  readonly retryable: boolean;
  /** Ids and numbers; no bodies, no secrets. */
  readonly context: Record<string, unknown>;

  constructor(
    code: ErrorCode,
    message: string,
    options: { retryable: boolean; context?: Record<string, unknown>; cause?: unknown },
  ) {
    super(message, { cause: options.cause });
    this.code = code;
    this.retryable = options.retryable;
    this.context = options.context ?? {};
  }
}
