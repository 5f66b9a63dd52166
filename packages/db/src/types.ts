/** What goes into and comes out of the store, as the rest of Trawl sees it. Tables are in `schema.ts`; what a client sees is in `@trawl/contracts`. */
import type {
  Discovery,
  FinalStatus,
  PageOutcome,
  RunConfig,
  RunId,
  RunStats,
  RunStatus,
  SourceId,
  UrlError,
  UrlKey,
} from '@trawl/contracts';
import type { KeptAccess } from './source-types.ts';

/** A run's row. Times are ISO 8601 UTC, as in the API. */
export interface RunRow {
  readonly id: RunId;
  readonly sourceId: SourceId;
  readonly status: RunStatus;
  /** True once nothing may be saved for it any more. */
  readonly sealed: boolean;
  readonly config: RunConfig;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  readonly stats: RunStats | null;
  readonly warnings: readonly string[];
  readonly discovery: Discovery | null;
  readonly error: string | null;
}

export interface NewRun {
  readonly id: RunId;
  /** Null makes a source of its own, named after the host of the first URL. */
  readonly sourceId: SourceId | null;
  /** What is known of that new source already. */
  readonly newSource?: { readonly id: SourceId; readonly access: KeptAccess | null };
  readonly config: RunConfig;
  readonly idempotencyKey?: string;
  /** Hash of the request that came with the key: the same key with another request is refused. */
  readonly requestHash?: string;
}

export type InsertRunResult =
  | { readonly kind: 'inserted'; readonly run: RunRow }
  | { readonly kind: 'exists'; readonly run: RunRow }
  | { readonly kind: 'key-reused' }
  | { readonly kind: 'no-source' };

/** One part of a list. `bad-cursor`: the cursor is not one that this list gave out. */
export type Listed<T> =
  | { readonly kind: 'listed'; readonly items: readonly T[]; readonly nextCursor: string | null }
  | { readonly kind: 'bad-cursor' };

export interface ListRunsOptions {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly status?: RunStatus | undefined;
}

export interface ListPagesOptions {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly outcome?: PageOutcome | undefined;
  /** Part of the URL or the title, taken literally; case does not matter. */
  readonly q?: string | undefined;
}

export interface PageLink {
  readonly url: string;
  readonly text: string;
  readonly rel: string;
}

export interface ChunkToSave {
  /** Told apart from others of its page by content. */
  readonly id: string;
  readonly index: number;
  readonly text: string;
  readonly headingPath: readonly string[];
  readonly tokens: number;
  /** Where it stands in the markdown, and how much of what is before it the text repeats. */
  readonly start: number;
  readonly end: number;
  readonly overlap: number;
}

/** A processed page, as a worker hands it over. */
export interface PageToSave {
  readonly key: UrlKey;
  readonly url: string;
  readonly finalUrl: string;
  readonly depth: number;
  readonly parentUrl: string | null;
  readonly httpStatus: number;
  readonly contentType: string | null;
  readonly title: string | null;
  readonly language: string | null;
  readonly bytes: number;
  readonly elapsedMs: number;
  readonly contentHash: string;
  /** Of the body as it came, and what the server names it by. */
  readonly bodyHash?: string | null;
  readonly etag?: string | null;
  readonly lastModified?: string | null;
  readonly simhash?: bigint | null;
  /** A browser read it. */
  readonly rendered?: boolean;
  /** Where the answer is kept as it came; null where the run keeps none. */
  readonly rawRef?: string | null;
  /** Where a picture of it is kept; null where the run keeps none. */
  readonly shotRef?: string | null;
  /** Null where the run keeps no markdown. */
  readonly markdown: string | null;
  readonly text: string;
  readonly links: readonly PageLink[];
  readonly metadata: object;
  readonly chunks: readonly ChunkToSave[];
  readonly crawledAt: Date;
  /** Read for its links only, and why. Its row lasts as long as the run may ask for them again. */
  readonly skipped?: UrlError;
}

