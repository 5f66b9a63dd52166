import { fork } from 'node:child_process';
import { MISBEHAVING } from '@trawl/testing';
import { describe, expect, it } from 'vitest';
import { keep, MEBIBYTE, newFetcher, PAGE, request } from './fetcher.fixture.ts';
import { serve, serveRaw } from './loopback-server.ts';
import type { ClientReport, ClientTask } from './misbehaving-client.ts';

/** Twice what the table needs: on a busy machine all of them at once take a second by themselves. */
const TIMEOUT_MS = 3000;
/** For a machine that is busy with other tests. */
const MARGIN_MS = 6000;
const MOST_BYTES = 150 * MEBIBYTE;

async function inOwnProcess(task: ClientTask): Promise<ClientReport> {
  const child = fork(new URL('./misbehaving-client.ts', import.meta.url), { execArgv: [] });
  try {
    return await new Promise<ClientReport>((resolve, reject) => {
      child.once('message', (report) => resolve(report as ClientReport));
      child.once('error', reject);
      child.once('exit', (code) => reject(new Error(`the client ended with ${code}`)));
      child.send(task);
    });
  } finally {
    child.kill('SIGKILL');
  }
}

describe('misbehaving servers', () => {
  it('are many, each with a name of its own', () => {
    expect(MISBEHAVING.length).toBeGreaterThanOrEqual(32);
    expect(new Set(MISBEHAVING.map(({ name }) => name)).size).toBe(MISBEHAVING.length);
  });

  it('all at once get the reply they should, in time and in little memory', async () => {
    const friendly = await keep(serve((_req, res) => res.setHeader('content-type', 'text/html').end(PAGE)));
    const sites = await Promise.all(MISBEHAVING.map(({ answer }) => keep(serveRaw(answer))));
    const urls = sites.map(({ url }) => url);
    const limits = { timeoutMs: TIMEOUT_MS, maxBodyBytes: MEBIBYTE };
    const report = await inOwnProcess({ warmUpUrl: friendly.url, urls, ...limits });

    const named = (values: readonly string[]) => MISBEHAVING.map(({ name }, i) => `${name}: ${values[i]}`);
    expect(named(report.outcomes)).toEqual(named(MISBEHAVING.map(({ code }) => code)));
    expect(Math.max(...report.elapsedMs)).toBeLessThan(TIMEOUT_MS + MARGIN_MS);
    expect(report.grownBytes).toBeLessThan(MOST_BYTES);
  });

  it.each(MISBEHAVING.filter(({ name }) => name.includes('another answer')))(
    'of which one $name loses its connection, and the next request gets its own answer',
    async ({ answer }) => {
      const site = await keep(serveRaw(answer));
      const fetcher = newFetcher({ maxConnectionsPerOrigin: 1 });
      expect(await fetcher.get(request(site.url))).toMatchObject({ kind: 'page', robotsTags: [] });
      await expect.poll(() => site.open()).toBe(0);
      expect(await fetcher.get(request(`${site.url}/next`))).toMatchObject({ kind: 'page', robotsTags: ['own'] });
      expect(site.connections()).toBe(2);
    },
  );
});
