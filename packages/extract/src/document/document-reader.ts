/**
 * Documents read beside everything else: each in a thread that nobody else uses meanwhile, and that is ended when nobody waits for the document
 * any more. For processes that must not stand still, whatever a page is made of. Where many pages are read, and time counts, `extractDocument`
 * reads them on the spot.
 */
import { Worker } from 'node:worker_threads';
import type { DocumentOptions, ExtractedDocument } from './document.ts';
import type { DocumentAnswer, DocumentQuestion } from './document-thread.ts';
import { UnreadableDocument } from './unreadable.ts';

export interface DocumentReader {
  /** Without its chunks. Rejects with an `UnreadableDocument` where it breaks what reads it, and with the signal's reason. */
  read(
    body: Buffer,
    contentType: string | null,
    options: DocumentOptions & { readonly signal: AbortSignal },
  ): Promise<Omit<ExtractedDocument, 'chunks'>>;
  /** Ends the threads that have nothing to read. */
  close(): Promise<void>;
}

/** A thread holds 100 MB for its tables of tokens alone, and takes half a second to start. */
const IDLE_MS = 60_000;
const MAX_MEMORY_MB = 768;
/** Most documents are read in some hundredths of a second, so one thread serves many; who has waited for so long stands behind one that takes longer. */
const SPARE_AFTER_MS = 1000;

export function createDocumentReader(o: { readonly idleMs?: number } = {}): DocumentReader {
  const idle = new Map<Worker, NodeJS.Timeout>();
  const waiting: ((worker: Worker) => void)[] = [];
  let busy = 0;
  let isClosed = false;

  const take = (signal: AbortSignal): Worker | Promise<Worker> => {
    // The one that was used last: the others end by themselves.
    const known = [...idle.keys()].at(-1);
    if (known === undefined) return busy === 0 ? startThread() : freed(signal);
    clearTimeout(idle.get(known));
    idle.delete(known);
    return known;
  };

  /** A thread that becomes free, or after a while another one. */
  const freed = (signal: AbortSignal): Promise<Worker> =>
    new Promise((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        const place = waiting.indexOf(get);
        if (place >= 0) waiting.splice(place, 1);
      };
      const get = (worker: Worker): void => {
        leave();
        resolve(worker);
      };
      const onAbort = (): void => {
        leave();
        reject(signal.reason);
      };
      const timer = setTimeout(() => get(startThread()), SPARE_AFTER_MS);
      signal.addEventListener('abort', onAbort);
      waiting.push(get);
    });

  const giveBack = (worker: Worker): void => {
    const [next] = waiting;
    if (next !== undefined) {
      next(worker);
      return;
    }
    const end = (): void => {
      idle.delete(worker);
      void worker.terminate();
    };
    worker.unref();
    if (isClosed) end();
    else idle.set(worker, setTimeout(end, o.idleMs ?? IDLE_MS).unref());
  };

  const readIn = async (worker: Worker, question: DocumentQuestion, signal: AbortSignal) => {
    let answer: DocumentAnswer;
    try {
      answer = await ask(worker, question, signal);
    } catch (error) {
      await worker.terminate();
      throw error;
    }
    giveBack(worker);
    if (answer.kind === 'failed') throw new UnreadableDocument(answer.code, answer.message);
    return answer.document;
  };

  return {
    async read(body, contentType, { signal, ...options }) {
      signal.throwIfAborted();
      const taking = take(signal);
      busy += 1;
      try {
        return await readIn(await taking, { body: new Uint8Array(body), contentType, options }, signal);
      } finally {
        busy -= 1;
      }
    },
    async close() {
      isClosed = true;
      const ended = [...idle].map(([worker, timer]) => {
        clearTimeout(timer);
        return worker.terminate();
      });
      idle.clear();
      await Promise.all(ended);
    },
  };
}

function startThread(): Worker {
  const worker = new Worker(new URL('./document-thread.ts', import.meta.url), {
    name: 'document',
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB },
  });
  // One that comes while nothing is asked of it must not end the process.
  worker.on('error', () => {});
  return worker;
}

function ask(worker: Worker, question: DocumentQuestion, signal: AbortSignal): Promise<DocumentAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<DocumentAnswer>();
  if (signal.aborted) reject(signal.reason);
  const onError = (error: NodeJS.ErrnoException): void =>
    reject(
      new UnreadableDocument(
        'PROCESS_FAILED',
        error.code === 'ERR_WORKER_OUT_OF_MEMORY'
          ? `It takes more than ${MAX_MEMORY_MB} MB of memory to read.`
          : error.message,
      ),
    );
  const onExit = (): void => reject(new UnreadableDocument('PROCESS_FAILED', 'Its reader ended.'));
  const onAbort = (): void => reject(signal.reason);
  worker.on('message', resolve).on('error', onError).on('exit', onExit);
  signal.addEventListener('abort', onAbort);
  worker.ref();
  worker.postMessage(question, [question.body.buffer as ArrayBuffer]);
  return promise.finally(() => {
    worker.off('message', resolve).off('error', onError).off('exit', onExit);
    signal.removeEventListener('abort', onAbort);
  });
}
