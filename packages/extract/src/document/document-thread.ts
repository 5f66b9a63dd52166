/** The thread that reads documents for `document-reader.ts`, one after the other: nothing else runs here, so that it can be ended at any moment. */
import { parentPort } from 'node:worker_threads';
import type { UrlErrorCode } from '@trawl/contracts';
import { type DocumentOptions, type ExtractedDocument, extractDocument } from './document.ts';
import { UnreadableDocument } from './unreadable.ts';

export interface DocumentQuestion {
  readonly body: Uint8Array;
  readonly contentType: string | null;
  readonly options: Omit<DocumentOptions, 'signal'>;
}

export type DocumentAnswer =
  | { readonly kind: 'read'; readonly document: Omit<ExtractedDocument, 'chunks'> }
  | { readonly kind: 'failed'; readonly code: UrlErrorCode; readonly message: string };

async function read({ body, contentType, options }: DocumentQuestion): Promise<DocumentAnswer> {
  try {
    const { chunks: _chunks, ...document } = await extractDocument(Buffer.from(body.buffer), contentType, options);
    return { kind: 'read', document };
  } catch (error) {
    const code = error instanceof UnreadableDocument ? error.code : 'PROCESS_FAILED';
    return { kind: 'failed', code, message: error instanceof Error ? error.message : String(error) };
  }
}

parentPort?.on('message', (question: DocumentQuestion) => {
  void read(question).then((answer) => parentPort?.postMessage(answer));
});
