/**
 * Asks an OpenAI-compatible endpoint for embeddings. Says what became of a request as a value; does not repeat one (whoever asks knows
 * whether anybody waits), and does not look at what the texts are.
 */
import { Agent, request } from 'undici';
import { z } from 'zod';
import type { EmbeddingsEnv } from './env.ts';

export type EmbedAnswer =
  | { readonly kind: 'embedded'; readonly vectors: readonly (readonly number[])[] }
  /** The endpoint takes requests, and not this one. */
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'unavailable'; readonly reason: string; readonly retryAfterMs: number | null };

export interface Embeddings {
  readonly model: string;
  /** As configured; null: as many as the model gives. */
  readonly dimensions: number | null;
  /** How many texts one request should carry. */
  readonly batch: number;
  embed(texts: readonly string[], signal?: AbortSignal): Promise<EmbedAnswer>;
  close(): Promise<void>;
}

/** 2,048 vectors of 3,072 numbers as JSON are about 130 MB; 64 of 1,536 are 2 MB. */
const MOST_BYTES = 160 * 1024 * 1024;
const MOST_ERROR_BYTES = 64 * 1024;
/** Whatever a Retry-After says. */
const MOST_RETRY_MS = 600_000;

const answerSchema = z.object({
  data: z.array(z.object({ index: z.int().min(0), embedding: z.array(z.number()).min(1).max(16_000) })),
});

/** Null where embeddings are not configured. */
export function openEmbeddings(env: EmbeddingsEnv): Embeddings | null {
  const { EMBEDDINGS_URL: base, EMBEDDINGS_MODEL: model, EMBEDDINGS_API_KEY: key } = env;
  if (base === undefined || model === undefined) return null;
  const dimensions = env.EMBEDDINGS_DIMENSIONS ?? null;
  const timeoutMs = env.EMBEDDINGS_TIMEOUT_SECONDS * 1000;
  const agent = new Agent({ connect: { timeout: Math.min(timeoutMs, 10_000) } });
  const { url, credentials } = endpoint(base);
  const secrets = [key, credentials].filter((secret) => secret !== undefined);
  const authorization = key === undefined ? credentials && `Basic ${credentials}` : `Bearer ${key}`;
  const withoutSecrets = (text: string) => secrets.reduce((clean, secret) => clean.replaceAll(secret, '…'), text);

  async function embed(texts: readonly string[], signal?: AbortSignal): Promise<EmbedAnswer> {
    if (texts.length === 0) return { kind: 'embedded', vectors: [] };
    const limit = AbortSignal.timeout(timeoutMs);
    try {
      const answer = await request(url, {
        method: 'POST',
        dispatcher: agent,
        headers: {
          'content-type': 'application/json',
          accept: 'application/json',
          ...(authorization ? { authorization } : {}),
        },
        body: JSON.stringify({ model, input: texts, ...(dimensions === null ? {} : { dimensions }) }),
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
        signal: signal ? AbortSignal.any([signal, limit]) : limit,
      });
      const isGood = answer.statusCode === 200;
      const body = await readBody(answer.body, isGood ? MOST_BYTES : MOST_ERROR_BYTES);
      if (!isGood) return failure(answer.statusCode, answer.headers['retry-after'], withoutSecrets(body ?? ''));
      if (body === null) return unavailable('Its answer is too large.');
      return readVectors(body, texts.length, dimensions);
    } catch (error) {
      if (limit.aborted) return unavailable(`No answer within ${timeoutMs / 1000} s.`);
      return unavailable(withoutSecrets(error instanceof Error ? error.message : String(error)));
    }
  }
  return { model, dimensions, batch: env.EMBEDDINGS_BATCH, embed, close: () => agent.close() };
}

/** Credentials of the URL go into a header: undici takes none in a URL, and a URL is easily logged. */
function endpoint(base: string): { readonly url: URL; readonly credentials: string | undefined } {
  const url = new URL(base);
  const { username, password } = url;
  const decoded = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  url.username = '';
  url.password = '';
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/embeddings`;
  return { url, credentials: username === '' ? undefined : Buffer.from(decoded).toString('base64') };
}

async function readBody(stream: AsyncIterable<Buffer>, most: number): Promise<string | null> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of stream) {
    bytes += part.length;
    // Leaving the loop cuts the connection.
    if (bytes > most) return null;
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

function readVectors(body: string, wanted: number, dimensions: number | null): EmbedAnswer {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    return unavailable('Its answer is not JSON.');
  }
  const answer = answerSchema.safeParse(json);
  if (!answer.success) return unavailable('Its answer is not a list of embeddings.');
  const { data } = answer.data;
  const vectors = [...data].sort((a, b) => a.index - b.index).map((item) => item.embedding);
  if (
    vectors.length !== wanted ||
    data.some(({ index }) => index >= wanted) ||
    new Set(data.map((d) => d.index)).size !== wanted
  )
    return unavailable(`It gave ${vectors.length} embeddings for ${wanted} texts.`);
  const length = dimensions ?? vectors[0]?.length;
  if (vectors.some((vector) => vector.length !== length))
    return unavailable(
      `Its embeddings have ${[...new Set(vectors.map((v) => v.length))].slice(0, 3).join(' and ')} dimensions, not ${length}.`,
    );
  return { kind: 'embedded', vectors };
}

/** Of what may be about the texts (too long, too many, not allowed). Everything else is about the endpoint, or the configuration. */
const ABOUT_TEXTS = new Set([400, 413, 422]);
/** May repeat a key that it does not know. */
const ABOUT_KEYS = new Set([401, 403]);

function failure(status: number, retryAfter: string | string[] | undefined, body: string): EmbedAnswer {
  const said = ABOUT_KEYS.has(status) ? '' : body.replace(/\s+/g, ' ').trim().slice(0, 300);
  const reason = `It answered ${status}${said === '' ? '.' : `: ${said}`}`;
  return ABOUT_TEXTS.has(status) ? { kind: 'refused', reason } : unavailable(reason, readRetryAfter(retryAfter));
}

const unavailable = (reason: string, retryAfterMs: number | null = null): EmbedAnswer => ({
  kind: 'unavailable',
  reason,
  retryAfterMs,
});

/** Seconds, or a date. */
function readRetryAfter(header: string | string[] | undefined): number | null {
  if (typeof header !== 'string') return null;
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? null : Math.min(Math.max(0, ms), MOST_RETRY_MS);
}
