/**
 * `npm run bench:renders`: whether memory stays where it is over many renders: that of a render worker, started as `npm start` does, and that
 * of all processes of its browser. Exit code 1 when one of them is further from what it was after the first fifth than it may be.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runAcceptedSchema, runSchema } from '@trawl/contracts';
import { clearOrphans } from '@trawl/embedded';
import { startSite, testBrowser } from '@trawl/testing';
import { type Pipeline, startPipeline } from './pipeline.ts';
import { createProcesses } from './processes.ts';

const DATA = fileURLToPath(new URL('../../.cache/bench/renders', import.meta.url));
const MOST_APART = 0.15;
const SAMPLE_MS = 250;
const SHELL = '<!doctype html><title>App</title><div id="root"></div><script src="/app.js"></script>';
/** Some 2,000 elements and an answer of 200 KB, as an application of middling size has. */
const APP = `fetch('/data').then((reply) => reply.json()).then((rows) => {
  document.getElementById('root').innerHTML = rows.map((row) => '<p><b>' + row + '</b></p>').join('');
});`;
const ROWS = JSON.stringify(Array.from({ length: 1000 }, (_, i) => `${'row '.repeat(50)}${i}`));

interface Memory {
  readonly worker: number;
  readonly browser: number;
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { renders: { type: 'string', default: '1000' } } });
  const renders = Number(values.renders);
  for (const sentence of await clearOrphans(DATA)) say(sentence);
  rmSync(DATA, { recursive: true, force: true });
  mkdirSync(DATA, { recursive: true });
  let rendered = 0;
  const site = await startSite({
    pages: ({ path }) => {
      if (path === '/robots.txt') return { status: 404, body: '' };
      if (path === '/app.js') return { body: APP, headers: { 'content-type': 'text/javascript' } };
      if (path !== '/data') return { body: SHELL };
      rendered += 1;
      return { body: ROWS, headers: { 'content-type': 'application/json' } };
    },
  });
  const processes = createProcesses(DATA);
  const env = { BROWSER_PATH: await testBrowser() };
  let pipeline: Pipeline | null = null;
  try {
    pipeline = await startPipeline({ dataDir: DATA, processes, profileDir: null, env, onNotice: say });
    const urls = Array.from({ length: renders }, (_, n) => site.url(`/page/${n}`));
    const runId = await startRun(pipeline, urls);
    const seen = await measure(pipeline.pids.get('render') ?? 0, renders / 10, 10, () => rendered, processes.died);
    await untilCompleted(pipeline, runId, renders);
    const [worker, browser] = [apart(seen, 'worker'), apart(seen, 'browser')];
    say(
      `from render ${renders / 5} on: worker within ${percent(worker)}, browser within ${percent(browser)} of what it was then`,
    );
    return Math.max(worker, browser) <= MOST_APART ? 0 : 1;
  } finally {
    await processes.stop();
    await pipeline?.stop();
    await site.close();
    rmSync(DATA, { recursive: true, force: true });
  }
}

/** The median of each step: between two pages memory is less by what is open. */
async function measure(
  pid: number,
  step: number,
  steps: number,
  rendered: () => number,
  died: Promise<never>,
): Promise<Memory[]> {
  const seen: Memory[] = [];
  say('renders   ms each   worker MB   browser MB');
  for (let n = 1; n <= steps; n++) {
    const startedAt = performance.now();
    const samples: Memory[] = [];
    while (rendered() < n * step) {
      await Promise.race([delay(SAMPLE_MS), died]);
      samples.push(memoryOf(pid));
    }
    const now = {
      worker: median(samples.map(({ worker }) => worker)),
      browser: median(samples.map(({ browser }) => browser)),
    };
    seen.push(now);
    const each = (performance.now() - startedAt) / step;
    say(
      `${String(n * step).padStart(7)}${each.toFixed(0).padStart(10)}${now.worker.toFixed(0).padStart(12)}${now.browser.toFixed(0).padStart(13)}`,
    );
  }
  return seen;
}

/** Of the worker all that is resident; of the browser, whose processes share their program's pages, what is not a file. */
function memoryOf(workerPid: number): Memory {
  const processes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), status: statusOf(name) }));
  const tree = [workerPid];
  for (const parent of tree)
    tree.push(...processes.filter(({ status }) => kilobytes(status, 'PPid') === parent).map(({ pid }) => pid));
  const browser = processes.filter(({ pid }) => pid !== workerPid && tree.includes(pid));
  const ofBrowser = browser.reduce(
    (sum, { status }) => sum + kilobytes(status, 'RssAnon') + kilobytes(status, 'RssShmem'),
    0,
  );
  return { worker: kilobytes(statusOf(String(workerPid)), 'VmRSS') / 1024, browser: ofBrowser / 1024 };
}

function statusOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    // Gone since it was listed.
    return '';
  }
}

const kilobytes = (status: string, name: string): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);

async function startRun({ apiUrl }: Pipeline, urls: readonly string[]): Promise<string> {
  const answer = await fetch(`${apiUrl}/v1/runs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ urls, mode: 'urls', render: 'always', maxPages: urls.length, policy: 'fast' }),
  });
  if (answer.status !== 202) throw new Error(`the run was refused: ${await answer.text()}`);
  return runAcceptedSchema.parse(await answer.json()).id;
}

async function untilCompleted({ apiUrl }: Pipeline, runId: string, renders: number): Promise<void> {
  for (;;) {
    const { status, stats } = runSchema.parse(await (await fetch(`${apiUrl}/v1/runs/${runId}`)).json());
    const done = stats?.rendered ?? 0;
    if (status === 'completed' && done === renders) return;
    if (status !== 'running' && status !== 'finalizing')
      throw new Error(`the run is ${status}, with ${done} of ${renders} pages rendered`);
    await delay(200);
  }
}

const apart = (seen: readonly Memory[], of: keyof Memory): number => {
  const [first = 0, ...rest] = seen.slice(1).map((one) => one[of]);
  return Math.max(...rest.map((one) => Math.abs(one / first - 1)));
};
const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

process.exitCode = await main();
