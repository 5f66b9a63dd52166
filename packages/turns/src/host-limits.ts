/** What a run asks of a host's gate: its own numbers and, where it respects them, those of the host's robots.txt. */
import type { RunConfig } from '@trawl/contracts';
import { type HostLimits, type HostRobots, productTokenOf } from '@trawl/politeness';

/** With the grant's 2 s, a dead session's slots are free when its lease is over and the host is opened again. */
const SLOT_MARGIN_MS = 6000;

/** `robots` is null for a run that does not respect them. */
function crawlDelayMs(config: RunConfig, robots: HostRobots | null): number {
  const asked = robots?.crawlDelaySeconds(productTokenOf(config.userAgent)) ?? config.defaultCrawlDelay;
  return Math.ceil(Math.min(config.maxCrawlDelay, Math.max(config.minCrawlDelay, asked)) * 1000);
}

export function hostLimits(config: RunConfig, robots: HostRobots | null): HostLimits {
  const { backoff } = config;
  return {
    parallel: config.maxParallelPerHost,
    delayMs: crawlDelayMs(config, robots),
    slotMarginMs: config.strictHostLimit ? config.timeoutSeconds * 1000 : SLOT_MARGIN_MS,
    backoff: {
      backoffMs: backoff.firstSeconds * 1000,
      doubles: backoff.growth === 'doubling',
      maxBackoffMs: config.maxRetryBackoffSeconds * 1000,
      circuitFailures: backoff.circuitFailures,
      circuitMs: backoff.circuitSeconds * 1000,
    },
  };
}
