/**
 * Fetches one claimed URL and says what became of it. Does not choose URLs (the claim did), nor pace them (the session),
 * nor parse (the process role), nor retry (the URL's task does).
 */
import { hash } from 'node:crypto';
import { type BlobStore, compressBody } from '@trawl/blobs';
import { assertNever, type RunConfig, type RunId } from '@trawl/contracts';
import { type Claim, type Failure, type PageInfo, type StepResult, UNCHANGED_BODY } from '@trawl/crawl-state';
import type { KnownPage } from '@trawl/db';
import type { Fetcher, FetchReply, Validators } from '@trawl/fetcher';
import type { UrlRules } from '@trawl/url';

export interface FetchUrlDeps {
  readonly fetcher: Fetcher;
  readonly blobs: BlobStore;
  readonly inlineBodyBytes: number;
}

export interface FetchedUrl {
  readonly result: StepResult;
  /** The code of what shows that the host itself is in trouble: 429, 5xx, network errors. */
  readonly hostFailure: string | null;
  readonly retryAfterMs: number | null;
  /** How long the host took to begin its answer. */
  readonly headMs: number | null;
}

/** What a run asks of each of its requests. */
export interface RunRequests {
  readonly runId: RunId;
  readonly config: RunConfig;
  readonly rules: UrlRules;
}

/** The first retry waits this long, each further one twice as long; a host that is blocked waits longer by itself. */
const FIRST_RETRY_MS = 1000;

export async function fetchUrl(
  claim: Claim,
  run: RunRequests,
  deps: FetchUrlDeps,
  o: { readonly signal: AbortSignal; readonly onSent: () => void; readonly known: KnownPage | undefined },
): Promise<FetchedUrl> {
  const { config } = run;
  const { known, ...rest } = o;
  const reply = await deps.fetcher.get({
    url: claim.url,
    userAgent: config.userAgent,
    timeoutMs: config.timeoutSeconds * 1000,
    maxBodyBytes: config.maxBodyBytes,
    keepsHead: config.output.html,
    ...(known && { known: { etag: known.etag, lastModified: known.lastModified } }),
    ...rest,
  });
  switch (reply.kind) {
    case 'page':
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
): Promise<StepResult> {
  const { key, token } = claim;
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
  };
  // What its headers ask of robots may be new though its body is not.
  if (known?.bodyHash === bodyHash && reply.robotsTags.length === 0)
    return unchanged(claim, { ...info, unchanged: 'same-body' });
  const compressed = await compressBody(reply.body);
  const body =
    compressed.length <= deps.inlineBodyBytes
      ? { bytes: compressed }
      : { ref: await deps.blobs.put(`${run.runId}/${token}`, compressed) };
  return { key, token, kind: 'ok', body, info: reply.head === undefined ? info : { ...info, head: reply.head } };
}

/** Settles a page as the source knows it. It has no body: what is known of it is read where it is kept. */
export function unchanged({ key, token }: Claim, info: PageInfo): StepResult {
  return { key, token, kind: 'ok', body: { ref: UNCHANGED_BODY }, info };
}

const sent = ({ etag, lastModified }: Validators): Pick<PageInfo, 'etag' | 'lastModified'> => ({
  ...(etag !== null && { etag }),
  ...(lastModified !== null && { lastModified }),
});

function redirected(claim: Claim, run: RunRequests, reply: FetchReply & { kind: 'redirect' }): StepResult {
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

function failed(claim: Claim, config: RunConfig, reply: FetchReply & { kind: 'failed' }): FetchedUrl {
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
    const afterMs = Math.max(Math.min(FIRST_RETRY_MS * 2 ** claim.attempts, longest), retryAfterMs ?? 0);
    const result: StepResult = { key, token, kind: 'retry', afterMs, failure };
    return { result, hostFailure: reply.error.code, retryAfterMs, headMs: reply.headMs };
  }
  // Content that is not read is nobody's fault: it is passed over, not failed.
  return calm({ key, token, kind: reply.error.code === 'UNSUPPORTED_TYPE' ? 'skip' : 'fail', failure }, reply);
}
