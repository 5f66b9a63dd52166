/** What a sitemap says, and what its reader says about it: the words shared by everything in this folder. */

export type ChangeFrequency = 'always' | 'hourly' | 'daily' | 'weekly' | 'monthly' | 'yearly' | 'never';

export interface SitemapEntry {
  /** Absolute http(s), resolved against the sitemap's own address; not normalized. */
  readonly url: string;
  readonly lastmod: Date | null;
  readonly changefreq: ChangeFrequency | null;
  readonly priority: number | null;
}

/** Told by content alone: names and content types of sitemaps are wrong too often. */
export type SitemapFormat = 'urlset' | 'index' | 'rss' | 'atom' | 'text';

export interface SitemapBatch {
  readonly entries: readonly SitemapEntry[];
  /** Further sitemaps that an index names. */
  readonly sitemaps: readonly string[];
}

export type SitemapProblemCode =
  /** Nothing but white space. */
  | 'EMPTY'
  /** A web page, another kind of XML, prose, binary data. */
  | 'NOT_A_SITEMAP'
  /** Reading stopped at the limit. */
  | 'TOO_LARGE'
  /** Damaged or cut off, as compressed data. */
  | 'GZIP_BROKEN'
  /** Ends before its last element does. */
  | 'TRUNCATED'
  /** Tags that are not closed, or close nothing. */
  | 'TAGS_MISMATCHED'
  /** Text or elements around the entries, where none belong. */
  | 'CONTENT_OUTSIDE'
  /** A document type that declares entities, which are never expanded. */
  | 'ENTITIES_DECLARED'
  /** An & in an address that begins no entity. */
  | 'STRAY_AMPERSANDS'
  /** Entries left out: no address, or none that can be used. */
  | 'UNUSABLE_ADDRESSES'
  /** A lastmod, changefreq or priority that can't be read; its entry counts. */
  | 'VALUES_IGNORED';

export interface SitemapProblem {
  readonly code: SitemapProblemCode;
  /** For people: one sentence, with numbers. */
  readonly message: string;
}

export interface SitemapReport {
  /** Null while unknown, and for what is no sitemap. */
  readonly format: SitemapFormat | null;
  readonly entries: number;
  readonly sitemaps: number;
  /** After decompression. */
  readonly bytes: number;
  /** Each code once, in a fixed order. */
  readonly problems: readonly SitemapProblem[];
  /** The whole file was read, and it ended where a sitemap ends. */
  readonly complete: boolean;
}

/** A longer address is left out. The protocol allows 2,048 characters; servers and caches refuse at 8 KiB. */
export const MAX_ADDRESS_CHARS = 8192;

/** How much of one value is kept as it stands in the file, where a character may be written as `&#x00041;`. */
export const MAX_RAW_CHARS = 4 * MAX_ADDRESS_CHARS;

/** Reads characters as they come and adds what it finds to `Findings` and `ProblemLog`. */
export interface SitemapParser {
  write(text: string): void;
  /** `isCut`: the end of the input is not the end of the file. */
  end(isCut: boolean): void;
  /** Enough was seen to know that this is no sitemap: the rest need not be read. */
  readonly hasGivenUp: boolean;
}
