/** Crawls during which processes are killed and Redis is restarted: the same page set, nothing lost, nothing stored twice. */

import type { Role } from '@trawl/contracts';
import { generateSite, startSite, waitFor } from '@trawl/testing';
import { afterEach, expect, it, onTestFinished } from 'vitest';
import { type Cluster, startCluster } from './cluster.ts';

let cluster: Cluster;
afterEach(() => cluster?.stop());

const deep = { maxDepth: 100_000, maxPages: 100_000 } as const;

async function slowSite(pages: number, delayMs: number) {
  const generated = generateSite({ pages });
  const web = await startSite({ pages: new Map([...generated].map(([path, p]) => [path, { ...p, delayMs }])) });
  onTestFinished(() => web.close());
  return { web, paths: [...generated.keys()].map((path) => web.url(path)).sort() };
}

async function stored(id: string): Promise<string[]> {
  return (await cluster.pages(id))
    .filter((p) => p.outcome === 'processed')
    .map((p) => p.url)
    .sort();
}

it('gets the exact page set though a random worker dies every second, the coordinators among them, and Redis restarts', async () => {
  cluster = await startCluster({ roles: { api: 1, discover: 2, fetch: 2, process: 2, coordinator: 2 } });
  const { web, paths } = await slowSite(2000, 25);
  const id = await cluster.startRun({ url: web.url('/'), ...deep });
  const victims: [Role, number][] = [
    ['fetch', 0],
    ['process', 0],
    ['coordinator', 0],
    ['fetch', 1],
    ['process', 1],
    ['coordinator', 1],
    ['discover', 0],
    ['discover', 1],
  ];
  let deaths = 0;
  const killing = setInterval(() => {
    const victim = victims[Math.floor(Math.random() * victims.length)] as [Role, number];
    cluster.kill(...victim);
    if (++deaths === 8)
      cluster.redis.restart().catch((error) => {
        throw error;
      });
    if (deaths >= 20) clearInterval(killing);
  }, 1000);
  onTestFinished(() => clearInterval(killing));

  let processed = 0;
  const end = await cluster.finished(id, {
    timeoutMs: 150_000,
    seen: (p) => {
      expect(p.processed).toBeGreaterThanOrEqual(processed);
      processed = p.processed;
    },
  });
  expect(deaths).toBe(20);
  expect(end).toMatchObject({ status: 'completed', processed: 2000, failed: 0, skipped: 0, total: 2000 });
  expect(await stored(id)).toEqual(paths);
  // At most what twenty dying sessions can have in hand, sixteen requests each.
  const twice = [...web.counts().values()].reduce((sum, n) => sum + n - 1, 0);
  console.info(`${twice} of 2000 pages were asked for once more`);
  expect(twice).toBeLessThan(320);
}, 200_000);

it('goes on elsewhere within 15 s of the death of the worker that held a host', async () => {
  cluster = await startCluster({ roles: { api: 1, discover: 1, fetch: 2, process: 1, coordinator: 1 } });
  const page = (...links: string[]) => ({ body: links.map((link) => `<a href="${link}">x</a>`).join('') });
  const web = await startSite({
    // Its first answer takes longer than the worker that waits for it will live.
    pages: ({ path }, attempt) => {
      if (path === '/slow') return attempt === 1 ? { ...page('/last'), delayMs: 25_000 } : page('/last');
      return path === '/' ? page('/slow', '/a', '/b') : page();
    },
  });
  onTestFinished(() => web.close());
  const id = await cluster.startRun({ url: web.url('/'), ...deep });
  await waitFor(() => web.count('/slow') === 1 && web.inFlight() === 1, { timeoutMs: 20_000, what: 'the slow page' });
  // Its connection shows which of the two holds the host.
  let died = performance.now();
  cluster.kill('fetch', 0);
  const wasTheOther = await waitFor(() => web.inFlight() === 0, { timeoutMs: 2000 }).then(
    () => false,
    () => true,
  );
  if (wasTheOther) {
    died = performance.now();
    cluster.kill('fetch', 1);
  }
  await waitFor(() => web.count('/slow') === 2, { timeoutMs: 30_000, what: 'the slow page to be asked for again' });
  const seconds = (performance.now() - died) / 1000;
  console.info(`asked for again ${seconds.toFixed(1)} s after the death of its worker`);
  expect(seconds).toBeLessThan(15);
  expect(await cluster.finished(id)).toMatchObject({ status: 'completed', processed: 5 });
}, 90_000);
