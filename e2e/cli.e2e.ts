/** The command line as people use it: whole processes, real servers, signals. What it prints is part of the contract. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

const MAIN = fileURLToPath(new URL('../apps/cli/src/main.ts', import.meta.url));
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DEMO_SITE = fileURLToPath(new URL('../apps/cli/src/demo-site/', import.meta.url));
const PATIENT = { timeout: 60_000, interval: 50 };

interface Trawl {
  readonly process: ChildProcess;
  readonly exit: Promise<number | null>;
  stdout: string;
  stderr: string;
}

let folder: string;
let dataDir: string;
let started: Trawl[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trawl-cli-'));
  // As any directory people work in: the embedded Postgres, which can't run as root, has to pass through.
  await chmod(folder, 0o711);
  dataDir = join(folder, 'data');
  started = [];
});
afterEach(async () => {
  for (const trawl of started) trawl.process.kill('SIGKILL');
  await Promise.all(started.map((trawl) => trawl.exit));
  for (const pid of await rememberedPids()) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

function trawl(args: string[], env: NodeJS.ProcessEnv = {}, program = [process.execPath, MAIN]): Trawl {
  const [command = '', ...first] = program;
  const child = spawn(command, [...first, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, DATA_DIR: dataDir, PORT: '0', PROCESS_WORKERS: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const handle: Trawl = { process: child, exit: once(child, 'close').then(([code]) => code), stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    handle.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    handle.stderr += text;
  });
  started.push(handle);
  return handle;
}

/** Up and said so; the address it named. */
async function running(handle: Trawl): Promise<string> {
  await vi.waitFor(() => {
    if (handle.process.exitCode !== null) throw new Error(`ended early: ${handle.stderr}`);
    expect(handle.stdout).toContain('Ctrl+C stops everything.');
  }, PATIENT);
  return /API +(http:\S+)/.exec(handle.stdout)?.[1] ?? '';
}

interface Remembered {
  readonly name: string;
  readonly pid: number;
}

async function remembered(): Promise<Remembered[]> {
  const text = await readFile(join(dataDir, 'pids.json'), 'utf8').catch(() => '[]');
  return JSON.parse(text);
}

const rememberedPids = async (): Promise<number[]> => (await remembered()).map(({ pid }) => pid);

/** A zombie is no process any more: in a container whose first process reaps late, an orphan stays one for a while. */
function isAlive(pid: number): boolean {
  const { status, stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return status === 0 && !stdout.trim().startsWith('Z');
}

describe('npm start', { timeout: 120_000 }, () => {
  it('is ready when it says so, and leaves no process behind after Ctrl+C', async () => {
    const supervisor = trawl(['start']);
    const url = await running(supervisor);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    const names = (await remembered()).map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(['Redis', 'Postgres', 'api', 'coordinator:1', 'discover:1', 'fetch:1', 'process:1']),
    );
    const pids = await rememberedPids();
    supervisor.process.kill('SIGINT');
    expect(await supervisor.exit).toBe(0);
    expect(supervisor.stdout).toContain('Stopped.');
    expect(pids.filter(isAlive)).toEqual([]);
  });

  it('is stopped by a SIGTERM for npm itself, as a service manager sends it', async () => {
    const npm = trawl(['start'], {}, ['npm', '--prefix', ROOT]);
    await running(npm);
    const pids = await rememberedPids();
    npm.process.kill('SIGTERM');
    await npm.exit;
    expect(npm.stdout).toContain('Stopped.');
    expect(pids.filter(isAlive)).toEqual([]);
  });

  it('starts a worker again that was killed, and says so', async () => {
    const supervisor = trawl(['start']);
    await running(supervisor);
    const before = (await remembered()).find(({ name }) => name === 'fetch:1')?.pid ?? 0;
    process.kill(before, 'SIGKILL');
    await vi.waitFor(async () => {
      const now = (await remembered()).find(({ name }) => name === 'fetch:1')?.pid;
      expect(now ?? before).not.toBe(before);
    }, PATIENT);
    expect(supervisor.stderr).toContain(`fetch:1 (pid ${before}) ended with signal SIGKILL; starting it again in 1 s.`);
    supervisor.process.kill('SIGTERM');
    expect(await supervisor.exit).toBe(0);
  });

  it('stops at once when told twice, even with a worker that does not react', async () => {
    const supervisor = trawl(['start']);
    await running(supervisor);
    const pids = await rememberedPids();
    const frozen = (await remembered()).find(({ name }) => name === 'fetch:1')?.pid ?? 0;
    process.kill(frozen, 'SIGSTOP');
    supervisor.process.kill('SIGINT');
    await vi.waitFor(() => expect(supervisor.stderr).toContain('Stopping'), PATIENT);
    // Two signals this close would be one Ctrl+C that came by two ways.
    await delay(300);
    const askedAgainMs = Date.now();
    supervisor.process.kill('SIGINT');
    expect(await supervisor.exit).toBe(130);
    expect(Date.now() - askedAgainMs).toBeLessThan(8000);
    expect(pids.filter(isAlive)).toEqual([]);
  });

  it('clears up after a supervisor that was killed, and its workers end by themselves', async () => {
    const first = trawl(['start']);
    await running(first);
    const left = (await remembered()).filter(({ name }) => name !== 'Trawl');
    first.process.kill('SIGKILL');
    await first.exit;
    const workers = left.filter(({ name }) => name !== 'Redis' && name !== 'Postgres');
    await vi.waitFor(() => expect(workers.filter(({ pid }) => isAlive(pid))).toEqual([]), PATIENT);
    expect(left.filter(({ pid }) => isAlive(pid))).toHaveLength(2);

    const second = trawl(['start']);
    await running(second);
    expect(second.stderr).toContain('left over from a start that was killed.');
    expect(left.filter(({ pid }) => isAlive(pid))).toEqual([]);
    second.process.kill('SIGINT');
    expect(await second.exit).toBe(0);
  });

  it('refuses a data directory that another one uses', async () => {
    const first = trawl(['start']);
    await running(first);
    const second = trawl(['start']);
    expect(await second.exit).toBe(1);
    expect(second.stderr).toMatch(/^Another Trawl \(pid \d+\) is using .*\n$/);
    first.process.kill('SIGINT');
    expect(await first.exit).toBe(0);
  });
});

