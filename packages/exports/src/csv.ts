/**
 * CSV as RFC 4180 has it: a header, CRLF, quotes doubled. Values are written as they are: a cell that begins with `=` is what the page
 * says, and a program that would run it as a formula has to be told that the column is text.
 */
import { type CountedPage, metadataNumber, metadataText, type PageParts } from './pages.ts';
import { inPieces } from './pieces.ts';

type Cell = string | number | null;

const COLUMNS: Readonly<Record<string, (page: CountedPage) => Cell>> = {
  id: (page) => page.id,
  url: (page) => page.url,
  finalUrl: (page) => page.finalUrl,
  title: (page) => page.title,
  description: (page) => metadataText(page, 'description'),
  author: (page) => metadataText(page, 'author'),
  language: (page) => page.language,
  publishedAt: (page) => metadataText(page, 'publishedAt'),
  modifiedAt: (page) => metadataText(page, 'modifiedAt'),
  canonicalUrl: (page) => metadataText(page, 'canonicalUrl'),
  depth: (page) => page.depth,
  parentUrl: (page) => page.parentUrl,
  httpStatus: (page) => page.httpStatus,
  contentType: (page) => page.contentType,
  bytes: (page) => page.bytes,
  wordCount: (page) => metadataNumber(page, 'wordCount'),
  tokenCount: (page) => page.tokenCount,
  change: (page) => page.change,
  duplicateOf: (page) => page.duplicateOf,
  contentHash: (page) => page.contentHash,
  crawledAt: (page) => page.crawledAt,
  markdown: (page) => page.markdown,
};
const READERS = Object.values(COLUMNS);

export function exportCsv(parts: PageParts<CountedPage>): AsyncGenerator<Buffer, void, undefined> {
  return inPieces(rows(parts));
}

async function* rows(parts: PageParts<CountedPage>): AsyncGenerator<string> {
  yield `${Object.keys(COLUMNS).join(',')}\r\n`;
  for await (const pages of parts)
    for (const page of pages) yield `${READERS.map((read) => cell(read(page))).join(',')}\r\n`;
}

/** Nothing at all for null, a pair of quotes for an empty text: whoever cares can tell them apart. */
function cell(value: Cell): string {
  if (value === null) return '';
  const text = String(value);
  return text === '' || /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
