/**
 * Every error answer of the API: one table of kinds, one shape (RFC 9457). Which error is which kind is decided
 * by the handler that meets it, or for thrown ones by `failures.ts`.
 */
import type { Problem } from '@trawl/contracts';
import type { Context } from 'hono';

const PROBLEMS = {
  BAD_REQUEST: { status: 400, title: 'The request is not valid' },
  UNAUTHORIZED: { status: 401, title: 'An API key is needed' },
  NOT_FOUND: { status: 404, title: 'Not found' },
  METHOD_NOT_ALLOWED: { status: 405, title: 'Method not allowed' },
  CONFLICT: { status: 409, title: 'The current state does not allow this' },
  RUN_IN_PROGRESS: { status: 409, title: 'A run of this source is not finished' },
  BODY_TOO_LARGE: { status: 413, title: 'The request body is too large' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, title: 'The request body is not JSON' },
  IDEMPOTENCY_KEY_REUSED: { status: 422, title: 'The Idempotency-Key belongs to another request' },
  INTERNAL: { status: 500, title: 'Something broke' },
  DEPENDENCY_UNAVAILABLE: { status: 503, title: 'A service this needs is unavailable' },
  NOT_READY: { status: 503, title: 'Not ready' },
} as const;
export type ProblemKind = keyof typeof PROBLEMS;
type StatusOf<K extends ProblemKind> = (typeof PROBLEMS)[K]['status'];

export const PROBLEM_TYPE = 'application/problem+json';

/** A client that comes back after this many seconds probably finds Redis or Postgres restarted. */
const RETRY_AFTER_SECONDS = '5';

interface ProblemOptions {
  readonly errors?: readonly { path: string; message: string }[];
  readonly instance?: string;
  /** The run the problem is about. */
  readonly runId?: string;
  readonly headers?: Record<string, string>;
}

export function problem<K extends ProblemKind>(c: Context, kind: K, detail: string, options: ProblemOptions = {}) {
  const status: StatusOf<K> = PROBLEMS[kind].status;
  return c.json(problemBody(kind, detail, options), status, {
    'Content-Type': PROBLEM_TYPE,
    ...(PROBLEMS[kind].status === 503 ? { 'Retry-After': RETRY_AFTER_SECONDS } : {}),
    ...options.headers,
  });
}

/** The body alone, for the few places without a Hono context. */
export function problemBody(kind: ProblemKind, detail: string, options: ProblemOptions = {}): Problem {
  return {
    type: `urn:trawl:problem:${kind.toLowerCase().replaceAll('_', '-')}`,
    title: PROBLEMS[kind].title,
    status: PROBLEMS[kind].status,
    detail,
    code: kind,
    ...(options.instance === undefined ? {} : { instance: options.instance }),
    ...(options.errors === undefined ? {} : { errors: [...options.errors] }),
    ...(options.runId === undefined ? {} : { runId: options.runId }),
  };
}

export function badCursor(c: Context) {
  const message = 'is not a cursor that this list gave out';
  return problem(c, 'BAD_REQUEST', `The query is not valid: cursor: ${message}`, {
    errors: [{ path: 'cursor', message }],
  });
}
