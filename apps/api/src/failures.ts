/**
 * What the API answers when something threw: the one place where thrown errors become problems. Expected refusals
 * never come here; handlers answer those themselves.
 */
import { randomUUID } from 'node:crypto';
import { TrawlError } from '@trawl/contracts';
import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { problem } from './problem.ts';

export interface FailureLog {
  info(context: object, message: string): void;
  warn(context: object, message: string): void;
  error(context: object, message: string): void;
}

export function answerFailure(log: FailureLog): (error: Error, c: Context) => Response {
  return (error, c) => {
    if (error instanceof HTTPException && error.status < 500)
      return problem(c, error.status === 415 ? 'UNSUPPORTED_MEDIA_TYPE' : 'BAD_REQUEST', error.message);
    const request = { method: c.req.method, path: c.req.path };
    if (isDependencyDown(error)) {
      log.warn({ ...request, err: error }, 'a dependency is unavailable');
      return problem(c, 'DEPENDENCY_UNAVAILABLE', 'Redis or Postgres does not answer. The request may be repeated.');
    }
    const id = randomUUID();
    log.error({ ...request, err: error, failureId: id }, 'a request failed unexpectedly');
    return problem(c, 'INTERNAL', 'The failure was logged under the id in "instance".', {
      instance: `urn:uuid:${id}`,
    });
  };
}

/** Codes of Node's sockets, of postgres.js and of Postgres itself that mean "not now" rather than "wrong". */
const DOWN_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'CONNECT_TIMEOUT',
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  '53300',
  '57014',
  '57P01',
  '57P02',
  '57P03',
]);

/** ioredis has no codes for its own refusals, and Redis puts the kind in front of the message. */
const REDIS_DOWN =
  /^(Connection is closed|Stream isn't writeable|Command timed out|Reached the max retries per request|(LOADING|READONLY|MASTERDOWN|CLUSTERDOWN|MISCONF|NOREPLICAS|TRYAGAIN|OOM|BUSY) )/;

export function isDependencyDown(error: unknown): boolean {
  // Drizzle and our own packages wrap what they met, so the cause may sit a few levels down.
  for (let at = error, level = 0; at instanceof Error && level < 5; at = at.cause, level++) {
    if (at instanceof TrawlError && at.code === 'DEPENDENCY_UNAVAILABLE') return true;
    const code: unknown = 'code' in at ? at.code : undefined;
    if (typeof code === 'string' && (DOWN_CODES.has(code) || /^08\d{3}$/.test(code))) return true;
    if (REDIS_DOWN.test(at.message)) return true;
    if (at instanceof AggregateError && at.errors.some(isDependencyDown)) return true;
  }
  return false;
}
