/**
 * One request and its answer, as undici's dispatch handler: collects the body, keeps the limits, settles once.
 * Written on `dispatch` rather than `request()`: no stream per answer, so the limits cost less than they save.
 * Does not choose the connection (the fetcher's agent) or judge the head of the answer (`answer.ts`).
 *
 *   connect ─▶ headers ─▶ body ─▶ (decoding) ─▶ settled
 *                 └─────▶ discard ────────────▶ settled     the outcome is known, a short rest of the body is read
 *
 * Any state can go straight to settled: by timeout, the caller's signal, or a network error.
 */
import type { Dispatcher } from 'undici';
import {
  announcedBytes,
  answerDate,
  bodyTooLarge,
  type Headers,
  looksLikeHtml,
  type ReadableAnswer,
  readHead,
} from './answer.ts';
import { type Decoded, decodeBody } from './decode.ts';
import { networkFailure, timeoutFailure } from './network-error.ts';
import { type Failure, type FetchReply, failure, type Outcome, type Redirect } from './reply.ts';

export interface ExchangeRequest {
  readonly url: URL;
  readonly timeoutMs: number;
  readonly maxBodyBytes: number;
  readonly signal: AbortSignal | undefined;
}

/** An unwanted body up to this size is read to its end, which is cheaper than a new connection; a larger one is cut off. */
const DISCARD_BYTES = 16 * 1024;
/** And for no longer than this: the outcome is known, and its URL is waiting for it. */
const DISCARD_MS = 1000;

type State = 'connect' | 'headers' | 'body' | 'discard' | 'settled';

export class Exchange implements Dispatcher.DispatchHandler {
  readonly reply: Promise<FetchReply>;
  readonly #request: ExchangeRequest;
  readonly #startedAt = performance.now();
  #resolve: (reply: FetchReply) => void = () => {};
  #reject: (error: unknown) => void = () => {};
  #timer: NodeJS.Timeout;
  #state: State = 'connect';
  #controller: Dispatcher.DispatchController | null = null;
  #status: number | null = null;
  #headers: Headers = {};
  #answer: ReadableAnswer | null = null;
  #outcome: Redirect | Failure | null = null;
  #chunks: Buffer[] = [];
  #wireBytes = 0;
  #isComplete = false;

  constructor(request: ExchangeRequest) {
    this.#request = request;
    this.reply = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#timer = setTimeout(this.#onTimeout, request.timeoutMs);
    request.signal?.addEventListener('abort', this.#onAbort);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Settled while it waited for a connection. Aborting through the controller would close that connection, which
    // others are waiting for; an error thrown here only drops this request.
    if (this.#state === 'settled') throw new Error('settled before it was sent');
    this.#controller = controller;
    this.#state = 'headers';
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: Headers): void {
    if (status < 200 || this.#state === 'settled') return;
    this.#status = status;
    const head = readHead(status, headers, this.#request.url, this.#request.maxBodyBytes);
    if (head.kind === 'readable') {
      this.#headers = headers;
      this.#answer = head;
      this.#state = 'body';
    } else {
      this.#discard(head, announcedBytes(headers));
    }
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#wireBytes += chunk.length;
    if (this.#state === 'body') {
      if (this.#answer !== null && this.#wireBytes > this.#answer.maxWireBytes) this.#refuseBody();
      else this.#chunks.push(chunk);
    } else if (this.#state === 'discard' && this.#wireBytes > DISCARD_BYTES) {
      this.#settleDiscarded();
    }
  }

  onResponseEnd(): void {
    this.#isComplete = true;
    if (this.#state === 'discard') this.#settleDiscarded();
    else if (this.#state === 'body' && this.#answer !== null) this.#finish(this.#answer);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#state === 'settled') return;
    // With the outcome known, it stands, whatever became of the rest of the body.
    const known = this.#state === 'discard' ? this.#outcome : networkFailure(error, this.#state, this.#status);
    if (known === null) this.#break(error);
    else this.#settle(known);
  }

  #finish(answer: ReadableAnswer): void {
    const [only] = this.#chunks;
    const bytes = this.#chunks.length === 1 && only !== undefined ? only : Buffer.concat(this.#chunks, this.#wireBytes);
    if (answer.encodings.length === 0) {
      this.#settle(this.#page(bytes, answer));
      return;
    }
    // The network is done: what is left is ours, and bounded by the size limit.
    this.#stopWatching();
    const decoded = decodeBody(bytes, answer.encodings, this.#request.maxBodyBytes);
    const settle = (result: Decoded) => this.#settle(this.#decodedOutcome(result, answer));
    if (decoded instanceof Promise) decoded.then(settle).catch((error: unknown) => this.#break(error));
    else settle(decoded);
  }

  #decodedOutcome(decoded: Decoded, answer: ReadableAnswer): Outcome {
    switch (decoded.kind) {
      case 'decoded':
        return this.#page(decoded.body, answer);
      case 'too-large':
        return bodyTooLarge(this.#request.maxBodyBytes, this.#status ?? 0);
      case 'corrupt':
        return failure('DECODE_FAILED', decoded.problem, this.#status);
    }
  }

  #page(body: Buffer, { contentType }: ReadableAnswer): Outcome {
    if (contentType === null && !looksLikeHtml(body))
      return failure('NOT_HTML', 'The content has no type and does not look like HTML.', this.#status);
    const date = answerDate(this.#headers, Date.now());
    return { kind: 'page', status: this.#status ?? 0, body, contentType, bytes: body.length, date };
  }

  #refuseBody(): void {
    this.#settle(bodyTooLarge(this.#request.maxBodyBytes, this.#status ?? 0));
    this.#abort();
  }

  #discard(outcome: Redirect | Failure, bytes: number): void {
    this.#outcome = outcome;
    this.#state = 'discard';
    if (bytes > DISCARD_BYTES) {
      this.#settleDiscarded();
    } else {
      clearTimeout(this.#timer);
      const leftMs = this.#request.timeoutMs - (performance.now() - this.#startedAt);
      this.#timer = setTimeout(this.#onTimeout, Math.min(DISCARD_MS, Math.max(1, leftMs)));
    }
  }

  #settleDiscarded(): void {
    if (this.#outcome !== null) this.#settle(this.#outcome);
    this.#abort();
  }

  #onTimeout = (): void => {
    if (this.#state === 'settled') return;
    const outcome = this.#state === 'discard' ? this.#outcome : timeoutFailure(this.#state, this.#status);
    if (outcome !== null) this.#settle(outcome);
    this.#abort();
  };

  #onAbort = (): void => {
    this.#break(this.#request.signal?.reason);
    this.#abort();
  };

  /** Ends the request if it is under way; a no-op for undici once the answer is complete. */
  #abort(): void {
    this.#controller?.abort(new Error('no longer wanted'));
  }

  #settle(outcome: Outcome): void {
    if (!this.#close()) return;
    const reply = { ...outcome, elapsedMs: performance.now() - this.#startedAt };
    // undici frees the connection of a complete answer in an immediate that it sets after telling us. A caller who sends
    // the next request before that gets a second connection, so the reply comes in an immediate set later still.
    if (this.#isComplete) process.nextTick(setImmediate, this.#resolve, reply);
    else this.#resolve(reply);
  }

  #break(error: unknown): void {
    if (this.#close()) this.#reject(error);
  }

  #close(): boolean {
    if (this.#state === 'settled') return false;
    this.#state = 'settled';
    this.#chunks = [];
    this.#stopWatching();
    return true;
  }

  #stopWatching(): void {
    clearTimeout(this.#timer);
    this.#request.signal?.removeEventListener('abort', this.#onAbort);
  }
}
