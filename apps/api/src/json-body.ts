/**
 * Reads a JSON request body within bounds, before anything parses it further: size, encoding, nesting, and text that
 * Postgres can't keep. Whether the value is a good request is the route schema's business.
 */
import type { Context, MiddlewareHandler } from 'hono';
import { problem } from './problem.ts';

/** A run's configuration nests 3 deep; far more is an attack on whoever recurses. */
const MOST_LEVELS = 32;

const JSON_TYPE = /^application\/([a-z.-]+\+)?json\s*(;|$)/i;

/** How a body is refused that is none; as a problem, unless the address has a shape of its own. */
export type RefuseBody = (
  c: Context,
  kind: 'BAD_REQUEST' | 'BODY_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE',
  detail: string,
  o?: { readonly errors?: readonly { path: string; message: string }[] },
) => Response;

/**
 * `empty`: the JSON that a request without a body stands for, where that means something.
 */
export function jsonBody(
  maxBytes: number,
  o: { readonly empty?: string; readonly refuse?: RefuseBody } = {},
): MiddlewareHandler {
  const { refuse = problem } = o;
  return async (c, next) => {
    const type = c.req.header('content-type');
    if (type !== undefined && !JSON_TYPE.test(type))
      return refuse(c, 'UNSUPPORTED_MEDIA_TYPE', 'Send the body as content-type: application/json.');

    const bytes = await readAtMost(c.req.raw, maxBytes);
    if (bytes === null) return refuse(c, 'BODY_TOO_LARGE', `The body is larger than ${maxBytes} bytes.`);

    const read = o.empty !== undefined && bytes.byteLength === 0 ? emptyBody(o.empty) : readJson(bytes);
    if (read.kind === 'refused') return refuse(c, 'BAD_REQUEST', read.because, { errors: read.errors });

    // The route's validator reads the request again and wants the type that curl users leave out.
    const headers = new Headers(c.req.raw.headers);
    headers.set('content-type', 'application/json');
    c.req.raw = new Request(c.req.raw, { headers, body: read.text });
    return next();
  };
}

async function readAtMost(request: Request, maxBytes: number): Promise<Uint8Array | null> {
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) return null;
  if (request.body === null) return new Uint8Array(0);
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of request.body) {
    size += part.byteLength;
    if (size > maxBytes) return null;
    parts.push(part);
  }
  return Buffer.concat(parts, size);
}

type ReadJson =
  | { kind: 'read'; text: string }
  | { kind: 'refused'; because: string; errors: { path: string; message: string }[] };

const emptyBody = (text: string): ReadJson => ({ kind: 'read', text });

export function readJson(bytes: Uint8Array): ReadJson {
  const refused = (because: string, errors: { path: string; message: string }[] = []): ReadJson => ({
    kind: 'refused',
    because,
    errors,
  });
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return refused('The body is not UTF-8.');
  }
  if (text.trim() === '') return refused('The body is empty; a JSON object is expected.');
  if (nestsDeeper(text, MOST_LEVELS)) return refused(`The body nests deeper than ${MOST_LEVELS} levels.`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return refused(`The body is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  const path = unstorableText(value, []);
  if (path !== null) {
    const message = 'holds a NUL or half of a surrogate pair, which can not be stored';
    return refused(`${path || 'The body'}: ${message}`, [{ path, message }]);
  }
  return { kind: 'read', text };
}

/** Counts brackets outside strings, without recursion and before anything is built from the text. */
function nestsDeeper(text: string, levels: number): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at];
    if (inString) {
      if (sign === '\\') at++;
      else if (sign === '"') inString = false;
    } else if (sign === '"') inString = true;
    else if (sign === '{' || sign === '[') {
      depth++;
      if (depth > levels) return true;
    } else if (sign === '}' || sign === ']') depth--;
  }
  return false;
}

/** Where the first text is that Postgres refuses in `jsonb`, or null. Recursion is bounded by MOST_LEVELS. */
function unstorableText(value: unknown, path: readonly string[]): string | null {
  if (typeof value === 'string') return isStorable(value) ? null : path.join('.');
  if (typeof value !== 'object' || value === null) return null;
  for (const [key, inner] of Object.entries(value)) {
    const found = isStorable(key) ? unstorableText(inner, [...path, key]) : [...path, '(a field name)'].join('.');
    if (found !== null) return found;
  }
  return null;
}

/** Postgres keeps neither NUL nor lone surrogates in text. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();
