/** What robots.txt says of one claimed URL. Does not ask for the file (the session does). */
import type { RunConfig } from '@trawl/contracts';
import type { Claim, StepResult } from '@trawl/crawl-state';
import { type HostRobots, productTokenOf } from '@trawl/politeness';

export type RobotsDecision =
  | { readonly kind: 'allowed' }
  /** Its origin's file must be asked for first. */
  | { readonly kind: 'unknown'; readonly origin: string }
  | { readonly kind: 'disallowed'; readonly result: StepResult };

export function decideByRobots(claim: Claim, config: RunConfig, robots: HostRobots | null): RobotsDecision {
  if (robots === null) return { kind: 'allowed' };
  const { origin } = new URL(claim.url);
  const file = robots.of(origin);
  if (file === null) return { kind: 'unknown', origin };
  const verdict = file.forAgent(productTokenOf(config.userAgent)).verdict(claim.url);
  if (verdict.allowed) return { kind: 'allowed' };
  const rule = verdict.rule === null ? '' : `: "${verdict.rule.text}" (line ${verdict.rule.line})`;
  return { kind: 'disallowed', result: robotsRefusal(claim, `robots.txt of ${origin} disallows it${rule}.`) };
}

/** -1 is the contract's HTTP status of a URL that was never asked for. */
function robotsRefusal(claim: Claim, message: string): StepResult {
  const { key, token, attempts } = claim;
  const error = { code: 'ROBOTS_DISALLOWED' as const, message, retryable: false, attempts };
  return { key, token, kind: 'skip', failure: { error, httpStatus: -1, at: Date.now() } };
}

/** robots.txt has been out of reach for longer than the run has patience. */
export function robotsUnreachable(claim: Claim, origin: string, reason: string | null): StepResult {
  const { key, token, attempts } = claim;
  const message = `robots.txt of ${origin} can't be read${reason === null ? '' : ` (${reason})`}, so nothing may be asked for.`;
  const error = { code: 'ROBOTS_UNREACHABLE' as const, message, retryable: true, attempts };
  return { key, token, kind: 'fail', failure: { error, httpStatus: -1, at: Date.now() } };
}
