/** One measurement of each contestant on one site: pages per second, CPU of every process, scripts in Redis. */
import type { BareLoop } from './bare-loop.ts';
import { cpuTimesMs } from './cpu-time.ts';
import { requireSamePages } from './page-set.ts';
import type { Pipeline } from './pipeline.ts';
import { countsBetween, type RedisCounts } from './redis-scripts.ts';

export interface Measured {
  readonly pages: number;
  readonly elapsedMs: number;
  /** By process. */
  readonly cpuMs: Readonly<Record<string, number>>;
}

export interface MeasuredPipeline extends Measured {
  readonly redis: RedisCounts;
}

/** Repeats until `leastMs` have been measured. */
export async function measureBare(
  bare: BareLoop,
  o: { start: string; pages: ReadonlySet<string>; serverPid: number; leastMs: number },
): Promise<Measured> {
  const pids = new Map([
    ['bare', bare.pid],
    ['server', o.serverPid],
  ]);
  const before = cpuTimesMs(pids);
  let elapsedMs = 0;
  let pages = 0;
  while (elapsedMs < o.leastMs) {
    const crawl = await bare.crawl(o.start);
    requireSamePages('The bare loop', o.pages, crawl.pages);
    elapsedMs += crawl.elapsedMs;
    pages += crawl.pages.length;
  }
  return { pages, elapsedMs, cpuMs: between(before, cpuTimesMs(pids)) };
}

export async function measurePipeline(
  pipeline: Pipeline,
  o: { start: string; pages: ReadonlySet<string>; serverPid: number; leastMs: number },
): Promise<MeasuredPipeline> {
  const pids = new Map([...pipeline.pids, ['server', o.serverPid]]);
  const before = { cpu: cpuTimesMs(pids), redis: await pipeline.redisCounts() };
  const runs: string[] = [];
  let elapsedMs = 0;
  while (elapsedMs < o.leastMs) {
    const crawl = await pipeline.crawl(o.start);
    elapsedMs += crawl.elapsedMs;
    runs.push(crawl.runId);
  }
  const after = { cpu: cpuTimesMs(pids), redis: await pipeline.redisCounts() };
  // Asked afterwards: reading the rows is not part of the crawl.
  for (const runId of runs) requireSamePages('The pipeline', o.pages, await pipeline.processedUrls(runId));
  return {
    pages: runs.length * o.pages.size,
    elapsedMs,
    cpuMs: between(before.cpu, after.cpu),
    redis: countsBetween(before.redis, after.redis),
  };
}

function between(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): Record<string, number> {
  return Object.fromEntries([...after].map(([name, ms]) => [name, ms - (before.get(name) ?? 0)]));
}
