/**
 * The thread that reads PDFs: one after the other, each in a message of its own. Nothing else runs here, so that a hostile file can cost no
 * more than the thread, which `pdf.ts` ends when it takes too long or too much.
 */
import { parentPort } from 'node:worker_threads';
import { getDocumentProxy, getResolvedPDFJS } from 'unpdf';
import { pageText, type TextPiece } from './pdf-lines.ts';

export interface ReadPdf {
  /** Of each page, its paragraphs separated by empty lines. */
  readonly pages: readonly string[];
  readonly title: string | null;
  readonly author: string | null;
  readonly subject: string | null;
  readonly language: string | null;
  /** ISO 8601, UTC. */
  readonly createdAt: string | null;
  readonly modifiedAt: string | null;
}

export type PdfAnswer =
  | { readonly kind: 'read'; readonly pdf: ReadPdf }
  | { readonly kind: 'failed'; readonly problem: string };

/** More than the longest of books. */
const MAX_TEXT_CHARACTERS = 10_000_000;
const MAX_INFO_CHARACTERS = 2000;
/** What programs write where nobody said anything. */
const PLACEHOLDER = /^\(?(?:untitled|anonymous|unspecified|none|unknown)\)?$/i;

async function readPdf(data: Uint8Array): Promise<PdfAnswer> {
  try {
    const pdf = await getDocumentProxy(data, {
      verbosity: 0,
      useSystemFonts: false,
      disableFontFace: true,
      enableXfa: false,
      stopAtErrors: false,
      // Nothing of it may be looked for elsewhere.
      useWorkerFetch: false,
      isOffscreenCanvasSupported: false,
      isImageDecoderSupported: false,
    });
    try {
      const about = await describe(pdf);
      const pages: string[] = [];
      let characters = 0;
      for (let number = 1; number <= pdf.numPages && characters < MAX_TEXT_CHARACTERS; number++) {
        const page = await pdf.getPage(number);
        const { items } = await page.getTextContent();
        const text = pageText(items.filter((item): item is typeof item & TextPiece => 'str' in item));
        page.cleanup();
        characters += text.length;
        pages.push(text);
      }
      return { kind: 'read', pdf: { pages, ...about } };
    } finally {
      await pdf.loadingTask.destroy();
    }
  } catch (error) {
    return { kind: 'failed', problem: problemOf(error) };
  }
}

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>;

/** What a file says about itself is read where it can be; where not, its text may be as good as ever. */
async function describe(pdf: Pdf): Promise<Omit<ReadPdf, 'pages'>> {
  const { PDFDateString } = await getResolvedPDFJS();
  const info: Record<string, unknown> = await pdf.getMetadata().then(
    (found) => ({ ...found.info }),
    () => ({}),
  );
  const text = (name: string): string | null => {
    const value = info[name];
    const tidy = typeof value === 'string' ? value.replace(/\s+/g, ' ').trim().slice(0, MAX_INFO_CHARACTERS) : '';
    return tidy === '' || PLACEHOLDER.test(tidy) ? null : tidy;
  };
  const time = (name: string): string | null => {
    const date = PDFDateString.toDateObject(text(name) ?? '');
    return date === null || Number.isNaN(date.getTime()) ? null : date.toISOString();
  };
  return {
    title: text('Title'),
    author: text('Author'),
    subject: text('Subject'),
    language: text('Language'),
    createdAt: time('CreationDate'),
    modifiedAt: time('ModDate'),
  };
}

function problemOf(error: unknown): string {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  if (name === 'PasswordException') return 'is encrypted, and no password is known';
  return `can't be read: ${message.slice(0, 200).replace(/\.+$/, '')}`;
}

parentPort?.on('message', (data: Uint8Array) => {
  void readPdf(data).then((answer) => parentPort?.postMessage(answer));
});
