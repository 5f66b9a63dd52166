/**
 * Foreign errors (Node's sockets, DNS, TLS, undici) in Trawl's words, in this one place. What is not the doing of a
 * server or a network (a bad argument, a closed fetcher, no file descriptors left) is not translated: it is thrown.
 */
import type { UrlErrorCode } from '@trawl/contracts';
import { type Failure, failure } from './reply.ts';

/** How far a request got: waiting for a connection, for the head of the answer, or for the rest of its body. */
export type Phase = 'connect' | 'headers' | 'body';

const CLOSED_EARLY = 'The server closed the connection before the answer was complete.';
const NO_ANSWER = 'The server closed the connection without an answer.';

/** Codes of what broke on our side. */
const OURS: ReadonlySet<string> = new Set([
  'EMFILE',
  'ENFILE',
  'ERR_ASSERTION',
  'ERR_INVALID_ARG_TYPE',
  'ERR_INVALID_ARG_VALUE',
  'UND_ERR_CLOSED',
  'UND_ERR_DESTROYED',
  'UND_ERR_INVALID_ARG',
  'UND_ERR_NOT_SUPPORTED',
]);

const UNREACHABLE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The server refused the connection.',
  EHOSTUNREACH: 'No way to the server was found.',
  ENETUNREACH: 'No way to the server was found.',
};

/** Codes of OpenSSL and Node, the first match counts. */
const TLS_FAILURES: readonly (readonly [RegExp, UrlErrorCode, string])[] = [
  [/^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/, 'TLS_CERT_EXPIRED', 'The certificate of the server is not valid at this time'],
  [
    /^(ERR_TLS_CERT_ALTNAME|(HOSTNAME|IP_ADDRESS)_MISMATCH$)/,
    'TLS_NAME_MISMATCH',
    'The certificate of the server is for another name',
  ],
  [
    /^(CERT_(?!SIGNATURE_ALGORITHM)|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_(GET_ISSUER|VERIFY)|INVALID_(CA|PURPOSE)|PATH_LENGTH)/,
    'TLS_CERT_UNTRUSTED',
    'The certificate of the server is not vouched for by anyone who is trusted',
  ],
  [/^(ERR_(TLS|SSL|OSSL)|CERT_|CRL_|UNABLE_TO_|ERROR_IN_C|EPROTO)/, 'TLS_FAILED', 'No secure connection could be made'],
];

/** The failure an error stands for, or null if nothing outside this process is to blame. */
export function networkFailure(error: Error, phase: Phase, status: number | null): Failure | null {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (error.name === 'HTTPParserError') return parserFailure(error, phase, status);
  if (typeof code !== 'string' || OURS.has(code)) return null;
  if (code === 'PRIVATE_ADDRESS' || code === 'PROXY_FAILED' || code === 'PROXY_REFUSED')
    return failure(code, error.message, null);
  if (code === 'ENOTFOUND' || code === 'ENODATA')
    return failure('DNS_NOT_FOUND', 'The host name does not exist in DNS.', null);
  if (code.startsWith('EAI_') || code === 'ESERVFAIL' || syscall === 'getaddrinfo')
    return failure('DNS_UNAVAILABLE', `The host name could not be looked up (${code}).`, null);
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || (code === 'ETIMEDOUT' && phase === 'connect'))
    return timeoutFailure('connect', null);
  const tls = TLS_FAILURES.find(([codes]) => codes.test(code));
  if (tls !== undefined) return failure(tls[1], `${tls[2]} (${code}).`, status);
  if (code === 'UND_ERR_HEADERS_OVERFLOW')
    return failure('HTTP_PROTOCOL', 'The head of the answer is larger than is accepted.', status);
  if (code === 'ANSWER_TOO_LONG')
    return failure('HTTP_PROTOCOL', 'The server sends far more than its answer can need.', status);
  // undici's word for an answer of status 100 or 101 that nobody asked for is the message, not a code.
  if (code === 'UND_ERR_SOCKET' && error.message.startsWith('bad ')) return malformedAnswer(status);
  // Whatever the parser refuses after a Content-Length, undici calls a mismatch; within the head that can't be one.
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' && phase === 'headers') return malformedAnswer(status);
  if (phase === 'body') return failure('CONNECTION_FAILED', CLOSED_EARLY, status);
  if (phase === 'headers') return failure('CONNECTION_FAILED', NO_ANSWER, status);
  return failure('CONNECTION_FAILED', UNREACHABLE[code] ?? `No connection could be made (${code}).`, status);
}

/** undici's parser errors have no usable code (8.12 leaves it undefined), so they are told by name and message. */
function parserFailure(error: Error, phase: Phase, status: number | null): Failure {
  // An answer without an end is what a parser sees of a connection that broke.
  if (error.message.includes('Invalid EOF state'))
    return failure('CONNECTION_FAILED', phase === 'body' ? CLOSED_EARLY : NO_ANSWER, status);
  return malformedAnswer(status);
}

export const malformedAnswer = (status: number | null): Failure =>
  failure('HTTP_PROTOCOL', 'The server sent something that is not a valid HTTP answer.', status);

/** The failure of a request that ran out of time. */
export function timeoutFailure(phase: Phase, status: number | null): Failure {
  switch (phase) {
    case 'connect':
      return failure('TIMEOUT_CONNECT', 'No connection to the server could be made in time.', status);
    case 'headers':
      return failure('TIMEOUT_HEADERS', 'The server did not begin to answer in time.', status);
    case 'body':
      return failure('TIMEOUT_BODY', 'The server began to answer but did not finish in time.', status);
  }
}
