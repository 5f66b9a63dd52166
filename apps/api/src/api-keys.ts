/** Asks for an API key where keys are configured. Keys are equal: there are no users or permissions behind them. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Context, MiddlewareHandler } from 'hono';
import { problem } from './problem.ts';

const BEARER = /^Bearer +(\S+) *$/i;

type RefuseKey = (c: Context, detail: string) => Response | Promise<Response>;

const NO_KEY = 'Send "Authorization: Bearer <key>" or "X-API-Key: <key>".';
const asProblem: RefuseKey = (c, detail) => problem(c, 'UNAUTHORIZED', detail);

/** With no keys, every request passes; the start refuses that on an address others can reach (`env.ts`). */
export function requireApiKey(keys: readonly string[], refuse: RefuseKey = asProblem): MiddlewareHandler {
  const known = keys.map(digest);
  return async (c, next) => {
    if (known.length === 0) return next();
    const given = givenKey(c);
    if (given === undefined || !isKnown(digest(given), known)) {
      c.header('WWW-Authenticate', 'Bearer');
      return refuse(c, given === undefined ? NO_KEY : 'The API key is not known.');
    }
    return next();
  };
}

/** The key a request carries, checked or not. */
export function givenKey(c: Context): string | undefined {
  return c.req.header('x-api-key') ?? BEARER.exec(c.req.header('authorization') ?? '')?.[1];
}

/** Digests have one length, and all are compared: neither a key's length nor its place in the list shows in the time. */
function isKnown(given: Buffer, known: readonly Buffer[]): boolean {
  let found = false;
  for (const key of known) found = timingSafeEqual(given, key) || found;
  return found;
}

const digest = (key: string): Buffer => createHash('sha256').update(key).digest();
