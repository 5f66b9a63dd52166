/** What the formats are made from. Where pages come from, and in which order, is up to whoever hands them over. */
import type { Page, PageSummary } from '@trawl/contracts';

/** Parts of a list of pages, each small enough to be held. None is asked for before the one before is written. */
export type PageParts<T> = AsyncIterable<readonly T[]>;

/** A page with its markdown and what it says of itself. */
export type MarkdownPage = PageSummary & Pick<Page, 'markdown' | 'metadata'>;

/** The same, with how many tokens its chunks have in all. */
export type CountedPage = MarkdownPage & { readonly tokenCount: number };

/** The site the pages are of. */
export interface ExportedSite {
  readonly name: string;
  /** Host and port whose pages lie at the top; those of other hosts are told apart by theirs. Null: there is none. */
  readonly mainHost: string | null;
}

/** A text of the metadata, which are whatever the page said: null where it is none. */
export function metadataText(page: Pick<Page, 'metadata'>, name: string): string | null {
  const value = page.metadata[name];
  return typeof value === 'string' && value !== '' ? value : null;
}

export function metadataNumber(page: Pick<Page, 'metadata'>, name: string): number | null {
  const value = page.metadata[name];
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}
