/** Processes that are told to stop: each ends by itself, hands back what it holds, and the crawl goes on as if nothing was. */
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Role } from '@trawl/contracts';
import { type Db, openDb } from '@trawl/db';
import { type FixtureSite, generateSite, type SitePage, startSite, waitFor } from '@trawl/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Cluster, type Ended, type Progress, startCluster } from './cluster.ts';

const GRACE_MS = 10_000;

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({ roles: { api: 1, discover: 1, fetch: 2, process: 1, coordinator: 1 } });
}, 120_000);
afterEach(() => cluster.startAll());
afterAll(() => cluster?.stop());

const deep = { maxDepth: 100_000, maxPages: 100_000 } as const;
const page = (...links: string[]): SitePage => ({ body: links.map((link) => `<a href="${link}">x</a>`).join('') });

let sites = 0;

/** Each on a host of its own: what a failed test leaves behind blocks no other. */
async function site(pages: Parameters<typeof startSite>[0]['pages']): Promise<FixtureSite> {
  const web = await startSite({ pages, host: `127.0.0.${100 + ++sites}` });
  onTestFinished(() => web.close());
  return web;
}

async function slowSite(pages: number, delayMs: number) {
  const generated = generateSite({ pages });
  const web = await site(new Map([...generated].map(([path, p]) => [path, { ...p, delayMs }])));
  return { web, paths: [...generated.keys()].map((path) => web.url(path)).sort() };
}

async function stored(id: string): Promise<string[]> {
  return (await cluster.pages(id))
    .filter((p) => p.outcome === 'processed')
    .map((p) => p.url)
    .sort();
}

/** How many requests were more than one for a page. */
function askedAgain(web: FixtureSite): number {
  return [...web.counts()].reduce((sum, [path, n]) => sum + (path === '/robots.txt' ? 0 : n - 1), 0);
}

const until = (id: string, isSo: (progress: Progress) => boolean): Promise<unknown> =>
  waitFor(async () => isSo(await cluster.progress(id)), { timeoutMs: 30_000, what: String(isSo) });

/** Connections of a role that wait for a lock. To be asked outside a transaction: inside, it would show the same moment again and again. */
const waitingForLock = (role: Role, { sql }: Db) => sql`
  SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND application_name = ${`trawl-${role}`}`;

function expectGraceful(ends: readonly Ended[]): void {
  console.info(ends.map(({ name, ms }) => `${name} ${Math.round(ms)} ms`).join(', '));
  expect(ends.filter(({ exitCode, ms }) => exitCode !== 0 || ms > GRACE_MS)).toEqual([]);
}

it('a crawl stopped by SIGTERM on every process and started again finishes with the exact set', async () => {
  const { web, paths } = await slowSite(1500, 20);
  const id = await cluster.startRun({ url: web.url('/'), ...deep });
  await until(id, (progress) => progress.processed >= 300);
  const { processed } = await cluster.progress(id);
  expect(processed).toBeLessThan(800);
  const ends = await cluster.stopAll('SIGTERM');
  expect(ends).toHaveLength(7);
  expectGraceful(ends);
  expect(web.inFlight()).toBe(0);
  const asked = web.requests().length;

  const startedAt = performance.now();
  const [readyAt, wentOnAt] = await Promise.all([
    cluster.startAll().then(() => performance.now()),
    waitFor(() => web.requests().length > asked, { timeoutMs: 30_000, what: 'the crawl to go on' }).then(() =>
      performance.now(),
    ),
  ]);
  const seconds = (at: number): string => `${((at - startedAt) / 1000).toFixed(1)} s`;
  const end = await cluster.finished(id);
  expect(end).toMatchObject({ status: 'completed', total: 1500, processed: 1500, failed: 0, skipped: 0, queued: 0 });
  expect(await stored(id)).toEqual(paths);
  console.info(
    `stopped at ${processed}; ready after ${seconds(readyAt)}, went on after ${seconds(wentOnAt)}; ${askedAgain(web)} asked again`,
  );
  // All were answered before the hand-back was due, so none needed to go back.
  expect(askedAgain(web)).toBe(0);
}, 90_000);

