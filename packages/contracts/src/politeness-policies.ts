/**
 * How hard a run may be on hosts, as named policies: one word instead of ten numbers. A number that a person does give
 * stands before its policy's. Knows nothing of how the numbers are kept (the host gate does).
 */
import { z } from 'zod';

export const POLICY_NAMES = ['gentle', 'standard', 'fast'] as const;

/** How long a failing host is left alone: 429, 500–504 and network errors. */
export const backoffSchema = z.strictObject({
  /** After the first failure; the host's own Retry-After goes before it. */
  firstSeconds: z.number().min(0.1).max(3600),
  /** The steps after that: 1, 1, 2, 3, 5, 8 … or 1, 2, 4, 8 … times the first. */
  growth: z.enum(['fibonacci', 'doubling']),
  /** So many failures in a row open the circuit: the host is left alone for `circuitSeconds`, then probed by one request. */
  circuitFailures: z.int().min(1).max(1000),
  circuitSeconds: z.number().min(0).max(86_400),
});

interface Policy {
  readonly maxParallelPerHost: number;
  readonly defaultCrawlDelay: number;
  readonly maxRetries: number;
  readonly maxRetryBackoffSeconds: number;
  readonly backoff: z.output<typeof backoffSchema>;
}

export const POLICIES: Readonly<Record<(typeof POLICY_NAMES)[number], Policy>> = {
  /** For small or foreign servers: one request a second, long rests. */
  gentle: {
    maxParallelPerHost: 2,
    defaultCrawlDelay: 1,
    maxRetries: 5,
    maxRetryBackoffSeconds: 1800,
    backoff: { firstSeconds: 10, growth: 'fibonacci', circuitFailures: 3, circuitSeconds: 300 },
  },
  standard: {
    maxParallelPerHost: 8,
    defaultCrawlDelay: 0,
    maxRetries: 5,
    maxRetryBackoffSeconds: 600,
    backoff: { firstSeconds: 3, growth: 'fibonacci', circuitFailures: 5, circuitSeconds: 60 },
  },
  /** For servers of one's own: 2, 4, 8 s, three tries. A Retry-After is obeyed all the same. */
  fast: {
    maxParallelPerHost: 16,
    defaultCrawlDelay: 0,
    maxRetries: 3,
    maxRetryBackoffSeconds: 600,
    backoff: { firstSeconds: 2, growth: 'doubling', circuitFailures: 5, circuitSeconds: 60 },
  },
};
