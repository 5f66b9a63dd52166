/** Bounds the requests a process has under way over all its sessions. A session that finds it used up is told when to look again. */

export interface RequestBudget {
  /** One request more, if there is room. */
  take(): boolean;
  give(): void;
  /** `look` is called once, when there may be room. */
  onRoom(look: () => void): void;
}

export function createRequestBudget(limit: number): RequestBudget {
  let used = 0;
  const waiting: (() => void)[] = [];
  return {
    take() {
      if (used >= limit) return false;
      used += 1;
      return true;
    },
    give() {
      used -= 1;
      waiting.shift()?.();
    },
    onRoom(look) {
      waiting.push(look);
    },
  };
}
