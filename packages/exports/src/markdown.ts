/** All pages in one markdown document: each as its file would be, one after the other. */
import { renderPageFile } from './page-file.ts';
import type { MarkdownPage, PageParts } from './pages.ts';
import { inPieces } from './pieces.ts';

export function exportMarkdown(parts: PageParts<MarkdownPage>): AsyncGenerator<Buffer, void, undefined> {
  return inPieces(documents(parts));
}

async function* documents(parts: PageParts<MarkdownPage>): AsyncGenerator<string> {
  for await (const pages of parts) for (const page of pages) yield `${renderPageFile(page)}\n`;
}
