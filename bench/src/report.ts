/** The figures as text. Says what was measured and never whether it is enough: a shared machine decides too much of it. */
import type { Measured, MeasuredPipeline } from './measure.ts';
import type { SiteName } from './sites.ts';

export interface Round {
  readonly site: SiteName;
  readonly round: number;
  readonly bare: Measured;
  readonly pipeline: MeasuredPipeline;
}

const pagesPerSecond = ({ pages, elapsedMs }: Measured): number => (pages * 1000) / elapsedMs;
const ratioOf = ({ bare, pipeline }: Round): number => pagesPerSecond(pipeline) / pagesPerSecond(bare);

export function roundLine(round: Round): string {
  const { bare, pipeline } = round;
  return line([
    round.site,
    String(round.round),
    pagesPerSecond(bare).toFixed(0),
    pagesPerSecond(pipeline).toFixed(0),
    ratioOf(round).toFixed(2),
    perPage(totalCpuMs(bare), bare).toFixed(2),
    perPage(totalCpuMs(pipeline), pipeline).toFixed(2),
    perPage(pipeline.redis.scripts, pipeline).toFixed(2),
    coresOfOthers(round).toFixed(2),
  ]);
}

export const ROUND_HEADER = line([
  'site',
  'round',
  'bare/s',
  'trawl/s',
  'ratio',
  'bare CPU',
  'trawl CPU',
  'scripts',
  'others',
]);

/** The median of each figure over the rounds, in the same columns. */
export function medianLine(site: SiteName, rounds: readonly Round[]): string {
  const median = (figure: (round: Round) => number): number => medianOf(rounds.map(figure));
  return line([
    site,
    'median',
    median(({ bare }) => pagesPerSecond(bare)).toFixed(0),
    median(({ pipeline }) => pagesPerSecond(pipeline)).toFixed(0),
    median(ratioOf).toFixed(2),
    median(({ bare }) => perPage(totalCpuMs(bare), bare)).toFixed(2),
    median(({ pipeline }) => perPage(totalCpuMs(pipeline), pipeline)).toFixed(2),
    median(({ pipeline }) => perPage(pipeline.redis.scripts, pipeline)).toFixed(2),
    median(coresOfOthers).toFixed(2),
  ]);
}

/** CPU milliseconds per page of each process, and what Redis was asked: medians over the rounds. */
export function partsTable(bySite: ReadonlyMap<SiteName, readonly Round[]>): string {
  const sites = [...bySite.keys()];
  const row = (name: string, figure: (round: Round) => number): string =>
    `${name.padEnd(24)}${sites
      .map((site) =>
        medianOf((bySite.get(site) ?? []).map(figure))
          .toFixed(3)
          .padStart(10),
      )
      .join('')}`;
  const processes = [...new Set([...bySite.values()].flat().flatMap(({ pipeline }) => Object.keys(pipeline.cpuMs)))];
  return [
    `${'CPU ms per page'.padEnd(24)}${sites.map((site) => site.padStart(10)).join('')}`,
    ...processes
      .filter((name) => name !== 'server')
      .map((name) => row(name, ({ pipeline }) => perPage(pipeline.cpuMs[name] ?? 0, pipeline))),
    row('all of Trawl', ({ pipeline }) => perPage(totalCpuMs(pipeline), pipeline)),
    row('bare loop', ({ bare }) => perPage(totalCpuMs(bare), bare)),
    row('web server for Trawl', ({ pipeline }) => perPage(pipeline.cpuMs.server ?? 0, pipeline)),
    row('web server for bare', ({ bare }) => perPage(bare.cpuMs.server ?? 0, bare)),
    '',
    'Redis, per page',
    row('scripts', ({ pipeline }) => perPage(pipeline.redis.scripts, pipeline)),
    row('ms inside scripts', ({ pipeline }) => perPage(pipeline.redis.scriptMs, pipeline)),
    row('commands, nested too', ({ pipeline }) => perPage(pipeline.redis.commands, pipeline)),
  ].join('\n');
}

/** Of the contestant alone: the web server works for both. */
function totalCpuMs({ cpuMs }: Measured): number {
  return Object.entries(cpuMs).reduce((sum, [name, ms]) => (name === 'server' ? sum : sum + ms), 0);
}

/** How many cores' worth of time went to programs that have nothing to do with the benchmark. */
const coresOfOthers = ({ bare, pipeline }: Round): number =>
  (bare.othersCpuMs + pipeline.othersCpuMs) / (bare.elapsedMs + pipeline.elapsedMs);

const perPage = (amount: number, { pages }: Measured): number => amount / pages;

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}

function line(cells: readonly string[]): string {
  return cells.map((cell, index) => (index === 0 ? cell.padEnd(8) : cell.padStart(11))).join('');
}
