/**
 * The text of PDFs, read in a thread of its own: one file at a time, in bounded time and memory. The thread is started for the first file and
 * ended when none comes for a while; one that took too much is ended at once, and the next file gets a new one.
 */
import { Worker } from 'node:worker_threads';
import type { PdfAnswer, ReadPdf } from './pdf-thread.ts';
import { UnreadableDocument } from './unreadable.ts';

export interface PdfReaderOptions {
  readonly timeoutMs: number;
  /** Of the thread beyond what it has at its start, buffers included. */
  readonly maxMemoryMb: number;
  readonly idleMs: number;
}

export interface PdfReader {
  /** Rejects with an `UnreadableDocument` where there is nothing to be had, and with the signal's reason when nobody waits any more. */
  read(body: Uint8Array, signal?: AbortSignal): Promise<ReadPdf>;
  hasThread(): boolean;
  /** Ends the thread. What is still asked for afterwards starts another. */
  close(): Promise<void>;
}

/** A book of 1,000 pages takes a few seconds. */
const DEFAULTS: PdfReaderOptions = { timeoutMs: 20_000, maxMemoryMb: 256, idleMs: 10_000 };
/** How often its buffers are looked at: they are no part of what a thread's own limits bound. */
const WATCH_MS = 100;

export function createPdfReader(options: Partial<PdfReaderOptions> = {}): PdfReader {
  const o = { ...DEFAULTS, ...options };
  let worker: Worker | null = null;
  let idle: NodeJS.Timeout | undefined;
  let last: Promise<unknown> = Promise.resolve();

  const end = async (): Promise<void> => {
    clearTimeout(idle);
    const ended = worker;
    worker = null;
    await ended?.terminate();
  };

  const readNow = async (body: Uint8Array, signal: AbortSignal | undefined): Promise<ReadPdf> => {
    signal?.throwIfAborted();
    clearTimeout(idle);
    worker ??= startThread(o.maxMemoryMb);
    const answer = await ask(worker, body, o, signal).catch(async (error: unknown) => {
      await end();
      throw error;
    });
    // Neither the thread nor this keeps a process alive that has nothing else to do.
    if (worker) idle = setTimeout(() => void end(), o.idleMs).unref();
    if (answer.kind === 'failed') throw new UnreadableDocument('PDF_UNREADABLE', `The PDF ${answer.problem}.`);
    return answer.pdf;
  };

  return {
    read(body, signal) {
      const turn = last.then(() => readNow(body, signal));
      // Whoever asked hears of the failure; the next in line is not to.
      last = turn.catch(() => {});
      return signal === undefined ? turn : Promise.race([turn, whenAborted(signal)]);
    },
    hasThread: () => worker !== null,
    close: end,
  };
}

let shared: PdfReader | null = null;

/** By the reader that all of a process share. */
export function readPdf(body: Uint8Array, signal?: AbortSignal): Promise<ReadPdf> {
  shared ??= createPdfReader();
  return shared.read(body, signal);
}

/** Whoever waits in line hears of it at once, and not when it is his turn. */
const whenAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));

function startThread(maxMemoryMb: number): Worker {
  const worker = new Worker(new URL('./pdf-thread.ts', import.meta.url), {
    name: 'pdf',
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: maxMemoryMb, maxYoungGenerationSizeMb: 48, stackSizeMb: 4 },
  });
  // One that comes while nothing is asked of it must not end the process.
  worker.on('error', () => {});
  worker.unref();
  return worker;
}

function ask(
  worker: Worker,
  body: Uint8Array,
  o: PdfReaderOptions,
  signal: AbortSignal | undefined,
): Promise<PdfAnswer> {
  return new Promise<PdfAnswer>((resolve, reject) => {
    const refuse = (why: string): void => settle(() => reject(unreadable(why)));
    const onMessage = (answer: PdfAnswer): void => settle(() => resolve(answer));
    const onError = (error: NodeJS.ErrnoException): void =>
      refuse(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooMuch(o) : `can't be read: ${error.message.slice(0, 200)}`);
    const onExit = (): void => refuse("can't be read: its reader ended");
    const onAbort = (): void => settle(() => reject(signal?.reason));
    const timer = setTimeout(() => refuse(`takes longer than ${o.timeoutMs / 1000} s to read`), o.timeoutMs);
    const watch = setInterval(() => {
      worker.getHeapStatistics().then(
        ({ external_memory }) => external_memory > o.maxMemoryMb * 1024 * 1024 && refuse(tooMuch(o)),
        // It has just ended, and tells so itself.
        () => {},
      );
    }, WATCH_MS);
    const settle = (tell: () => void): void => {
      clearTimeout(timer);
      clearInterval(watch);
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
      signal?.removeEventListener('abort', onAbort);
      worker.unref();
      tell();
    };
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
    signal?.addEventListener('abort', onAbort);
    worker.ref();
    // A copy, which is then the thread's own: the body may be part of a larger buffer.
    const copy = new Uint8Array(body);
    worker.postMessage(copy, [copy.buffer]);
  });
}

const tooMuch = (o: PdfReaderOptions): string => `takes more than ${o.maxMemoryMb} MB of memory to read`;
const unreadable = (problem: string): UnreadableDocument =>
  new UnreadableDocument('PDF_UNREADABLE', `The PDF ${problem}.`);
