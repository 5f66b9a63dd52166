/** JSON Lines: a page per line, as `GET /v1/pages/:id` shows it. */
import type { Page } from '@trawl/contracts';
import type { PageParts } from './pages.ts';
import { inPieces } from './pieces.ts';

/** What else an object handed over may carry is not written. */
export function exportJsonl(parts: PageParts<Page>): AsyncGenerator<Buffer, void, undefined> {
  return inPieces(lines(parts));
}

async function* lines(parts: PageParts<Page>): AsyncGenerator<string> {
  for await (const pages of parts) for (const page of pages) yield `${JSON.stringify(fieldsOf(page))}\n`;
}

function fieldsOf(page: Page): Page {
  return {
    id: page.id,
    url: page.url,
    finalUrl: page.finalUrl,
    depth: page.depth,
    parentUrl: page.parentUrl,
    outcome: page.outcome,
    httpStatus: page.httpStatus,
    contentType: page.contentType,
    title: page.title,
    language: page.language,
    bytes: page.bytes,
    elapsedMs: page.elapsedMs,
    rendered: page.rendered,
    change: page.change,
    contentHash: page.contentHash,
    duplicateOf: page.duplicateOf,
    crawledAt: page.crawledAt,
    error: page.error,
    markdown: page.markdown,
    text: page.text,
    links: page.links,
    chunks: page.chunks,
    metadata: page.metadata,
    html: page.html,
    screenshot: page.screenshot,
  };
}
