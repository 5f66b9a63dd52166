/**
 * Hands out an answer's body while it arrives, decompressed, in bounded memory: what the consumer has not taken yet is at most
 * one buffer's worth, and the network waits. Cuts at a limit rather than refusing.
 */
import type { Transform } from 'node:stream';
import { contentTypeOf, encodingsOf, type Headers, isWithoutContent, readRefusal } from './answer.ts';
import { corruptionOf, decodingStreams } from './decode.ts';
import type { BodyReader, Settler } from './exchange.ts';
import { type Failure, failure, type Redirect, type Streamed } from './reply.ts';

/** What may wait for the consumer before the network has to. */
const HIGH_BYTES = 256 * 1024;

export class StreamReader implements BodyReader<Streamed> {
  readonly #maxBytes: number;
  #url: URL | null = null;
  #status = 0;
  #headers: Headers = {};
  #encodings: readonly string[] = [];
  #decoders: readonly Transform[] = [];
  #exchange: Settler<Streamed> | null = null;
  #waiting: Buffer[] = [];
  /** The first of them that was not taken: taking them off the front is slow where they are tiny and many. */
  #next = 0;
  #waitingBytes = 0;
  #bytes = 0;
  #isCut = false;
  #isSettled = false;
  #wakeConsumer: () => void = () => {};

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  for(url: URL): this {
    this.#url = url;
    return this;
  }

  onHead(status: number, headers: Headers): Streamed | Redirect | Failure | null {
    if (this.#url === null) throw new Error('a stream without an address');
    const refusal = readRefusal(status, headers, this.#url);
    if (refusal !== null) return refusal;
    this.#status = status;
    this.#headers = headers;
    if (isWithoutContent(status)) return this.#streamed();
    const encodings = encodingsOf(headers);
    if (encodings.kind === 'unknown') return failure('DECODE_FAILED', encodings.problem, status);
    this.#encodings = encodings.names;
    return null;
  }

  onChunk(chunk: Buffer, exchange: Settler<Streamed>): void {
    this.#exchange = exchange;
    // Nobody reads any more, and nobody could be told before.
    if (this.#isCut) {
      exchange.finish(this.#streamed());
      return;
    }
    if (this.#encodings.length === 0) {
      this.#offer(chunk, exchange);
      if (this.#isFull()) exchange.pause();
      return;
    }
    if (this.#decoders.length === 0) this.#openDecoders(chunk, exchange);
    const [first] = this.#decoders;
    if (first && !first.write(chunk)) exchange.pause();
  }

  onEnd(exchange: Settler<Streamed>): void {
    const [first] = this.#decoders;
    if (first) first.end();
    else exchange.finish(this.#streamed());
  }

  onSettled(): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    for (const decoder of this.#decoders) decoder.destroy();
    this.#wakeConsumer();
  }

  async *body(): AsyncGenerator<Buffer> {
    try {
      for (;;) {
        const chunk = this.#waiting[this.#next];
        if (chunk) {
          this.#next += 1;
          if (this.#next === this.#waiting.length) {
            this.#waiting = [];
            this.#next = 0;
          }
          this.#waitingBytes -= chunk.length;
          if (!this.#isFull()) this.#goOn();
          yield chunk;
        } else if (this.#isSettled) return;
        else
          await new Promise<void>((resolve) => {
            this.#wakeConsumer = resolve;
          });
      }
    } finally {
      // The consumer has had enough: what it was given is what there is.
      this.#isCut ||= !this.#isSettled;
      this.#exchange?.finish(this.#streamed());
    }
  }

  #openDecoders(first: Buffer, exchange: Settler<Streamed>): void {
    this.#decoders = decodingStreams(this.#encodings, first);
    for (const decoder of this.#decoders) decoder.on('error', (error) => this.#onDecodeError(error, exchange));
    this.#decoders[0]?.on('drain', () => exchange.resume());
    this.#decoders.reduce((from, to) => from.pipe(to));
    const last = this.#decoders.at(-1);
    last?.on('data', (chunk: Buffer) => {
      this.#offer(chunk, exchange);
      if (this.#isFull()) last.pause();
    });
    last?.on('end', () => exchange.finish(this.#streamed()));
  }

  #onDecodeError(error: Error, exchange: Settler<Streamed>): void {
    const problem = corruptionOf(error);
    if (problem === null) exchange.break(error);
    else exchange.finish(failure('DECODE_FAILED', problem, this.#status));
  }

  #offer(chunk: Buffer, exchange: Settler<Streamed>): void {
    const part = chunk.subarray(0, this.#maxBytes - this.#bytes);
    if (part.length > 0) {
      this.#waiting.push(part);
      this.#waitingBytes += part.length;
      this.#bytes += part.length;
      this.#wakeConsumer();
    }
    if (part.length === chunk.length) return;
    this.#isCut = true;
    exchange.finish(this.#streamed());
  }

  #isFull(): boolean {
    return this.#waitingBytes >= HIGH_BYTES;
  }

  #goOn(): void {
    const last = this.#decoders.at(-1);
    if (last) last.resume();
    else this.#exchange?.resume();
  }

  #streamed(): Streamed {
    const contentType = contentTypeOf(this.#headers);
    return { kind: 'streamed', status: this.#status, bytes: this.#bytes, truncated: this.#isCut, contentType };
  }
}
