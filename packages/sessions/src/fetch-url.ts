/**
 * Fetches one claimed URL and says what became of it. Does not choose URLs (the claim did), nor pace them (the session),
 * nor parse (the process role), nor retry (the URL's task does).
 */
import { hash } from 'node:crypto';
import { type BlobStore, compressBody } from '@trawl/blobs';
import { assertNever, carriedTo, isProxyFault, type RunConfig, type RunId } from '@trawl/contracts';
import {
  type Claim,
  type Failure,
  type PageInfo,
  type Rendering,
  type StepResult,
  UNCHANGED_BODY,
} from '@trawl/crawl-state';
import type { KnownPage } from '@trawl/db';
import type { AnswerHead, FetchError, Fetcher, FetchReply, Validators } from '@trawl/fetcher';
import { type OpenedAccess, UNREADABLE_ACCESS } from '@trawl/runtime';
import type { UrlRules } from '@trawl/url';

export interface FetchUrlDeps {
  readonly fetcher: Fetcher;
  readonly blobs: BlobStore;
  readonly inlineBodyBytes: number;
  /** What a browser makes of a page. Where there is none, a page is as the server sent it. */
  readonly browse?: (page: ServedPage, o: { readonly signal: AbortSignal }) => Promise<Browsed>;
}

/** A page as it was served, to be looked at by a browser. */
export interface ServedPage {
  readonly url: string;
  readonly reply: FetchReply & { kind: 'page' };
  readonly run: RunRequests;
  /** Of its path template. */
  readonly rendering: Rendering;
}

export type Browsed =
  /** There is nothing to be rendered: it is as it was served. */
  | { readonly kind: 'as-served' }
  | {
      readonly kind: 'rendered';
      readonly html: Buffer;
      readonly finalUrl: string;
      readonly gained: boolean;
      readonly becameIdle: boolean;
      readonly screenshot: Buffer | null;
    }
  /** A script of it leads elsewhere. */
  | { readonly kind: 'moved'; readonly location: string }
  | { readonly kind: 'failed'; readonly error: FetchError };

export interface FetchedUrl {
  readonly result: StepResult;
  /** The code of what shows that the host itself is in trouble: 429, 5xx, network errors. */
  readonly hostFailure: string | null;
  /** It did not get as far as the host: nothing was learned of that. */
  readonly isUnsent?: true;
  readonly retryAfterMs: number | null;
  /** How long the host took to begin its answer. */
  readonly headMs: number | null;
}

/** What a run asks of each of its requests. */
export interface RunRequests {
  readonly runId: RunId;
  readonly config: RunConfig;
  readonly rules: UrlRules;
  /** What its source's requests carry. */
  readonly access: OpenedAccess;
  /** Workers with a browser are there. */
  readonly canRender: boolean;
}

/** The first retry waits this long, each further one twice as long; a host that is blocked waits longer by itself. */
const FIRST_RETRY_MS = 1000;
const NO_BROWSER_MS = 5000;

export async function fetchUrl(
  claim: Claim,
  run: RunRequests,
  deps: FetchUrlDeps,
  o: {
    readonly signal: AbortSignal;
    readonly onSent: () => void;
    readonly known: KnownPage | undefined;
    readonly rendering: Rendering;
  },
): Promise<FetchedUrl> {
  const { config } = run;
  const { rendering } = o;
  // Not asked for without it: what comes then is a page for strangers, or the end of a login after too many tries.
  if (run.access.kind === 'unreadable') return unsent(claim, config, unreadable());
  // A shell is the same whatever it will be filled with: what a browser reads is asked for anew.
  const known = deps.browse ? undefined : o.known;
  const reply = await deps.fetcher.get({
    url: claim.url,
    userAgent: config.userAgent,
    timeoutMs: config.timeoutSeconds * 1000,
    maxBodyBytes: config.maxBodyBytes,
    keepsHead: config.output.html || deps.browse !== undefined,
    ...(config.locale !== null && { language: config.locale }),
    ...carriedTo(claim.url, run.access.access),
    signal: o.signal,
    onSent: o.onSent,
    ...(known && { known: { etag: known.etag, lastModified: known.lastModified } }),
  });
  switch (reply.kind) {
    case 'page':
      if (deps.browse) return calm(await browsed(claim, run, { reply, rendering }, deps, deps.browse, o.signal), reply);
      return calm(await keepBody(claim, run, reply, known, deps), reply);
    case 'unchanged': {
      const { elapsedMs, date } = reply;
      const info = { httpStatus: reply.status, contentType: known?.contentType ?? null, bytes: 0, elapsedMs };
      return calm(
        unchanged(claim, { ...info, crawledAt: date.getTime(), ...sent(reply), unchanged: 'not-modified' }),
        reply,
      );
    }
    case 'redirect':
      return calm(redirected(claim, run, reply), reply);
    case 'failed':
      return failed(claim, config, reply);
    default:
      return assertNever(reply);
  }
}

