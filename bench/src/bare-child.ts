/** The process of the bare loop: crawls what its parent names, again and again, so that it is as warm as the roles are. */
import { Pool } from 'undici';
import { bareCrawl, CONCURRENCY } from './bare-crawl.ts';

const pools = new Map<string, Pool>();

const poolOf = (origin: string): Pool => {
  const pool = pools.get(origin) ?? new Pool(origin, { connections: CONCURRENCY });
  pools.set(origin, pool);
  return pool;
};

process.on('message', async (start: string) => {
  process.send?.(await bareCrawl(start, poolOf(new URL(start).origin)));
});
process.once('SIGTERM', () => process.exit(0));
process.once('disconnect', () => process.exit(0));
