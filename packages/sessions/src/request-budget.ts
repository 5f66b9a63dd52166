/**
 * Bounds the requests a process has under way over all its sessions. What it bounds is work: a request that waits for a slow host
 * costs a socket and hardly anything else, so after two seconds it counts among the slow ones, of which there may be many more, and
 * its place is another's. Else a few slow hosts would keep all others from this process.
 */

/** One request. */
export interface RequestPlace {
  leave(): void;
}

export interface RequestBudget {
  /** A place for one request more, if there is room. */
  take(): RequestPlace | null;
  /** `look` is called once, when there may be room. */
  onRoom(look: () => void): void;
}

const SLOW_AFTER_MS = 2000;

export function createRequestBudget(o: {
  readonly requests: number;
  readonly slow: number;
  readonly slowAfterMs?: number;
}): RequestBudget {
  let quick = 0;
  let slow = 0;
  const waiting: (() => void)[] = [];
  const free = (): void => waiting.shift()?.();
  return {
    take() {
      if (quick >= o.requests) return null;
      quick += 1;
      let isSlow = false;
      const timer = setTimeout(() => {
        if (slow >= o.slow) return;
        isSlow = true;
        quick -= 1;
        slow += 1;
        free();
      }, o.slowAfterMs ?? SLOW_AFTER_MS);
      return {
        leave() {
          clearTimeout(timer);
          if (isSlow) slow -= 1;
          else {
            quick -= 1;
            free();
          }
        },
      };
    },
    onRoom(look) {
      waiting.push(look);
    },
  };
}
