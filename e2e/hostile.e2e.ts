/** Servers that do what no server should, all at once: each URL ends with its code, and the fetch worker stays small. */
import { createServer, type Socket } from 'node:net';
import { MISBEHAVING, type MisbehavingServer } from '@trawl/testing';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { type Cluster, peakBytes, startCluster } from './cluster.ts';

const MOST_BYTES = 300 * 1024 * 1024;

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({ roles: { api: 1, discover: 1, fetch: 1, process: 1, coordinator: 1 } });
}, 120_000);
afterAll(() => cluster?.stop());

/** Each has a host of its own, or the first failure would block them all. */
async function serve({ answer }: MisbehavingServer, host: string): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('close', () => sockets.delete(socket)));
    // The crawler hangs up on most of them; that is what this is about.
    socket.on('error', () => socket.destroy());
    socket.on('data', (data) => {
      if (data.includes('\r\n\r\n')) answer(socket, data.toString('latin1'));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  onTestFinished(async () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const socket of sockets) socket.destroy();
    await closed;
  });
  const address = server.address();
  return `http://${host}:${typeof address === 'object' && address ? address.port : 0}/`;
}

it('gives each of the misbehaving servers its code, all at once, in less than 300 MB', async () => {
  const urls = await Promise.all(MISBEHAVING.map((server, i) => serve(server, `127.0.7.${i + 1}`)));
  const options = { urls, mode: 'urls', maxRetries: 1, timeoutSeconds: 4, maxBodyBytes: 1024 * 1024 } as const;
  const id = await cluster.startRun({ ...options, respectRobots: false });
  expect(await cluster.finished(id)).toMatchObject({ status: 'completed', total: MISBEHAVING.length });
  const pages = new Map((await cluster.pages(id)).map((page) => [page.url, page]));
  const seen = MISBEHAVING.map(({ name }, i) => {
    const page = pages.get(urls[i] ?? '');
    return `${name}: ${page?.outcome} ${page?.error?.code ?? 'page'}`;
  });
  expect(seen).toEqual(MISBEHAVING.map(({ name, outcome, code }) => `${name}: ${outcome} ${code}`));

  // The same servers once more, whose robots.txt is as bad as everything else of theirs: the run ends all the same.
  const polite = await cluster.startRun({ ...options, maxHostDownSeconds: 5, backoff: { firstSeconds: 2 } });
  const end = await cluster.finished(polite, { timeoutMs: 120_000 });
  expect(end).toMatchObject({ status: 'completed', total: MISBEHAVING.length, queued: 0, fetched: 0 });

  const peak = await peakBytes(cluster.pid('fetch', 0));
  console.info(
    `${MISBEHAVING.length} misbehaving servers; the fetch worker had ${(peak / 1024 / 1024).toFixed(0)} MB at most`,
  );
  expect(peak).toBeLessThan(MOST_BYTES);
}, 180_000);
