/**
 * Fetches one claimed URL and says what became of it. Does not choose URLs (the claim did), nor pace them (the session),
 * nor parse (the process role), nor retry (the URL's task does).
 */
import { type BlobStore, compressBody } from '@trawl/blobs';
import { assertNever, type RunConfig, type RunId } from '@trawl/contracts';
import type { Claim, Failure, StepResult } from '@trawl/crawl-state';
import type { Fetcher, FetchReply } from '@trawl/fetcher';
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
  o: { readonly signal: AbortSignal; readonly onSent: () => void },
): Promise<FetchedUrl> {
  const { config } = run;
  const reply = await deps.fetcher.get({
    url: claim.url,
    userAgent: config.userAgent,
    timeoutMs: config.timeoutSeconds * 1000,
    maxBodyBytes: config.maxBodyBytes,
    ...o,
  });
  switch (reply.kind) {
    case 'page':
      return calm(await keepBody(claim, run, reply, deps), reply);
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
  deps: FetchUrlDeps,
): Promise<StepResult> {
  const compressed = await compressBody(reply.body);
  const { key, token } = claim;
  const info = {
    httpStatus: reply.status,
    contentType: reply.contentType,
    bytes: reply.bytes,
    elapsedMs: reply.elapsedMs,
    crawledAt: reply.date.getTime(),
    ...(reply.robotsTags.length > 0 ? { robotsTags: reply.robotsTags } : {}),
  };
  if (compressed.length <= deps.inlineBodyBytes) return { key, token, kind: 'ok', body: { bytes: compressed }, info };
  return { key, token, kind: 'ok', body: { ref: await deps.blobs.put(`${run.runId}/${token}`, compressed) }, info };
}

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
  // A page that is no page is nobody's fault: it is passed over, not failed.
  return calm({ key, token, kind: reply.error.code === 'NOT_HTML' ? 'skip' : 'fail', failure }, reply);
}
