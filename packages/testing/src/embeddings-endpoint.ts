/**
 * An OpenAI-compatible embeddings endpoint on loopback that needs no model: a text's vector is made of the hashes of its words, so texts
 * with words in common are near. It fails where a test wants it to.
 */
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface EmbeddingsRequest {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly model: string;
  readonly texts: readonly string[];
  readonly dimensions: number | undefined;
}

/** What to answer instead of embeddings. `hang`: nothing, ever. */
export type EmbeddingsAnswer =
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string }
  | 'hang'
  | undefined;

export interface EmbeddingsEndpoint {
  /** What EMBEDDINGS_URL should be. */
  readonly url: string;
  requests(): readonly EmbeddingsRequest[];
  /** All texts that it has been sent, in order. */
  texts(): readonly string[];
  /** Decides each answer anew; `nth` counts requests from 1. Undefined: embeddings. */
  behave(how: (request: EmbeddingsRequest, nth: number) => EmbeddingsAnswer): void;
  resetRecord(): void;
  close(): Promise<void>;
}

export async function startEmbeddingsEndpoint(
  o: { readonly dimensions?: number; readonly synonyms?: Readonly<Record<string, string>> } = {},
): Promise<EmbeddingsEndpoint> {
  let requests: EmbeddingsRequest[] = [];
  let nth = 0;
  let how: (request: EmbeddingsRequest, nth: number) => EmbeddingsAnswer = () => undefined;
  const server = createServer(async (req, res) => {
    const parts: Buffer[] = [];
    for await (const part of req) parts.push(part);
    const body = JSON.parse(Buffer.concat(parts).toString()) as { model: string; input: string[]; dimensions?: number };
    const request: EmbeddingsRequest = {
      path: req.url ?? '',
      authorization: req.headers.authorization,
      model: body.model,
      texts: body.input,
      dimensions: body.dimensions,
    };
    requests.push(request);
    const answer = how(request, ++nth);
    if (answer === 'hang') return;
    if (answer) {
      res.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers }).end(answer.body ?? '{}');
      return;
    }
    const dimensions = body.dimensions ?? o.dimensions ?? 64;
    const data = body.input.map((text, index) => ({ index, embedding: vectorOf(text, dimensions, o.synonyms ?? {}) }));
    // In whatever order: the index counts.
    res
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ object: 'list', data: data.reverse() }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests: () => requests,
    texts: () => requests.flatMap((request) => request.texts),
    behave: (wanted) => {
      how = wanted;
      nth = 0;
    },
    resetRecord: () => {
      requests = [];
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function vectorOf(text: string, dimensions: number, synonyms: Readonly<Record<string, string>>): number[] {
  const vector = Array.from({ length: dimensions }, () => 0);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    const place =
      createHash('sha256')
        .update(synonyms[word] ?? word)
        .digest()
        .readUInt32BE(0) % dimensions;
    vector[place] = (vector[place] ?? 0) + 1;
  }
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}
