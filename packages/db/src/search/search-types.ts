/** What the files of the search share: what is asked, what is found. What a client sees is in `@trawl/contracts`. */

export interface SearchFilters {
  /** A primary language subtag, e.g. `de`. */
  readonly language?: string | undefined;
  /** What the path of a page's URL begins with. */
  readonly path?: string | undefined;
}

/** A chunk that was found. */
export interface Hit {
  readonly pageId: number;
  readonly chunkId: string;
  readonly index: number;
  readonly score: number;
}

/** After which hit a list goes on. */
export type HitPosition = Pick<Hit, 'score' | 'pageId' | 'index'>;

/** Highest score first; the rest only makes the order one and the same each time. */
export function byScore(a: HitPosition, b: HitPosition): number {
  return b.score - a.score || a.pageId - b.pageId || a.index - b.index;
}

/** What a model makes of texts. */
export type EmbedAnswer =
  | { readonly kind: 'embedded'; readonly vectors: readonly (readonly number[])[] }
  /** These texts can't be embedded, or one of them. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** Nothing can, for now. */
  | { readonly kind: 'unavailable'; readonly reason: string; readonly retryAfterMs: number | null };

export interface Embedder {
  readonly model: string;
  /** How many texts at a time. */
  readonly batch: number;
  embed(texts: readonly string[], signal?: AbortSignal): Promise<EmbedAnswer>;
}
