/**
 * `npm run bench:renders`: whether memory stays where it is over many renders: that of this process, and that of all of the browser's.
 * Exit code 1 when one of them is further from what it was after the first fifth than it may be. Takes some minutes.
 */
import { parseArgs } from 'node:util';
import { createRenderer } from '@trawl/renderer';
import { startSite, testBrowser } from '@trawl/testing';

const MOST_APART = 0.15;
const SHELL = Buffer.from('<!doctype html><title>App</title><div id="root"></div><script src="/app.js"></script>');
/** Some 2,000 elements and an answer of 200 KB, as an application of middling size has. */
const APP = `fetch('/data').then((reply) => reply.json()).then((rows) => {
  document.getElementById('root').innerHTML = rows.map((row) => '<p><b>' + row + '</b></p>').join('');
});`;
const ROWS = JSON.stringify(Array.from({ length: 1000 }, (_, i) => `${'row '.repeat(50)}${i}`));

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { renders: { type: 'string', default: '1000' } } });
  const renders = Number(values.renders);
  const executablePath = await testBrowser();
  const site = await startSite({
    pages: new Map([
      ['/app.js', { body: APP, headers: { 'content-type': 'text/javascript' } }],
      ['/data', { body: ROWS, headers: { 'content-type': 'application/json' } }],
    ]),
  });
  const renderer = createRenderer({ executablePath, pages: 5, allowPrivateNetworks: true });
  const render = async (n: number): Promise<void> => {
    const reply = await renderer.render({
      url: site.url(`/page/${n}`),
      document: { status: 200, headers: [['content-type', 'text/html']], body: SHELL },
      userAgent: 'bench',
      timeoutMs: 30_000,
      waitMs: 0,
    });
    if (reply.kind !== 'rendered') throw new Error(`render ${n}: ${JSON.stringify(reply)}`);
  };
  try {
    const step = renders / 10;
    const seen: { worker: number; browser: number }[] = [];
    say('renders   ms each   worker MB   browser MB   browsers');
    for (let from = 0; from < renders; from += step) {
      const startedAt = performance.now();
      const [workers, browsers]: [number[], number[]] = [[], []];
      let next = from;
      const lane = async (): Promise<void> => {
        while (next < from + step) {
          await render(next++);
          workers.push(process.memoryUsage().rss / 2 ** 20);
          browsers.push(renderer.facts().memoryMb);
        }
      };
      await Promise.all(Array.from({ length: 5 }, lane));
      // Of what it is while it works: between two renders it is less by the pages that are open.
      const now = { worker: median(workers), browser: median(browsers) };
      seen.push(now);
      const each = (performance.now() - startedAt) / step;
      const figures = [each, now.worker, now.browser, renderer.facts().browserStarts].map((n, i) =>
        n.toFixed(0).padStart([10, 12, 13, 11][i] ?? 10),
      );
      say(`${String(from + step).padStart(7)}${figures.join('')}`);
    }
    const after = seen.slice(1);
    const apart = (of: (one: { worker: number; browser: number }) => number): number => {
      const [first = 0, ...rest] = after.map(of);
      return Math.max(...rest.map((one) => Math.abs(one / first - 1)));
    };
    const [worker, browser] = [apart((one) => one.worker), apart((one) => one.browser)];
    say(
      `from render ${step * 2} on: worker within ${percent(worker)}, browser within ${percent(browser)} of what it was then`,
    );
    return Math.max(worker, browser) <= MOST_APART ? 0 : 1;
  } finally {
    await renderer.close();
    await site.close();
  }
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

process.exitCode = await main();
