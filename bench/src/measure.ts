/** One measurement of each contestant on one site: pages per second, CPU of every process, scripts in Redis. */
import type { BareLoop } from './bare-loop.ts';
import { cpuTimesMs, machineCpuMs } from './cpu-time.ts';
import { requireSamePages } from './page-set.ts';
import type { Pipeline } from './pipeline.ts';
import { countsBetween, type RedisCounts } from './redis-scripts.ts';

export interface Measured {
  readonly pages: number;
  readonly elapsedMs: number;
  /** By process. */
  readonly cpuMs: Readonly<Record<string, number>>;
  /** What other programs of the machine used meanwhile: with much of it, times say little. */
  readonly othersCpuMs: number;
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
  const usage = startUsage(pids);
  let elapsedMs = 0;
  let pages = 0;
  while (elapsedMs < o.leastMs) {
    const crawl = await bare.crawl(o.start);
    requireSamePages('The bare loop', o.pages, crawl.pages);
    elapsedMs += crawl.elapsedMs;
    pages += crawl.pages.length;
  }
  return { pages, elapsedMs, ...usage() };
}

export async function measurePipeline(
  pipeline: Pipeline,
  o: { start: string; pages: ReadonlySet<string>; serverPid: number; leastMs: number },
): Promise<MeasuredPipeline> {
  const pids = new Map([...pipeline.pids, ['server', o.serverPid]]);
  const redisBefore = await pipeline.redisCounts();
  const usage = startUsage(pids);
  const runs: string[] = [];
  let elapsedMs = 0;
  while (elapsedMs < o.leastMs) {
    const crawl = await pipeline.crawl(o.start);
    elapsedMs += crawl.elapsedMs;
    runs.push(crawl.runId);
  }
  const used = usage();
  const redis = countsBetween(redisBefore, await pipeline.redisCounts());
  // Asked afterwards: reading the rows is not part of the crawl.
  for (const runId of runs) requireSamePages('The pipeline', o.pages, await pipeline.processedUrls(runId));
  return { pages: runs.length * o.pages.size, elapsedMs, ...used, redis };
}

/** Call what it returns to learn what has been used since. */
function startUsage(pids: ReadonlyMap<string, number>): () => Pick<Measured, 'cpuMs' | 'othersCpuMs'> {
  const before = { ours: cpuTimesMs(pids), machine: machineCpuMs() };
  return () => {
    const ours = [...cpuTimesMs(pids)].map(([name, ms]) => [name, ms - (before.ours.get(name) ?? 0)] as const);
    const oursMs = ours.reduce((sum, [, ms]) => sum + ms, 0);
    return {
      cpuMs: Object.fromEntries(ours),
      othersCpuMs: Math.max(0, machineCpuMs() - before.machine - oursMs),
    };
  };
}