const calm = (result: StepResult, { headMs }: FetchReply): FetchedUrl => ({
  result,
  hostFailure: null,
  retryAfterMs: null,
  headMs,
});

async function keepBody(
  claim: Claim,
  run: RunRequests,
  reply: FetchReply & { kind: 'page' },
  known: KnownPage | undefined,
  deps: FetchUrlDeps,
  seen: Pick<PageInfo, 'rendered' | 'seenByRenderer' | 'finalUrl' | 'shotRef'> = {},
): Promise<StepResult> {
  const { key, token } = claim;
  const { config } = run;
  const bodyHash = hash('sha256', reply.body, 'base64url');
  const info: PageInfo = {
    httpStatus: reply.status,
    contentType: reply.contentType,
    bytes: reply.bytes,
    elapsedMs: reply.elapsedMs,
    crawledAt: reply.date.getTime(),
    bodyHash,
    ...sent(reply),
    ...(reply.robotsTags.length > 0 ? { robotsTags: reply.robotsTags } : {}),
    ...seen,
  };
  // What its headers ask of robots may be new though its body is not.
  if (known?.bodyHash === bodyHash && reply.robotsTags.length === 0)
    return unchanged(claim, { ...info, unchanged: 'same-body' });
  const compressed = await compressBody(reply.body);
  const body =
    compressed.length <= deps.inlineBodyBytes
      ? { bytes: compressed }
      : { ref: await deps.blobs.put(`${run.runId}/${token}`, compressed) };
  return {
    key,
    token,
    kind: 'ok',
    body,
    info: config.output.html && reply.head ? { ...info, head: keptHead(reply.head, run.access) } : info,
  };
}

/** Who shows a session is told of it again: what a cookie of the source's access says is not to be in what it exports. */
function keptHead(head: AnswerHead, access: OpenedAccess): AnswerHead {
  if (access.kind === 'open' && access.access === null) return head;
  return { ...head, headers: head.headers.filter(([name]) => !/^set-cookie2?$/i.test(name)) };
}

/** A page that was served, once a browser has looked at it. */
async function browsed(
  claim: Claim,
  run: RunRequests,
  { reply, rendering }: Pick<ServedPage, 'reply' | 'rendering'>,
  deps: FetchUrlDeps,
  browse: NonNullable<FetchUrlDeps['browse']>,
  signal: AbortSignal,
): Promise<StepResult> {
  const began = performance.now();
  const result = await browse({ url: claim.url, reply, run, rendering }, { signal }).catch(
    (error: unknown): Browsed => {
      signal.throwIfAborted();
      // Of this page, and so of the next attempt as well: never for nothing.
      return {
        kind: 'failed',
        error: { code: 'RENDER_FAILED', message: `It broke what reads it: ${error}.`, retryable: true },
      };
    },
  );
  const elapsedMs = reply.elapsedMs + performance.now() - began;
  switch (result.kind) {
    case 'as-served':
      return keepBody(claim, run, reply, undefined, deps, { seenByRenderer: true });
    case 'rendered': {
      const { html, gained, becameIdle, finalUrl, screenshot } = result;
      const { head: _head, ...served } = reply;
      // A body that a script has made is no answer of the server's: it goes without the head of one.
      const page = { ...served, elapsedMs, body: html, bytes: html.length, contentType: 'text/html; charset=utf-8' };
      const seen = {
        seenByRenderer: true,
        rendered: { gained, ...(!becameIdle && { isRestless: true as const }) },
        ...(finalUrl !== claim.url && { finalUrl }),
        ...(screenshot && { shotRef: await deps.blobs.put(`${run.runId}/shots/${claim.token}`, screenshot) }),
      } as const;
      return keepBody(claim, run, page, undefined, deps, seen);
    }
    case 'moved':
      return redirected(claim, run, { status: reply.status, elapsedMs, location: result.location });
    case 'failed':
      // Nothing is wrong with the page: it waits until there is a browser, or is found to be none.
      if (result.error.code === 'RENDER_UNAVAILABLE')
        return { key: claim.key, token: claim.token, kind: 'later', afterMs: NO_BROWSER_MS };
      return retryOrFail(claim, run.config, result.error, { httpStatus: reply.status, elapsedMs });
    default:
      return assertNever(result);
  }
}

