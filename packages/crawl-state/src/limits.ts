/** The numbers a run is kept by: what its owner asked for, and the lengths of its leases. */
import { type RunConfig, rendersAll } from '@trawl/contracts';

export interface RunLimits {
  readonly maxPages: number;
  readonly maxUrls: number;
  readonly maxDepth: number;
  /** Attempts a URL has: at the last of so many retryable failures it is failed. The first attempt is always made. */
  readonly maxRetries: number;
  /** How often a URL may be lost with its worker before it is failed. */
  readonly maxLost: number;
  /** URLs of one path template before its pages must bring something new. */
  readonly templateQuota: number;
  /** The same for templates of a kind that sites make without end. */
  readonly endlessQuota: number;
  /** Fetched and not yet processed pages at which claims stop, and at which they go on. */
  readonly high: number;
  readonly low: number;
  /** Length of every lease; renewed by its holder each second or two, healed by the coordinator past it. */
  readonly leaseMs: number;
  /** How long after its time a parked session is looked at again. */
  readonly parkMs: number;
  /** 1: every page is fetched by a worker with a browser. */
  readonly rendersAll: 0 | 1;
}

/** 8 s and a tick of 2 s: work goes on elsewhere within 15 s of a `kill -9`, a restarted worker's start included. */
const LEASES = { maxLost: 5, high: 200, low: 100, leaseMs: 8000, parkMs: 5000 };

export function limitsOf(config: RunConfig): RunLimits {
  return {
    ...LEASES,
    maxPages: config.maxPages,
    maxUrls: config.maxUrls,
    // What the other modes take is a list: start pages and sitemap entries, all of depth 0.
    maxDepth: config.mode === 'crawl' ? config.maxDepth : 0,
    maxRetries: config.maxRetries,
    templateQuota: config.guards.templateQuota,
    endlessQuota: Math.min(config.guards.endlessQuota, config.guards.templateQuota),
    rendersAll: rendersAll(config) ? 1 : 0,
  };
}
