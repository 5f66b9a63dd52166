/**
 * Connection pools, one per origin, given up when unused. undici's own Agent keeps a pool for ever once its last
 * connection was cut off or refused (seen with 8.12), which a crawler of many hosts can't afford.
 * Does not bound the connections over all origins: whoever bounds the requests does.
 */
import { type Dispatcher, Pool } from 'undici';

export interface OriginPools {
  /** The pool of an origin, kept until as many `release` calls as `acquire` calls were made, and a while longer. */
  acquire(origin: string): Dispatcher;
  release(origin: string): void;
  /** How many origins have a pool. */
  count(): number;
  /** Closes every connection, in use or not. */
  destroy(): Promise<void>;
}

interface OriginPool {
  readonly pool: Pool;
  users: number;
  unusedSince: number;
}

/** `options` are the same for each pool; one unused for `keepMs` is closed, at the latest after twice that time. */
export function createOriginPools(options: Pool.Options, keepMs: number): OriginPools {
  const pools = new Map<string, OriginPool>();

  const sweep = setInterval(() => {
    const before = performance.now() - keepMs;
    for (const [origin, { pool, users, unusedSince }] of pools) {
      if (users > 0 || unusedSince > before) continue;
      pools.delete(origin);
      // Not awaited: nothing waits for an idle socket to be gone.
      void pool.destroy();
    }
  }, keepMs).unref();

  return {
    acquire(origin) {
      let entry = pools.get(origin);
      if (entry === undefined) {
        entry = { pool: new Pool(origin, options), users: 0, unusedSince: 0 };
        pools.set(origin, entry);
      }
      entry.users += 1;
      return entry.pool;
    },

    release(origin) {
      const entry = pools.get(origin);
      if (entry === undefined || entry.users === 0) throw new Error(`${origin} was released more often than acquired`);
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