describe('one SIGTERM ends, with 0 and in time,', () => {
  it('a fetch worker whose request takes a minute; another asks again, and no attempt is counted', async () => {
    const web = await site(({ path }, attempt) => {
      if (path === '/slow') return attempt === 1 ? { ...page(), delayMs: 60_000 } : page();
      return path === '/' ? page('/slow', '/a') : path === '/a' ? page() : undefined;
    });
    // Alone, so that it is known who has the request.
    expectGraceful([await cluster.signal('fetch', 1, 'SIGTERM')]);
    const id = await cluster.startRun({ url: web.url('/'), ...deep, timeoutSeconds: 120, maxRetries: 0 });
    await waitFor(() => web.count('/slow') === 1, { timeoutMs: 20_000, what: 'the slow page' });
    await cluster.startAll();
    expectGraceful([await cluster.signal('fetch', 0, 'SIGTERM')]);
    expect(await cluster.finished(id)).toMatchObject({ status: 'completed', processed: 3, failed: 0 });
    expect(web.count('/slow')).toBe(2);
    const slow = (await cluster.pages(id)).find(({ url }) => url === web.url('/slow'));
    expect(slow).toMatchObject({ outcome: 'processed', error: null });
  }, 60_000);

  it.each<[Role, (id: string, db: Db) => Promise<unknown>]>([
    // As it is when the request that started the run died: discovery itself moves the row on.
    ['discover', (id, { sql }) => sql`UPDATE runs SET status = 'pending' WHERE id = ${id}`],
    ['process', (id) => until(id, ({ fetched }) => fetched > 0)],
    ['coordinator', (id) => until(id, ({ status }) => status === 'finalizing')],
  ])(
    'a %s in the middle of a job, which it finishes first',
    async (role, hasWork) => {
      const { web, paths } = await slowSite(100, 5);
      const db = openDb(cluster.databaseUrl, { max: 2 });
      onTestFinished(() => db.close());
      // Its work is made to wait for it, and the run's row is held, which each role needs in the middle of its job.
      expectGraceful([await cluster.signal(role, 0, 'SIGTERM')]);
      const id = await cluster.startRun({ url: web.url('/'), ...deep });
      await hasWork(id, db);
      const { ending } = await db.sql.begin(async (sql) => {
        await sql`SELECT FROM runs WHERE id = ${id} FOR UPDATE`;
        await cluster.startAll();
        await waitFor(async () => (await waitingForLock(role, db)).length > 0, { what: `a busy ${role}` });
        const end = cluster.signal(role, 0, 'SIGTERM');
        expect(await Promise.race([end, sleep(500, 'still busy')])).toBe('still busy');
        // Inside an object: by itself it would be awaited, under the very lock that it waits for.
        return { ending: end };
      });
      expectGraceful([await ending]);
      await cluster.startAll();
      const startedAt = performance.now();
      expect(await cluster.finished(id)).toMatchObject({ status: 'completed', processed: 100, total: 100 });
      // Sooner than a lease runs out: nothing had to be healed.
      expect(performance.now() - startedAt).toBeLessThan(6000);
      expect(await stored(id)).toEqual(paths);
      expect(askedAgain(web)).toBe(0);
    },
    60_000,
  );

  it('an api with an open event stream, and with a request that never ends', async () => {
    const { web, paths } = await slowSite(100, 50);
    const id = await cluster.startRun({ url: web.url('/'), ...deep });
    const events = await fetch(`${cluster.apiUrl}/v1/runs/${id}/events`);
    const streamed = events.text();
    const { port } = new URL(cluster.apiUrl);
    const endless = connect(Number(port), '127.0.0.1', () =>
      endless.write(
        'POST /v1/runs HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\nContent-Type: application/json\r\n\r\n{',
      ),
    );
    const cut = new Promise((resolve) => endless.once('close', resolve));
    endless.on('error', () => {}); // It is cut off; that is the point.
    await waitFor(() => web.requests().length > 5, { timeoutMs: 20_000 });
    expectGraceful([await cluster.signal('api', 0, 'SIGTERM')]);
    expect(await streamed).toContain('event: progress');
    await cut;
    await cluster.startAll();
    expect(await cluster.finished(id)).toMatchObject({ status: 'completed', processed: 100 });
    expect(await stored(id)).toEqual(paths);
  }, 60_000);
});

it('two signals within 3 s end a process at once, and the crawl still finishes with the exact set', async () => {
  const generated = generateSite({ pages: 300 });
  const home = generated.get('/');
  generated.set('/', { ...home, body: `${home?.body}<a href="/slow">x</a>` });
  generated.set('/slow', page());
  const web = await site(({ path }, attempt) => {
    const found = generated.get(path);
    return found && { ...found, delayMs: path === '/slow' && attempt === 1 ? 60_000 : 10 };
  });
  const id = await cluster.startRun({ url: web.url('/'), ...deep, timeoutSeconds: 120 });
  await waitFor(() => web.count('/slow') === 1, { timeoutMs: 20_000, what: 'the slow page' });

  // Nothing can be saved for a while: the process worker has its hands full, as the fetch worker with the slow page has.
  const db = openDb(cluster.databaseUrl, { max: 2 });
  onTestFinished(() => db.close());
  const victims: [Role, number][] = [
    ['fetch', 0],
    ['fetch', 1],
    ['process', 0],
  ];
  const ends = await db.sql.begin(async (sql) => {
    await sql`LOCK TABLE run_pages IN ACCESS EXCLUSIVE MODE`;
    await waitFor(async () => (await waitingForLock('process', db)).length > 0, {
      timeoutMs: 20_000,
      what: 'a busy process worker',
    });
    const first = victims.map((victim) => cluster.signal(...victim, 'SIGTERM'));
    await sleep(500);
    const second = await Promise.all(victims.map((victim) => cluster.signal(...victim, 'SIGTERM')));
    await Promise.all(first);
    return second;
  });
  console.info(ends.map(({ name, exitCode, ms }) => `${name} ${exitCode} after ${Math.round(ms)} ms`).join(', '));
  expect(ends.filter(({ ms }) => ms > 1000)).toEqual([]);
  expect(ends.filter(({ exitCode }) => exitCode === 1).length).toBeGreaterThanOrEqual(2);

  await cluster.startAll();
  const startedAt = performance.now();
  expect(await cluster.finished(id)).toMatchObject({ status: 'completed', processed: 301, total: 301, failed: 0 });
  console.info(`finished ${((performance.now() - startedAt) / 1000).toFixed(1)} s after the start`);
  expect(await stored(id)).toEqual([...generated.keys()].map((path) => web.url(path)).sort());
}, 90_000);
