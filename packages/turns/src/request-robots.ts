/**
 * Asks an origin for its robots.txt, redirects included, and says what the answer means (RFC 9309, 2.3.1). Each request takes
 * its turn at the gate of the host it goes to. Does not keep the answer (the robots cache does), nor read its rules.
 *
 *   2xx                                      the rules
 *   other 4xx, a sixth redirect, nonsense    no rules: everything is allowed
 *   429, 5xx, timeouts, broken connections   not known: nothing is allowed until it is, and the host gets a rest
 *   no such host, TLS, a private address     no rules: the pages meet the same error, and say it themselves
 *   perhaps the source's proxy's fault       not known, and nothing is said of the host: others have other ways to it
 */
import { carriedTo, isProxyFault, type SiteAccess } from '@trawl/contracts';
import type { FetchError, Fetcher, TextReply } from '@trawl/fetcher';
import { MAX_ROBOTS_BYTES } from '@trawl/politeness';

const MAX_REDIRECTS = 5;
/** What the next attempt may find otherwise is not kept for long. */
const BRIEFLY_MS = 60_000;
/** Longer than this no robots.txt is worth waiting for. */
const MAX_TIMEOUT_MS = 30_000;

/** Errors that a page of the origin would meet as well. */
const SAME_FOR_PAGES = /^(DNS_NOT_FOUND|PRIVATE_ADDRESS|ADDRESS_INVALID|TLS_)/;

export type RobotsReply =
  | { readonly kind: 'found'; readonly text: string; readonly maxAgeMs: number }
  | { readonly kind: 'failed'; readonly reason: string; readonly retryAfterMs: number | null }
  | { readonly kind: 'no-way'; readonly error: FetchError }
  /** There was no turn to be had. */
  | { readonly kind: 'dropped' };

export interface RobotsRequest {
  readonly fetcher: Pick<Fetcher, 'getText'>;
  readonly userAgent: string;
  readonly access: SiteAccess | null;
  readonly timeoutMs: number;
  readonly maxAgeMs: number;
  readonly signal: AbortSignal;
  /**
   * Makes one request at its turn. Null: there is none to be had now. Whoever gives the turn starts `send` in the same tick in
   * which it found that it may, and hears of the reply.
   */
  turn(url: string, send: (onSent: () => void) => Promise<TextReply>): Promise<TextReply | null>;
}

export async function requestRobots(origin: string, request: RobotsRequest): Promise<RobotsReply> {
  let url = `${origin}/robots.txt`;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const reply = await request.turn(url, (onSent) =>
      request.fetcher.getText({
        url,
        userAgent: request.userAgent,
        timeoutMs: Math.min(request.timeoutMs, MAX_TIMEOUT_MS),
        maxBytes: MAX_ROBOTS_BYTES,
        ...carriedTo(url, request.access),
        signal: request.signal,
        onSent,
      }),
    );
    if (reply === null) return { kind: 'dropped' };
    if (reply.kind !== 'redirect') return meaningOf(reply, request.maxAgeMs);
    url = reply.location;
  }
  return noRules(request.maxAgeMs);
}

function meaningOf(reply: Exclude<TextReply, { kind: 'redirect' }>, maxAgeMs: number): RobotsReply {
  if (reply.kind === 'text') return { kind: 'found', text: reply.body.toString('utf8'), maxAgeMs };
  const { status, error, retryAfterMs } = reply;
  if (reply.mayBeProxys || isProxyFault(error.code)) return { kind: 'no-way', error };
  if (status !== null && status >= 300 && status < 500 && status !== 429) return noRules(maxAgeMs);
  if (SAME_FOR_PAGES.test(error.code)) return noRules(BRIEFLY_MS);
  return { kind: 'failed', reason: error.code, retryAfterMs };
}

const noRules = (maxAgeMs: number): RobotsReply => ({ kind: 'found', text: '', maxAgeMs });