/** A page that is as the source knows it. */
export interface UnchangedPage {
  readonly key: UrlKey;
  readonly depth: number;
  readonly parentUrl: string | null;
  readonly httpStatus: number;
  readonly elapsedMs: number;
  /** When it was asked for; null where it was not, as it was not due. */
  readonly crawledAt: Date | null;
  readonly etag: string | null;
  readonly lastModified: string | null;
}

/** What a source knows of a page, as far as asking for it again goes. */
export interface KnownPage {
  readonly httpStatus: number;
  readonly contentType: string | null;
  readonly etag: string | null;
  readonly lastModified: string | null;
  readonly bodyHash: string | null;
  readonly contentHash: string;
  readonly crawledAt: Date;
  readonly rendered: boolean;
  /** What sitemaps say of it, where one names it, or did. */
  readonly sitemap: KnownSitemapEntry | null;
}

export interface KnownSitemapEntry {
  readonly lastmod: Date | null;
  readonly changefreq: string | null;
  /** Sitemaps named it before, and the last reading of them did not. */
  readonly isDropped: boolean;
}

/** An entry of a sitemap, as the cache keeps it. */
export interface SitemapEntryRow {
  readonly url: string;
  readonly lastmod: Date | null;
  readonly changefreq: string | null;
  readonly priority: number | null;
}

/** Blobs that were kept of a page, and are not by the run that saved it last. */
export interface ReleasedAnswer {
  readonly keyHash: string;
  readonly rawRef: string | null;
  readonly shotRef: string | null;
}

export type SavePagesResult =
  /** `released`, where there are any: to be deleted, then forgotten (`forgetAnswers`). Until then they are named with each save. */
  | { readonly kind: 'saved'; readonly released?: readonly ReleasedAnswer[] }
  | { readonly kind: 'sealed' }
  | { readonly kind: 'no-run' };

export interface KnownLinks {
  readonly url: string;
  readonly links: readonly PageLink[];
  /** By the page's own robots directive. */
  readonly nofollow: boolean;
  readonly canonicalUrl: string | null;
}

export interface KeyDepth {
  readonly key: UrlKey;
  readonly depth: number;
}

/** A URL that ended as failed or skipped. */
export interface OutcomeRow {
  readonly key: UrlKey;
  readonly url: string;
  readonly finalUrl: string | null;
  readonly depth: number;
  readonly parentUrl: string | null;
  readonly outcome: 'failed' | 'skipped';
  readonly httpStatus: number | null;
  readonly contentType: string | null;
  readonly bytes: number | null;
  readonly elapsedMs: number | null;
  readonly error: UrlError;
  readonly crawledAt: Date;
}

/** Numbers that only the rows know: finalization counts them itself. */
export type CountedStats = Pick<RunStats, 'new' | 'changed' | 'unchanged' | 'gone' | 'bytes' | 'rendered'>;

export interface ComparePages {
  /** Texts that differ in at most so many of 64 bits are duplicates. */
  readonly nearDuplicateBits: number;
  /** The identity of a URL by the run's normalization; null for what is no URL. */
  readonly keyOf: (url: string) => UrlKey | null;
}

export interface FinalizeRunOptions {
  readonly status: FinalStatus;
  readonly stats: Omit<RunStats, keyof CountedStats>;
  readonly warnings: readonly string[];
  /** Why the run as a whole failed, as a sentence. */
  readonly error?: string | undefined;
  readonly processedCount: number;
  /**
   * Asked when all outcomes are written. Whether the run saw all there is: then a known page that it did not meet is gone, if it was this
   * run's to find. Null: the run was cut short, took a list, or could not see everything.
   */
  readonly wasToFind?: () => ((url: string) => boolean) | null;
  /** How duplicates are found; absent: by equal content only. */
  readonly compare?: ComparePages;
  /** Read only if the number of rows is not `processedCount`. */
  readonly processedKeys: () => AsyncIterable<readonly UrlKey[]>;
  readonly depths: () => AsyncIterable<readonly KeyDepth[]>;
  readonly outcomes: AsyncIterable<readonly OutcomeRow[]>;
}
