/**
 * `npm run bench`: crawls two manuals from a local web server with the whole of Trawl and with a bare loop, in turns, and
 * prints how the two compare. Exit code 1 when a contestant did not get exactly the site's pages, or something broke.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { clearOrphans } from '@trawl/embedded';
import { type BareLoop, startBareLoop } from './bare-loop.ts';
import { measureBare, measurePipeline } from './measure.ts';
import { type Options, readOptions } from './options.ts';
import { type Pipeline, startPipeline } from './pipeline.ts';
import { createProcesses } from './processes.ts';
import { medianLine, partsTable, ROUND_HEADER, type Round, roundLine } from './report.ts';
import { findSite, type Site, type SiteName } from './sites.ts';
import { startWebServer, type WebServer } from './web-server.ts';

const CACHE = fileURLToPath(new URL('../../.cache/bench', import.meta.url));
/** In one place, so that the next start finds and ends what a kill of this process left running. */
const DATA = join(CACHE, 'data');
/** Shorter measurements are mostly noise. */
const LEAST_BARE_MS = 2000;
const LEAST_PIPELINE_MS = 2000;
const WARM_UP_MS = 1500;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function main(): Promise<number> {
  const parsed = readOptions(process.argv.slice(2));
  if (parsed.kind === 'invalid') {
    process.stderr.write(`${parsed.message}\n`);
    return 2;
  }
  if (process.platform !== 'linux') {
    process.stderr.write('The benchmark reads CPU times from /proc, so it runs on Linux only.\n');
    return 2;
  }
  const sites: Site[] = [];
  for (const name of parsed.options.sites) {
    const result = await findSite(name, CACHE);
    if (result.kind === 'unavailable') {
      process.stderr.write(`The pages of the ${name} site can't be had: ${result.message}.\n`);
      return 1;
    }
    sites.push(result.site);
  }
  return bench(sites, parsed.options);
}

async function bench(sites: readonly Site[], options: Options): Promise<number> {
  for (const sentence of await clearOrphans(DATA)) say(sentence);
  rmSync(DATA, { recursive: true, force: true });
  mkdirSync(DATA, { recursive: true });
  const processes = createProcesses(DATA);
  const interrupted = interruption();
  let starting: Promise<Pipeline> | null = null;
  const work = async (): Promise<number> => {
    const server = await startWebServer(sites, { cacheDir: CACHE, workDir: DATA, processes, onNotice: say });
    const bare = startBareLoop(processes, options.profileDir);
    starting = startPipeline({ dataDir: DATA, processes, profileDir: options.profileDir, onNotice: say });
    return compare({ sites, options, server, bare, pipeline: await starting });
  };
  try {
    return await Promise.race([work(), interrupted]);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    return 1;
  } finally {
    await processes.stop();
    // A start that was under way has to come to its end, or its servers would stay behind.
    const [started] = await Promise.allSettled([starting as Promise<Pipeline> | null]);
    if (started.status === 'fulfilled') await started.value?.stop();
    rmSync(DATA, { recursive: true, force: true });
  }
}

async function compare(o: {
  sites: readonly Site[];
  options: Options;
  server: WebServer;
  bare: BareLoop;
  pipeline: Pipeline;
}): Promise<number> {
  const { server, bare, pipeline, options } = o;
  const subjects = new Map<SiteName, { start: string; pages: ReadonlySet<string>; serverPid: number }>();
  say(
    `${availableParallelism()} cores, Node ${process.versions.node}, ${server.kind}, web server and all on this machine`,
  );
  for (const { name } of o.sites) {
    const start = server.startUrl(name);
    const first = await bare.crawl(start);
    const subject = { start, pages: new Set(first.pages), serverPid: server.pid };
    subjects.set(name, subject);
    say(`${name}: ${first.pages.length} pages${first.failed.length > 0 ? `, ${first.failed.length} dead links` : ''}`);
    await measureBare(bare, { ...subject, leastMs: WARM_UP_MS });
    await measurePipeline(pipeline, { ...subject, leastMs: WARM_UP_MS });
  }

  const bySite = new Map<SiteName, Round[]>();
  say(`\n${ROUND_HEADER}`);
  for (let round = 1; round <= options.rounds; round++) {
    for (const [site, subject] of subjects) {
      const measured: Round = {
        site,
        round,
        bare: await measureBare(bare, { ...subject, leastMs: LEAST_BARE_MS }),
        pipeline: await measurePipeline(pipeline, { ...subject, leastMs: LEAST_PIPELINE_MS }),
      };
      bySite.set(site, [...(bySite.get(site) ?? []), measured]);
      say(roundLine(measured));
    }
  }
  for (const [site, rounds] of bySite) say(medianLine(site, rounds));
  say(`\n${partsTable(bySite)}`);
  if (options.jsonFile !== null) {
    writeFileSync(options.jsonFile, `${JSON.stringify([...bySite.values()].flat(), null, 2)}\n`);
  }
  return 0;
}

/**
 * Rejects at the first signal, and when nobody reads the output any more. A second signal ends this process at once, and
 * the next start clears up after it.
 */
function interruption(): Promise<never> {
  return new Promise((_, reject) => {
    process.stdout.on('error', reject);
    for (const [signal, code] of [
      ['SIGINT', 130],
      ['SIGTERM', 143],
    ] as const) {
      process.once(signal, () => {
        process.once(signal, () => process.exit(code));
        process.exitCode = code;
        reject(new Error('Interrupted.'));
      });
    }
  });
}

const exitCode = await main();
process.exit(process.exitCode ?? exitCode);
