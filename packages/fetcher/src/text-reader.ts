/**
 * Reads an answer of any type for its text, up to a limit at which it is cut rather than refused. Decompresses as the
 * bytes come in, so that a compressed body too ends where its text reaches the limit.
 */
import type { Transform } from 'node:stream';
import {
  answerDate,
  contentTypeOf,
  encodingsOf,
  type Headers,
  isWithoutContent,
  MAX_PIECES,
  readRefusal,
  tooManyPieces,
} from './answer.ts';
import { CollectedBytes } from './collected-bytes.ts';
import { corruptionOf, decodingStreams, maxEncodedBytes } from './decode.ts';
import type { BodyReader, Settler } from './exchange.ts';
import { type Failure, failure, type Redirect, type Text } from './reply.ts';

export class TextReader implements BodyReader<Text> {
  readonly #url: URL;
  readonly #maxBytes: number;
  #status = 0;
  #headers: Headers = {};
  #encodings: readonly string[] = [];
  #decoders: readonly Transform[] = [];
  readonly #body = new CollectedBytes();
  #wireBytes = 0;
  #wirePieces = 0;
  /** More came than what was asked for can have, so that the end of the input is our doing. */
  #isCut = false;

  constructor(url: URL, maxBytes: number) {
    this.#url = url;
    this.#maxBytes = maxBytes;
  }

  onHead(status: number, headers: Headers): Text | Redirect | Failure | null {
    const refusal = readRefusal(status, headers, this.#url);
    if (refusal !== null) return refusal;
    this.#status = status;
    this.#headers = headers;
    if (isWithoutContent(status)) return this.#text();
    const encodings = encodingsOf(headers);
    if (encodings.kind === 'unknown') return failure('DECODE_FAILED', encodings.problem, status);
    this.#encodings = encodings.names;
    return null;
  }

  onChunk(chunk: Buffer, exchange: Settler<Text>): void {
    this.#wirePieces += 1;
    if (this.#wirePieces > MAX_PIECES) {
      exchange.finish(tooManyPieces(this.#status));
      return;
    }
    if (this.#encodings.length === 0) {
      this.#take(chunk, exchange);
      return;
    }
    if (this.#isCut) return;
    if (this.#decoders.length === 0) this.#openDecoders(chunk, exchange);
    // What the first decoder has not got to yet waits in memory, and this bounds it.
    this.#wireBytes += chunk.length;
    this.#isCut = this.#wireBytes > maxEncodedBytes(this.#maxBytes);
    this.#decoders[0]?.write(chunk);
    if (!this.#isCut) return;
    exchange.pause();
    this.#decoders[0]?.end();
  }

  onEnd(exchange: Settler<Text>): void {
    if (this.#decoders.length === 0) exchange.finish(this.#text());
    else if (!this.#isCut) this.#decoders[0]?.end();
  }

  onSettled(): void {
    this.#body.clear();
    for (const decoder of this.#decoders) decoder.destroy();
  }

  #openDecoders(first: Buffer, exchange: Settler<Text>): void {
    this.#decoders = decodingStreams(this.#encodings, first);
    for (const decoder of this.#decoders) decoder.on('error', (error) => this.#onDecodeError(error, exchange));
    this.#decoders.reduce((from, to) => from.pipe(to));
    this.#decoders
      .at(-1)
      ?.on('data', (chunk: Buffer) => this.#take(chunk, exchange))
      .on('end', () => exchange.finish(this.#text()));
  }

  #onDecodeError(error: Error, exchange: Settler<Text>): void {
    const problem = corruptionOf(error);
    if (problem === null) exchange.break(error);
    // A decoder that misses the end, which was not read, has given what there was.
    else if (this.#isCut && (error as NodeJS.ErrnoException).code === 'Z_BUF_ERROR') exchange.finish(this.#text());
    else exchange.finish(failure('DECODE_FAILED', problem, this.#status));
  }

  #take(chunk: Buffer, exchange: Settler<Text>): void {
    this.#body.add(chunk);
    if (this.#body.bytes > this.#maxBytes) exchange.finish(this.#text());
  }

  #text(): Text {
    return {
      kind: 'text',
      status: this.#status,
      body: this.#body.joined(this.#maxBytes),
      truncated: this.#isCut || this.#body.bytes > this.#maxBytes,
      contentType: contentTypeOf(this.#headers),
      date: answerDate(this.#headers, Date.now()),
    };
  }
}
