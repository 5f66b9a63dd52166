/** What of a page goes into the search index: rows for `search_pages` and `search_chunks`. Pure. */
import { hash } from 'node:crypto';
import type { ChunkToSave } from '../types.ts';
import { configFor } from './languages.ts';
import { plainText, searchable } from './plain-text.ts';

/** Of a text, characters that are indexed. A tsvector holds 1 MiB at most; this much stays below it whatever the text is. */
const MOST_INDEXED = 100_000;
const MOST_TITLE = 1000;
const MOST_HEADINGS = 2000;

export interface PageToIndex {
  readonly id: number;
  readonly url: string;
  readonly title: string | null;
  readonly language: string | null;
  readonly rendition: string;
  readonly chunks: readonly ChunkToSave[];
}

export interface SearchPageRow {
  readonly page_id: number;
  readonly rendition: string;
  readonly url: string;
  readonly path: string;
  readonly title: string | null;
  readonly language: string | null;
  readonly config: string;
}

export interface SearchChunkRow {
  readonly page_id: number;
  readonly chunk_id: string;
  readonly index: number;
  readonly heading_path: readonly string[];
  readonly tokens: number;
  readonly text: string;
  readonly hash: string;
  readonly config: string;
  readonly title: string;
  readonly headings: string;
  readonly words: string;
}

export function searchRows(page: PageToIndex, configs: ReadonlySet<string>): [SearchPageRow, SearchChunkRow[]] {
  const config = configFor(page.language, configs);
  const title = page.title ?? '';
  const row: SearchPageRow = {
    page_id: page.id,
    rendition: page.rendition,
    url: page.url,
    path: URL.canParse(page.url) ? new URL(page.url).pathname : '/',
    title: page.title,
    language: page.language,
    config,
  };
  const chunks = new Map<string, SearchChunkRow>();
  for (const chunk of page.chunks) {
    // Those of pages that an earlier version saved have no id.
    const id = chunk.id ?? String(chunk.index);
    // The same words in the same place of the same page: once is enough.
    if (chunks.has(id)) continue;
    const words = searchable(plainText(chunk.text.slice(0, MOST_INDEXED)));
    chunks.set(id, {
      page_id: page.id,
      chunk_id: id,
      index: chunk.index,
      heading_path: chunk.headingPath,
      tokens: chunk.tokens,
      text: chunk.text,
      hash: hash('sha256', embeddingInput({ ...chunk, title }), 'hex').slice(0, 32),
      config,
      title: searchable(title.slice(0, MOST_TITLE)),
      headings: searchable(chunk.headingPath.join('\n').slice(0, MOST_HEADINGS)),
      words,
    });
  }
  return [row, [...chunks.values()]];
}

/** What an embedding of a chunk is made from: with the page's title and the headings above it, which it often does not repeat. */
export function embeddingInput(chunk: {
  readonly title: string | null;
  readonly headingPath: readonly string[];
  readonly text: string;
}): string {
  const above = [chunk.title ?? '', ...chunk.headingPath].filter((part) => part !== '').join(' > ');
  return `${above}\n\n${plainText(chunk.text)}`.trim();
}
