/**
 * Connection pools, one per origin (and proxy), given up when unused. undici's own Agent keeps a pool for ever once its last
 * connection was cut off or refused (seen with 8.12), which a crawler of many hosts can't afford.
 * Does not bound the connections over all origins: whoever bounds the requests does.
 */
import type { Dispatcher, Pool } from 'undici';

export interface OriginPools {
  /** The pool of that name, kept until as many `release` calls as `acquire` calls were made, and a while longer. */
  acquire(name: string, open: () => Pool): Dispatcher;
  release(name: string): void;
  /** How many pools there are. */
  count(): number;
  /** Closes every connection, in use or not. */
  destroy(): Promise<void>;
}

interface OriginPool {
  readonly pool: Pool;
  users: number;
  unusedSince: number;
}

/** A pool that was unused for `keepMs` is closed, at the latest after twice that time. */
export function createOriginPools(keepMs: number): OriginPools {
  const pools = new Map<string, OriginPool>();

  const sweep = setInterval(() => {
    const before = performance.now() - keepMs;
    for (const [name, { pool, users, unusedSince }] of pools) {
      if (users > 0 || unusedSince > before) continue;
      pools.delete(name);
      // Not awaited: nothing waits for an idle socket to be gone.
      void pool.destroy();
    }
  }, keepMs).unref();

  return {
    acquire(name, open) {
      let entry = pools.get(name);
      if (entry === undefined) {
        entry = { pool: open(), users: 0, unusedSince: 0 };
        pools.set(name, entry);
      }
      entry.users += 1;
      return entry.pool;
    },

    release(name) {
      const entry = pools.get(name);
      if (entry === undefined || entry.users === 0) throw new Error(`a pool was released more often than acquired`);
      entry.users -= 1;
      entry.unusedSince = performance.now();
    },

    count: () => pools.size,

    async destroy() {
      clearInterval(sweep);
      await Promise.all([...pools.values()].map(({ pool }) => pool.destroy()));
      pools.clear();
    },
  };
}
