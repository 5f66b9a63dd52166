/** How the quality measures call the extractor: one place, so that all of them measure the same options. */
import { extractPage } from '@trawl/extract';

export interface Extracted {
  readonly markdown: string;
  readonly text: string;
  readonly ms: number;
}

export function runExtractor(html: string, url: string): Extracted {
  const start = performance.now();
  const { markdown, text } = extractPage(html, { url, mainContent: true, includeSelectors: [], excludeSelectors: [] });
  return { markdown, text, ms: performance.now() - start };
}
