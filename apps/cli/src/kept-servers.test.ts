import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServers } from '@trawl/embedded';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type KeptServers, keepServers } from './kept-servers.ts';

let dataDir: string;
let servers: KeptServers;
let said: string[];

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'trawl-kept-'));
  said = [];
  const first = await startServers({ dataDir, redis: { durable: false } });
  servers = keepServers({ dataDir, durable: false, first, say: (line) => said.push(line) });
});
afterEach(async () => {
  await servers.stop();
  await rm(dataDir, { recursive: true });
});

describe('an embedded server', () => {
  it('that was killed comes back on its port', async () => {
    const before = servers.redis;
    process.kill(before?.pid ?? 0, 'SIGKILL');
    await vi.waitFor(() => expect(servers.redis?.pid).not.toBe(before?.pid), { timeout: 10_000 });
    expect(servers.redis?.url).toBe(before?.url);
    expect(said).toEqual([`Redis (pid ${before?.pid}) ended with signal SIGKILL; starting it again.`]);
  });

  it('that can not come back is reported', async () => {
    // A file where its directory should be: there is nowhere to start it.
    await rm(join(dataDir, 'redis'), { recursive: true });
    await writeFile(join(dataDir, 'redis'), '');
    process.kill(servers.redis?.pid ?? 0, 'SIGKILL');
    expect(await servers.broken).toMatch(/^Redis did not come back: /);
  });

  it('that is stopped stays stopped', async () => {
    const pid = servers.redis?.pid;
    await servers.stop();
    expect(servers.redis?.pid).toBe(pid);
    expect(said).toEqual([]);
  });
});
