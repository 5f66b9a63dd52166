/** A zip archive with a markdown file for each page, named as `file-names.ts` says. */
import { createFileNamer } from './file-names.ts';
import { renderPageFile } from './page-file.ts';
import type { ExportedSite, MarkdownPage, PageParts } from './pages.ts';
import { createZipWriter } from './zip-writer.ts';

/** Where names collide the first page has the better one, so the same pages in the same order have the same names. */
export async function* exportZip(
  parts: PageParts<MarkdownPage>,
  site: ExportedSite,
): AsyncGenerator<Buffer, void, undefined> {
  const nameFile = createFileNamer(site.mainHost ?? '');
  const zip = createZipWriter();
  for await (const pages of parts) {
    for (const page of pages) {
      const modified = new Date(page.crawledAt);
      yield await zip.file(nameFile(page.url), renderPageFile(page), modified);
    }
  }
  yield* zip.end();
}
