/**
 * Whatever kind of document a page is, to all that the pipeline wants to know of it. HTML is extracted on the spot; text, markdown and
 * JSON are kept as they are; PDFs are read elsewhere, so that of those alone a promise comes back. Chunks are cut here for all kinds.
 */
import { type ContentKind, kindOfBody, kindOfType, mediaTypeOf, type OutputOptions } from '@trawl/contracts';
import { type Chunk, cutChunks } from '../chunk/cut.ts';
import { tokenCounter } from '../chunk/tokens.ts';
import { decodeHtml, decodeText } from '../decode.ts';
import { type ExtractedPage, type ExtractOptions, extractPage } from '../extract.ts';
import { contentHash, printText } from '../fingerprint.ts';
import { detectLanguage } from '../language.ts';
import type { PageMetadata } from '../metadata.ts';
import { collapseSpace } from '../space.ts';
import { readMarkdown } from './markdown-document.ts';
import { readPdf } from './pdf.ts';
import type { ReadPdf } from './pdf-thread.ts';

export interface DocumentOptions extends ExtractOptions {
  readonly chunks: OutputOptions['chunks'];
  /** Nobody waits for a PDF any more. */
  readonly signal?: AbortSignal;
}

export interface ExtractedDocument extends Omit<ExtractedPage, 'metadata'> {
  readonly metadata: PageMetadata & { readonly tokenCount: number };
  readonly chunks: readonly Chunk[];
}

/** Throws, or rejects, only for a PDF: with an `UnreadableDocument`, or the signal's reason. */
export function extractDocument(
  body: Buffer,
  contentType: string | null,
  options: DocumentOptions,
): ExtractedDocument | Promise<ExtractedDocument> {
  switch (kindOf(body, contentType, options.url)) {
    case 'html':
      return cut(extractPage(withoutZeros(decodeHtml(body, contentType).html), options), options, 'markdown');
    case 'markdown':
      return cut(markdownPage(decodedText(body, contentType), options.url), options, 'markdown');
    case 'text':
      return cut(textPage(decodedText(body, contentType), options.url, true), options, 'text');
    case 'json':
      return cut(textPage(decodedText(body, contentType), options.url, false), options, 'text');
    case 'pdf':
      return readPdf(body, options.signal).then((pdf) => cut(pdfPage(pdf, options.url), options, 'text'));
  }
}

/** Few servers have a type of their own for files of markdown. */
function kindOf(body: Buffer, contentType: string | null, url: string): ContentKind {
  const kind = documentKind(body, contentType);
  return kind === 'text' && MARKDOWN_NAME.test(URL.parse(url)?.pathname ?? '') ? 'markdown' : kind;
}

const MARKDOWN_NAME = /\.(?:md|markdown)$/i;

/** Of what was let in by whoever asked for it; a body that tells nothing is taken for HTML, which can be anything. */
export function documentKind(body: Buffer, contentType: string | null): ContentKind {
  const mediaType = mediaTypeOf(contentType);
  return (mediaType === null ? kindOfBody(body) : kindOfType(mediaType)) ?? 'html';
}

function cut(page: ExtractedPage, options: DocumentOptions, kind: 'markdown' | 'text'): ExtractedDocument {
  const chunks = cutChunks(page.markdown, { ...options.chunks, kind });
  const counter = tokenCounter(options.chunks.tokenizer);
  let tokenCount = 0;
  // What chunks repeat counts once. To count the whole page again would take a third as long as cutting it.
  for (const { tokens, overlap, text } of chunks)
    tokenCount += overlap === 0 ? tokens : tokens - counter.count(text, 0, overlap);
  return { ...page, metadata: { ...page.metadata, tokenCount }, chunks };
}

const decodedText = (body: Buffer, contentType: string | null): string =>
  withPlainLines(withoutZeros(decodeText(body, contentType).text));

/** Browsers drop them, and no database keeps them: places in the text must be the same everywhere. */
const withoutZeros = (text: string): string => (text.includes('\0') ? text.replaceAll('\0', '') : text);

const withPlainLines = (text: string): string => (text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text);

function textPage(text: string, url: string, isProse: boolean): ExtractedPage {
  return plainPage(text, { title: nameOf(url), language: isProse ? detectLanguage(text) : null });
}

function markdownPage(markdown: string, url: string): ExtractedPage {
  const { title, description, author, outline, links } = readMarkdown(markdown, url);
  return {
    ...plainPage(markdown, {
      title: title ?? nameOf(url),
      language: detectLanguage(markdown),
      about: { description, author, outline },
    }),
    links,
  };
}

/** Pages of paper as paragraphs one after the other. One without any text, such as a scan, is a page without text. */
function pdfPage(pdf: ReadPdf, url: string): ExtractedPage {
  const text = withoutZeros(pdf.pages.filter((page) => page !== '').join('\n\n'));
  return plainPage(text, {
    title: pdf.title ?? nameOf(url),
    language: pdf.language?.slice(0, 35) ?? detectLanguage(text),
    about: {
      description: pdf.subject,
      author: pdf.author,
      publishedAt: pdf.createdAt,
      modifiedAt: pdf.modifiedAt,
    },
  });
}

function plainPage(
  text: string,
  page: { readonly title: string | null; readonly language: string | null; readonly about?: Partial<PageMetadata> },
): ExtractedPage {
  const { wordCount, print } = printText(text);
  return {
    title: page.title,
    language: page.language,
    text,
    markdown: text,
    links: [],
    canonicalUrl: null,
    robots: { noindex: false, nofollow: false },
    metadata: { ...NO_METADATA, ...page.about, wordCount },
    contentHash: contentHash(collapseSpace(text).trim()),
    print,
    isShell: false,
  };
}

const NO_METADATA: PageMetadata = {
  description: null,
  author: null,
  publishedAt: null,
  modifiedAt: null,
  canonicalUrl: null,
  siteName: null,
  image: null,
  generator: null,
  keywords: [],
  wordCount: 0,
  outline: [],
  openGraph: {},
  jsonLd: [],
};

/** What a file is called, where nothing in it says more. */
function nameOf(url: string): string | null {
  const { hostname, pathname } = URL.parse(url) ?? { hostname: '', pathname: '' };
  const name = pathname.split('/').findLast((segment) => segment !== '') ?? hostname;
  try {
    return decodeURIComponent(name) || null;
  } catch {
    // Escapes of another encoding than UTF-8.
    return name || null;
  }
}
