/** What robots.txt says of one claimed URL. Does not ask for the file (the session does). */
import type { RunConfig } from '@trawl/contracts';
import type { Claim, StepResult } from '@trawl/crawl-state';
import { type HostRobots, productTokenOf, type RobotsTxt } from '@trawl/politeness';

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
  const why = whyDisallowed(claim.url, file, config);
  return why === null ? { kind: 'allowed' } : { kind: 'disallowed', result: robotsRefusal(claim, why) };
}

/** In a sentence with the rule that says so; null for what is allowed. `file` is that of its origin. */
export function whyDisallowed(url: string, file: RobotsTxt, config: Pick<RunConfig, 'userAgent'>): string | null {
  const verdict = file.forAgent(productTokenOf(config.userAgent)).verdict(url);
  if (verdict.allowed) return null;
  const rule = verdict.rule === null ? '' : `: "${verdict.rule.text}" (line ${verdict.rule.line})`;
  return `robots.txt of ${new URL(url).origin} disallows it${rule}.`;
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
