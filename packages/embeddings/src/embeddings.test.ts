import { readEnv } from '@trawl/runtime';
import { type EmbeddingsEndpoint, startEmbeddingsEndpoint } from '@trawl/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openEmbeddings } from './embeddings.ts';
import { checkEmbeddingsEnv, embeddingsEnv } from './env.ts';

const KEY = 'sk-very-secret';
let endpoint: EmbeddingsEndpoint;
beforeAll(async () => {
  endpoint = await startEmbeddingsEndpoint();
});
beforeEach(() => {
  endpoint.behave(() => undefined);
  endpoint.resetRecord();
});
afterAll(() => endpoint.close());

const schema = z.object(embeddingsEnv).superRefine(checkEmbeddingsEnv);
function open(env: Record<string, string> = {}) {
  const embeddings = openEmbeddings(
    readEnv(schema, { EMBEDDINGS_URL: endpoint.url, EMBEDDINGS_MODEL: 'hash', EMBEDDINGS_API_KEY: KEY, ...env }),
  );
  if (!embeddings) throw new Error('not configured');
  return embeddings;
}

describe('embeddings', () => {
  it('come in the order of the texts, with the model and the key named', async () => {
    const embeddings = open();
    const [both, one, two] = await Promise.all([
      embeddings.embed(['red fox', 'blue']),
      embeddings.embed(['red fox']),
      embeddings.embed(['blue']),
    ]);
    if (both.kind !== 'embedded' || one.kind !== 'embedded' || two.kind !== 'embedded') throw new Error('not embedded');
    expect(both.vectors).toEqual([...one.vectors, ...two.vectors]);
    expect(both.vectors[0]).toHaveLength(64);
    expect(endpoint.requests()[0]).toMatchObject({
      path: '/v1/embeddings',
      model: 'hash',
      authorization: `Bearer ${KEY}`,
    });
    expect(await embeddings.embed([])).toEqual({ kind: 'embedded', vectors: [] });
    await embeddings.close();
  });

  it('have the dimensions that are configured, or are not taken', async () => {
    const embeddings = open({ EMBEDDINGS_DIMENSIONS: '8' });
    const answer = await embeddings.embed(['a']);
    expect(answer.kind === 'embedded' && answer.vectors[0]).toHaveLength(8);
    endpoint.behave(() => ({ status: 200, body: '{"data":[{"index":0,"embedding":[1,2]}]}' }));
    expect(await embeddings.embed(['a'])).toEqual({
      kind: 'unavailable',
      reason: 'Its embeddings have 2 dimensions, not 8.',
      retryAfterMs: null,
    });
    await embeddings.close();
  });

  it.each([
    [{ status: 429, headers: { 'retry-after': '7' } }, 'unavailable', 'answered 429', 7000],
    [{ status: 429, headers: { 'retry-after': '999999' } }, 'unavailable', 'answered 429', 600_000],
    [{ status: 429, headers: { 'retry-after': 'soon' } }, 'unavailable', 'answered 429', null],
    [{ status: 500, body: 'oh no' }, 'unavailable', 'answered 500: oh no', null],
    [{ status: 404, body: 'no such model' }, 'unavailable', 'answered 404: no such model', null],
    [{ status: 401, body: `wrong key ${KEY}` }, 'unavailable', 'answered 401.', null],
    [{ status: 503, body: `Bearer ${KEY} is odd` }, 'unavailable', 'answered 503: Bearer … is odd', null],
    [{ status: 302, headers: { location: 'http://127.0.0.1:1/' } }, 'unavailable', 'answered 302', null],
    [{ status: 400, body: '{"error":"too long"}' }, 'refused', 'answered 400: {"error":"too long"}', undefined],
    [{ status: 413 }, 'refused', 'answered 413', undefined],
    [{ status: 200, body: '<html>' }, 'unavailable', 'not JSON', null],
    [{ status: 200, body: '{"data":"x"}' }, 'unavailable', 'not a list of embeddings', null],
    [
      { status: 200, body: '{"data":[{"index":0,"embedding":["1"]}]}' },
      'unavailable',
      'not a list of embeddings',
      null,
    ],
    [{ status: 200, body: '{"data":[]}' }, 'unavailable', 'gave 0 embeddings for 2 texts', null],
    [
      { status: 200, body: '{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}' },
      'unavailable',
      'gave 2',
      null,
    ],
    [
      { status: 200, body: '{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1,2]}]}' },
      'unavailable',
      'have 1 and 2 dimensions',
      null,
    ],
  ])('that fail are a value: %j', async (answer, kind, reason, retryAfterMs) => {
    endpoint.behave(() => answer);
    const embeddings = open();
    const result = await embeddings.embed(['a', 'b']);
    expect(result).toMatchObject({ kind, reason: expect.stringContaining(reason) });
    expect(JSON.stringify(result)).not.toContain(KEY);
    if (result.kind === 'unavailable') expect(result.retryAfterMs).toBe(retryAfterMs);
    await embeddings.close();
  });

  it('are not waited for longer than allowed, nor longer than the caller wants', async () => {
    endpoint.behave(() => 'hang');
    const embeddings = open({ EMBEDDINGS_TIMEOUT_SECONDS: '1' });
    expect(await embeddings.embed(['a'])).toMatchObject({ kind: 'unavailable', reason: 'No answer within 1 s.' });
    expect(await embeddings.embed(['a'], AbortSignal.timeout(10))).toMatchObject({ kind: 'unavailable' });
    await embeddings.close();
  });

  it('are unavailable where nobody listens', async () => {
    const embeddings = open({ EMBEDDINGS_URL: 'http://user:pass%40word@127.0.0.1:1/v1/' });
    const answer = await embeddings.embed(['a']);
    expect(answer.kind).toBe('unavailable');
    expect(JSON.stringify(answer)).not.toContain('pass');
    await embeddings.close();
  });
});

describe('the settings of embeddings', () => {
  it('may be absent, and then there are none', () => {
    expect(openEmbeddings(readEnv(schema, {}))).toBeNull();
  });

  it.each([
    [{ EMBEDDINGS_URL: 'http://127.0.0.1/v1' }, 'EMBEDDINGS_MODEL is required'],
    [{ EMBEDDINGS_MODEL: 'x' }, 'EMBEDDINGS_URL is required'],
    [{ EMBEDDINGS_URL: 'ftp://secret.example', EMBEDDINGS_MODEL: 'x' }, 'EMBEDDINGS_URL must be a URL'],
    [{ EMBEDDINGS_API_KEY: 'se cret' }, 'EMBEDDINGS_API_KEY must be printable ASCII'],
    [{ EMBEDDINGS_BATCH: '0' }, 'EMBEDDINGS_BATCH=0 must be between'],
  ])('are refused in one line that shows no secret: %j', (env, message) => {
    expect(() => readEnv(schema, env)).toThrow(message);
    expect(() => readEnv(schema, env)).toThrow(/^(?!.*(secret|se cret))/);
  });
});