/** Settles a page as the source knows it. It has no body: what is known of it is read where it is kept. */
export function unchanged({ key, token }: Claim, info: PageInfo): StepResult {
  return { key, token, kind: 'ok', body: { ref: UNCHANGED_BODY }, info };
}

const sent = ({ etag, lastModified }: Validators): Pick<PageInfo, 'etag' | 'lastModified'> => ({
  ...(etag !== null && { etag }),
  ...(lastModified !== null && { lastModified }),
});

function redirected(
  claim: Claim,
  run: RunRequests,
  reply: { readonly status: number; readonly elapsedMs: number; readonly location: string },
): StepResult {
  const { key, token } = claim;
  const verdict = run.rules.check(reply.location, claim.url);
  const failure = (message: string): Failure => ({
    error: { code: 'REDIRECTED', message, retryable: false, attempts: claim.attempts + 1 },
    httpStatus: reply.status,
    elapsedMs: reply.elapsedMs,
    finalUrl: reply.location,
    at: Date.now(),
  });
  if (verdict.kind === 'refused') {
    const message = `It redirects to ${reply.location}, which is not part of this run (${verdict.reason}).`;
    return { key, token, kind: 'skip', failure: failure(message) };
  }
  if (verdict.link.key === key) return { key, token, kind: 'moved', to: verdict.link };
  return { key, token, kind: 'redirect', target: verdict.link, failure: failure(`It redirects to ${reply.location}.`) };
}

/** What kept a request from going out is the worker's, or the source's proxy's. */
const unsent = (claim: Claim, config: RunConfig, error: FetchError): FetchedUrl => ({
  result: retryOrFail(claim, config, error),
  ...NOTHING_LEARNED,
});

const NOTHING_LEARNED = { hostFailure: null, isUnsent: true, retryAfterMs: null, headMs: null } as const;

/** Another worker may have the key. */
const unreadable = (): FetchError => ({ code: 'ACCESS_UNREADABLE', message: UNREADABLE_ACCESS, retryable: true });

function failed(claim: Claim, config: RunConfig, reply: FetchReply & { kind: 'failed' }): FetchedUrl {
  if (isProxyFault(reply.error.code)) return unsent(claim, config, reply.error);
  const { key, token } = claim;
  const attempts = claim.attempts + 1;
  const failure: Failure = {
    error: { ...reply.error, attempts },
    httpStatus: reply.status,
    ...(reply.contentType !== null && { contentType: reply.contentType }),
    elapsedMs: reply.elapsedMs,
    at: Date.now(),
  };
  if (reply.error.retryable) {
    const longest = config.maxRetryBackoffSeconds * 1000;
    const retryAfterMs = reply.retryAfterMs === null ? null : Math.min(reply.retryAfterMs, longest);
    const afterMs = Math.max(retryMs(claim, config), retryAfterMs ?? 0);
    const result: StepResult = { key, token, kind: 'retry', afterMs, failure };
    if (reply.mayBeProxys) return { result, ...NOTHING_LEARNED };
    return { result, hostFailure: reply.error.code, retryAfterMs, headMs: reply.headMs };
  }
  // Content that is not read is nobody's fault: it is passed over, not failed.
  return calm({ key, token, kind: reply.error.code === 'UNSUPPORTED_TYPE' ? 'skip' : 'fail', failure }, reply);
}

const retryMs = (claim: Claim, config: RunConfig): number =>
  Math.min(FIRST_RETRY_MS * 2 ** claim.attempts, config.maxRetryBackoffSeconds * 1000);

/** Of what says nothing of the host: it failed in a browser, or before it was sent. */
export function retryOrFail(
  claim: Claim,
  config: RunConfig,
  error: FetchError,
  answer: { readonly httpStatus?: number; readonly elapsedMs?: number } = {},
): StepResult {
  const { key, token } = claim;
  const failure: Failure = { error: { ...error, attempts: claim.attempts + 1 }, ...answer, at: Date.now() };
  return error.retryable
    ? { key, token, kind: 'retry', afterMs: retryMs(claim, config), failure }
    : { key, token, kind: 'fail', failure };
}
