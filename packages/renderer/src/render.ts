/** What is asked of a render and what can come of it, as types and the one function that words a failure. Knows nothing of Playwright. */
import type { SiteAccess, UrlErrorCode } from '@trawl/contracts';

export interface RenderRequest {
  readonly url: string;
  /** The page as our own fetcher got it. The browser is given this; it never asks for the document itself. */
  readonly document: RenderDocument;
  readonly userAgent: string;
  /** For the whole render, once it has a place and the browser runs. */
  readonly timeoutMs: number;
  /** A further wait once the network is idle. */
  readonly waitMs: number;
  /** The longest wait for an idle network; always within `timeoutMs`. Default 10,000. */
  readonly idleCapMs?: number;
  /** A longer page is refused. In characters; default 16 Mi. */
  readonly maxHtmlLength?: number;
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly locale?: string;
  /** Images and fonts are loaded for it. A full page is cut at 16,384 pixels. */
  readonly screenshot?: { readonly fullPage: boolean };
  /** What its requests carry, and the proxy that they go through. */
  readonly access?: SiteAccess | null;
  /** Aborting makes the call reject with the signal's reason. */
  readonly signal?: AbortSignal;
}

export interface RenderDocument {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Decompressed. */
  readonly body: Buffer;
}

export interface RenderError {
  readonly code: UrlErrorCode;
  /** A sentence for people. */
  readonly message: string;
  /** May the same URL succeed later? */
  readonly retryable: boolean;
}

export interface Rendered {
  readonly kind: 'rendered';
  readonly html: string;
  /** Where the page said it was at the end: of the same document, so a fragment or what pushState made of it. */
  readonly finalUrl: string;
  /** PNG; null if not asked for, or if the page could not be painted in the time left. */
  readonly screenshot: Buffer | null;
  /** False: taken as it was when the wait for an idle network was over. */
  readonly becameIdle: boolean;
  /** Requests of the page that the address guard refused. */
  readonly blocked: number;
}

/** The page itself went elsewhere, by script or meta refresh. Not followed. */
export interface Moved {
  readonly kind: 'moved';
  /** Absolute http(s) URL without credentials and fragment. */
  readonly location: string;
}

export interface RenderFailure {
  readonly kind: 'failed';
  readonly error: RenderError;
}

export type RenderOutcome = Rendered | Moved | RenderFailure;
/** The time is that of the render, the wait for a place not included. */
export type RenderReply = RenderOutcome & { readonly elapsedMs: number };

/** Everything but these would fail in the same way again. */
const RETRYABLE: ReadonlySet<UrlErrorCode> = new Set<UrlErrorCode>([
  'RENDER_CRASHED',
  'RENDER_TIMEOUT',
  'RENDER_UNAVAILABLE',
]);

export function failure(code: UrlErrorCode, message: string): RenderFailure {
  return { kind: 'failed', error: { code, message, retryable: RETRYABLE.has(code) } };
}
