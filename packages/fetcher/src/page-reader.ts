/** Reads an answer that should be a page of a kind that is read: collects its body up to the limit, then decodes it in one go. */
import { kindOfBody } from '@trawl/contracts';
import {
  answerDate,
  bodyTooLarge,
  type Headers,
  MAX_PIECES,
  type RawHead,
  type ReadableAnswer,
  rawHeadersOf,
  readHead,
  robotsTagsOf,
  tooManyPieces,
  unsupported,
  validatorsOf,
} from './answer.ts';
import { CollectedBytes } from './collected-bytes.ts';
import { type Decoded, decodeBody } from './decode.ts';
import type { BodyReader, Settler } from './exchange.ts';
import { type AnswerHead, type Failure, failure, type Page, type Redirect, type Unchanged } from './reply.ts';

export class PageReader implements BodyReader<Page | Unchanged> {
  readonly #url: URL;
  readonly #maxBodyBytes: number;
  /** The request said what is known of the page. */
  readonly #isConditional: boolean;
  readonly #keepsHead: boolean;
  #head: AnswerHead | null = null;
  #status = 0;
  #headers: Headers = {};
  #answer: ReadableAnswer = { kind: 'readable', contentType: null, encodings: [], maxWireBytes: 0 };
  readonly #wire = new CollectedBytes();

  constructor(url: URL, maxBodyBytes: number, o: { readonly isConditional: boolean; readonly keepsHead: boolean }) {
    this.#url = url;
    this.#maxBodyBytes = maxBodyBytes;
    this.#isConditional = o.isConditional;
    this.#keepsHead = o.keepsHead;
  }

  onHead(status: number, headers: Headers, raw: RawHead): Unchanged | Redirect | Failure | null {
    if (status === 304 && this.#isConditional)
      return { kind: 'unchanged', status, ...validatorsOf(headers), date: answerDate(headers, Date.now()) };
    const head = readHead(status, headers, this.#url, this.#maxBodyBytes);
    if (head.kind !== 'readable') return head;
    this.#status = status;
    this.#headers = headers;
    this.#answer = head;
    if (this.#keepsHead) this.#head = { statusText: raw.statusText, headers: rawHeadersOf(raw.rawHeaders) };
    return null;
  }

  onChunk(chunk: Buffer, exchange: Settler<Page | Unchanged>): void {
    this.#wire.add(chunk);
    if (this.#wire.bytes > this.#answer.maxWireBytes) exchange.finish(bodyTooLarge(this.#maxBodyBytes, this.#status));
    else if (this.#wire.pieces > MAX_PIECES) exchange.finish(tooManyPieces(this.#status));
  }

  onEnd(exchange: Settler<Page | Unchanged>): void {
    const bytes = this.#wire.joined();
    if (this.#answer.encodings.length === 0) {
      exchange.finish(this.#page(bytes));
      return;
    }
    const decoded = decodeBody(bytes, this.#answer.encodings, this.#maxBodyBytes);
    if (decoded instanceof Promise) {
      decoded.then((result) => exchange.finish(this.#decoded(result))).catch((error: unknown) => exchange.break(error));
    } else {
      exchange.finish(this.#decoded(decoded));
    }
  }

  onSettled(): void {
    this.#wire.clear();
  }

  #decoded(decoded: Decoded): Page | Failure {
    switch (decoded.kind) {
      case 'decoded':
        return this.#page(decoded.body);
      case 'too-large':
        return bodyTooLarge(this.#maxBodyBytes, this.#status);
      case 'corrupt':
        return failure('DECODE_FAILED', decoded.problem, this.#status);
    }
  }

  #page(body: Buffer): Page | Failure {
    const { contentType } = this.#answer;
    if (contentType === null && kindOfBody(body) === null)
      return unsupported('The content has no type and is nothing that is read.', this.#status, this.#headers);
    const date = answerDate(this.#headers, Date.now());
    const robotsTags = robotsTagsOf(this.#headers);
    const validators = validatorsOf(this.#headers);
    return {
      kind: 'page',
      status: this.#status,
      body,
      contentType,
      bytes: body.length,
      date,
      robotsTags,
      ...validators,
      ...(this.#head !== null && { head: this.#head }),
    };
  }
}
