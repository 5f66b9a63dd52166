/**
 * Links this process has sent to a run already, with the depth they were sent for: most pages of a site then send Redis
 * nothing. Only links of pages whose settlement counted may come in, or a link would be lost with it.
 */
import type { RunId, UrlKey } from '@trawl/contracts';

export interface KnownLinks {
  /** Whether the run knows this link by a way as short as this. */
  has(key: UrlKey, depth: number): boolean;
  add(key: UrlKey, depth: number): void;
}

const MAX_LINKS_PER_RUN = 200_000;
const MAX_RUNS = 100;

export function createKnownLinks(): (runId: RunId) => KnownLinks {
  const byRun = new Map<RunId, Map<UrlKey, number>>();
  return (runId) => {
    let depths = byRun.get(runId);
    if (!depths) {
      const [oldest] = byRun.keys();
      if (byRun.size >= MAX_RUNS && oldest !== undefined) byRun.delete(oldest);
      depths = new Map();
      byRun.set(runId, depths);
    }
    const known = depths;
    return {
      has: (key, depth) => (known.get(key) ?? Number.POSITIVE_INFINITY) <= depth,
      add(key, depth) {
        // Forgetting all is harmless: the links are sent once more.
        if (known.size >= MAX_LINKS_PER_RUN) known.clear();
        if (!((known.get(key) ?? Number.POSITIVE_INFINITY) <= depth)) known.set(key, depth);
      },
    };
  };
}