describe('a start that can not be', { timeout: 60_000 }, () => {
  let server: Server;
  beforeEach(async () => {
    server = createServer((_, response) => response.end('<a href="/x">x</a>')).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => {
    server.close();
  });
  const port = (): string => String((server.address() as AddressInfo).port);

  it('says in one sentence that the port is taken, and starts nothing', async () => {
    const supervisor = trawl(['start'], { PORT: port() });
    expect(await supervisor.exit).toBe(1);
    expect(supervisor.stderr).toBe(
      `Port ${port()} on 127.0.0.1 is in use: stop what uses it, or set PORT to another one.\n`,
    );
    expect(await remembered()).toEqual([]);
  });

  it.each([
    [['start'], { PORT: 'abc' }, 'PORT must be a whole number from 0 to 65535, not "abc".\n'],
    [['start', '--fast'], {}, "Unknown option '--fast'.\n"],
    [['sail'], {}, 'There is no command "sail"; it is one of start, crawl, demo and role.\n'],
    [['crawl'], {}, 'Which site? Give a URL, such as https://example.com.\n'],
  ])('%j is refused in one sentence', async (args, env, sentence) => {
    const refused = trawl(args, env);
    expect(await refused.exit).toBe(2);
    expect(refused.stderr).toBe(sentence);
    expect(refused.stdout).toBe('');
  });

  it('is a crawl of this machine without leave', async () => {
    const crawl = trawl(['crawl', `http://127.0.0.1:${port()}/`, '--output', join(folder, 'out')]);
    expect(await crawl.exit).toBe(1);
    expect(crawl.stderr.trim().split('\n')).toHaveLength(1);
    expect(crawl.stderr).toContain('ALLOW_PRIVATE_NETWORKS');
    expect(await readdir(dataDir)).toEqual([]);
  });
});

describe('npm run crawl', { timeout: 120_000 }, () => {
  it('cancels the run on Ctrl+C, writes what there is and leaves nothing else', async () => {
    // A slow site without end: page n leads to 2n and 2n + 1.
    const site = createServer(async (request, response) => {
      const n = Number(request.url?.slice(1)) || 1;
      await delay(100);
      response.setHeader('content-type', 'text/html');
      response.end(`<title>${n}</title><main><a href="/${2 * n}">left</a> <a href="/${2 * n + 1}">right</a></main>`);
    }).listen(0, '127.0.0.1');
    await once(site, 'listening');
    try {
      const address = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;
      const out = join(folder, 'out');
      const crawl = trawl(['crawl', address, '--max-depth', '20', '--max-pages', '1000000', '--output', out], {
        ALLOW_PRIVATE_NETWORKS: 'true',
      });
      const goingOn = vi.waitFor(() => expect(crawl.stderr).toMatch(/running: [1-9]/), PATIENT);
      await Promise.race([goingOn, crawl.exit.then(() => Promise.reject(new Error(`ended early: ${crawl.stderr}`)))]);
      crawl.process.kill('SIGINT');
      expect(await crawl.exit).toBe(130);
      const index = JSON.parse(await readFile(join(out, 'index.json'), 'utf8'));
      expect(index.status).toBe('cancelled');
      expect(index.pages.length).toBeGreaterThan(0);
      expect(await readdir(dataDir)).toEqual([]);
    } finally {
      site.close();
      site.closeAllConnections();
    }
  });
});

describe('npm run demo', { timeout: 120_000 }, () => {
  it('turns every page of its site into a markdown file, and leaves no data behind', async () => {
    const out = join(folder, 'out');
    const demo = trawl(['demo', '--output', out]);
    expect(await demo.exit, demo.stderr).toBe(0);
    const pages = (await readdir(DEMO_SITE, { recursive: true })).filter((name) => name.endsWith('.html'));
    const written = (await readdir(out, { recursive: true })).filter((name) => name.endsWith('.md'));
    expect(written).toHaveLength(pages.length + 1);
    const index = JSON.parse(await readFile(join(out, 'index.json'), 'utf8'));
    expect(index.status).toBe('completed');
    expect(index.failed).toMatchObject([{ code: 'HTTP_404', httpStatus: 404 }]);
    expect(index.skipped).toMatchObject([{ code: 'REDIRECTED', httpStatus: 301 }]);
    const guide = await readFile(join(out, 'guide/getting-started.md'), 'utf8');
    expect(guide).toContain('# Getting started');
    expect(guide).toContain('./quayside init saltmarsh');
    expect(demo.stdout).toContain('The first lines of guide/getting-started.md:');
    expect(demo.stderr).toBe('');
    expect(await readdir(dataDir)).toEqual([]);
  });
});
