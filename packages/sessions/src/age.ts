/**
 * What a run that asks only for what may have changed does with a page it knows: new pages come first, then stale ones; fresh ones
 * last, and without a request. Which are which is decided when a URL is claimed, and its place in the frontier is changed accordingly.
 */
import type { Claim, StepResult } from '@trawl/crawl-state';
import type { KnownPage } from '@trawl/db';
import { type RunRequests, unchanged } from './fetch-url.ts';
import { isStale } from './staleness.ts';

/** Sitemaps are still being read: looked at again after this. */
const DISCOVERING_MS = 500;

/** Null: it is to be asked for now. */
export function decideByAge(
  claim: Claim,
  known: KnownPage,
  run: RunRequests,
  isDiscovering: boolean,
): StepResult | null {
  // A start page is what the rest is found from.
  if (!run.config.updateStale || run.rules.isStart(claim.key)) return null;
  const { key, token } = claim;
  if (isStale(known, Date.now())) return claim.age === 'stale' ? null : { key, token, kind: 'aged', age: 'stale' };
  // First out of the way of what is new, also while sitemaps are read.
  if (claim.age !== 'fresh') return { key, token, kind: 'aged', age: 'fresh' };
  if (isDiscovering) return { key, token, kind: 'later', afterMs: DISCOVERING_MS };
  const { httpStatus, contentType, crawledAt } = known;
  const info = { httpStatus, contentType, bytes: 0, elapsedMs: 0, crawledAt: crawledAt.getTime() };
  return unchanged(claim, { ...info, unchanged: 'fresh' });
}
