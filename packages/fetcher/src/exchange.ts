/**
 * One request and its answer, as undici's dispatch handler: keeps the time, settles once.
 * Written on `dispatch` rather than `request()`: no stream per answer, so the limits cost less than they save.
 * Does not choose the connection (the fetcher's pools), nor judge the answer or keep its body: a `BodyReader` does.
 *
 *   connect ─▶ headers ─▶ body ─▶ (decoding) ─▶ settled
 *                 └─────▶ discard ────────────▶ settled     the outcome is known, a short rest of the body is read
 *
 * Any state can go straight to settled: by timeout, the caller's signal, or a network error.
 */
import type { Dispatcher } from 'undici';
import { announcedBytes, type Headers, type RawHead } from './answer.ts';
import { malformedAnswer, networkFailure, timeoutFailure } from './network-error.ts';
import type { Failure, Redirect, Reply } from './reply.ts';

export interface ExchangeRequest {
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  /** Called when the request goes out on a connection. */
  readonly onSent: (() => void) | undefined;
}

/** What is wanted of an answer. One for each request; tells the outcome to the exchange once it knows it. */
export interface BodyReader<Wanted> {
  /** The outcome if the head says it all (what follows is discarded), or null if the body is to be read. */
  onHead(status: number, headers: Headers, raw: RawHead): Wanted | Redirect | Failure | null;
  onChunk(chunk: Buffer, exchange: Settler<Wanted>): void;
  /** The body is complete; the time is no longer kept, so what is left to do must be bounded. */
  onEnd(exchange: Settler<Wanted>): void;
  /** The request is settled, by this reader or not: nothing more will come, and nothing more is wanted. */
  onSettled(): void;
}

/** What a reader sees of its exchange. Of `finish` and `break` only the first call counts. */
export interface Settler<Wanted> {
  /** Takes no more from the network; the outcome is still to come, within the time. */
  pause(): void;
  /** Goes on after a pause. */
  resume(): void;
  /** Ends the request; if the answer is not complete, the connection is cut. */
  finish(outcome: Wanted | Failure): void;
  /** Makes the request reject: something on our side broke. */
  break(error: unknown): void;
}

/** An unwanted body up to this size is read to its end, which is cheaper than a new connection; a larger one is cut off. */
const DISCARD_BYTES = 16 * 1024;
/** And for no longer than this: the outcome is known, and its URL is waiting for it. */
const DISCARD_MS = 1000;
/** Heads of 1xx before the real one. Without a limit a server could keep us parsing them for the whole timeout. */
const MAX_INTERIM_HEADS = 32;

type State = 'connect' | 'headers' | 'body' | 'discard' | 'settled';

export class Exchange<Wanted extends object> implements Dispatcher.DispatchHandler, Settler<Wanted> {
  readonly reply: Promise<Reply<Wanted>>;
  readonly #request: ExchangeRequest;
  readonly #reader: BodyReader<Wanted>;
  readonly #startedAt = performance.now();
  #resolve: (reply: Reply<Wanted>) => void = () => {};
  #reject: (error: unknown) => void = () => {};
  #timer: NodeJS.Timeout;
  #state: State = 'connect';
  #controller: Dispatcher.DispatchController | null = null;
  #sentAt = 0;
  #interimHeads = 0;
  #headMs: number | null = null;
  #status: number | null = null;
  #outcome: Wanted | Redirect | Failure | null = null;
  #discardedBytes = 0;
  #isComplete = false;

  constructor(request: ExchangeRequest, reader: BodyReader<Wanted>) {
    this.#request = request;
    this.#reader = reader;
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
    this.#sentAt = performance.now();
    this.#request.onSent?.();
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: Headers, statusText = ''): void {
    if (this.#state === 'settled') return;
    if (status < 200) {
      this.#interimHeads += 1;
      // The parser takes a status below 100 for one of these, and undici then trips over an assertion of its own.
      if (status < 100 || this.#interimHeads > MAX_INTERIM_HEADS) this.finish(malformedAnswer(null));
      return;
    }
    this.#headMs = performance.now() - this.#sentAt;
    this.#status = status;
    const outcome = this.#reader.onHead(status, headers, { statusText, rawHeaders: controller.rawHeaders ?? null });
    if (outcome === null) this.#state = 'body';
    else this.#discard(outcome, announcedBytes(headers));
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#state === 'body') {
      this.#reader.onChunk(chunk, this);
    } else if (this.#state === 'discard') {
      this.#discardedBytes += chunk.length;
      if (this.#discardedBytes > DISCARD_BYTES) this.#settleDiscarded();
    }
  }

  onResponseEnd(): void {
    this.#isComplete = true;
    if (this.#state === 'discard') {
      this.#settleDiscarded();
    } else if (this.#state === 'body') {
      // The network is done: what is left is ours.
      this.#stopWatching();
      this.#reader.onEnd(this);
    }
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#state === 'settled') return;
    // With the outcome known, it stands, whatever became of the rest of the body.
    const known = this.#state === 'discard' ? this.#outcome : networkFailure(error, this.#state, this.#status);
    if (known === null) this.break(error);
    else this.#settle(known);
  }

  pause(): void {
    this.#controller?.pause();
  }

  resume(): void {
    if (this.#state !== 'settled') this.#controller?.resume();
  }

  finish(outcome: Wanted | Failure): void {
    this.#settle(outcome);
    if (!this.#isComplete) this.#abort();
  }

  break(error: unknown): void {
    if (this.#close()) this.#reject(error);
  }

  #discard(outcome: Wanted | Redirect | Failure, bytes: number): void {
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
    this.break(this.#request.signal?.reason);
    this.#abort();
  };

  /** Ends the request if it is under way; a no-op for undici once the answer is complete. */
  #abort(): void {
    this.#controller?.abort(new Error('no longer wanted'));
  }

  #settle(outcome: Wanted | Redirect | Failure): void {
    if (!this.#close()) return;
    const reply = { ...outcome, elapsedMs: performance.now() - this.#startedAt, headMs: this.#headMs };
    // undici frees the connection of a complete answer in an immediate that it sets after telling us. A caller who sends
    // the next request before that gets a second connection, so the reply comes in an immediate set later still.
    if (this.#isComplete) process.nextTick(setImmediate, this.#resolve, reply);
    else this.#resolve(reply);
  }

  #close(): boolean {
    if (this.#state === 'settled') return false;
    this.#state = 'settled';
    this.#stopWatching();
    this.#reader.onSettled();
    return true;
  }

  #stopWatching(): void {
    clearTimeout(this.#timer);
    this.#request.signal?.removeEventListener('abort', this.#onAbort);
  }
}
