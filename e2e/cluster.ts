/**
 * A whole Trawl on this machine for a test: its own Redis and database, any number of processes of each role, and a hand
 * that can kill any of them. What a supervisor does in an installation (start again what died) it does too.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type CreateRunInput, ROLE_NODE_ARGS, type Role } from '@trawl/contracts';
import { migrate } from '@trawl/db';
import { type PrivateRedis, startPrivateRedis, testDatabase, waitFor } from '@trawl/testing';

const MAINS: Record<Role, string> = {
  api: 'api',
  discover: 'discover-worker',
  fetch: 'fetch-worker',
  render: 'render-worker',
  process: 'process-worker',
  coordinator: 'coordinator',
};

export interface Progress {
  readonly status: string;
  readonly total: number;
  readonly queued: number;
  readonly fetched: number;
  readonly processed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly discoveredBeyondLimit: number;
}

export interface PageItem {
  readonly id: string;
  readonly url: string;
  readonly finalUrl: string | null;
  readonly depth: number;
  readonly parentUrl: string | null;
  readonly outcome: string;
  readonly httpStatus: number | null;
  readonly error: { code: string; attempts: number } | null;
}

/** How a process ended. */
export interface Ended {
  readonly name: string;
  /** Null: a signal ended it. */
  readonly exitCode: number | null;
  /** Since the signal of the call that tells. */
  readonly ms: number;
}

export interface Cluster {
  readonly redis: PrivateRedis;
  readonly databaseUrl: string;
  readonly blobUrl: string;
  readonly apiUrl: string;
  /** `kill -9`; started again after half a second, as a supervisor would. */
  kill(role: Role, index: number): void;
  pid(role: Role, index: number): number;
  /** Sends a signal and waits for the end. What was stopped so is not started again before `startAll`. */
  signal(role: Role, index: number, signal: NodeJS.Signals): Promise<Ended>;
  /** The same for every process there is, at once. */
  stopAll(signal: NodeJS.Signals): Promise<Ended[]>;
  /** Starts what was stopped by a signal, and waits until every role is there. */
  startAll(): Promise<void>;
  request(method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }>;
  startRun(run: CreateRunInput): Promise<string>;
  progress(runId: string): Promise<Progress>;
  /** Waits for the end; `seen` is called with every progress on the way. */
  finished(runId: string, o?: { timeoutMs?: number; seen?: (progress: Progress) => void }): Promise<Progress>;
  pages(runId: string): Promise<PageItem[]>;
  stop(): Promise<void>;
}

/** Every role is there, or the cluster would never be ready: one render worker unless it says otherwise, without a browser unless `env` names one. */
export async function startCluster(o: {
  roles: Record<Exclude<Role, 'render'>, number> & { readonly render?: number };
  env?: Record<string, string>;
  /** What the processes log, in place of the terminal. */
  onLog?: (text: string) => void;
}): Promise<Cluster> {
  const roles: Readonly<Record<Role, number>> = { render: 1, ...o.roles };
  const folder = await mkdtemp(join(tmpdir(), 'trawl-e2e-'));
  const [redis, database] = await Promise.all([startPrivateRedis({ durable: true }), testDatabase()]);
  await migrate(database.url);
  const port = await freePort();
  const apiUrl = `http://127.0.0.1:${port}`;
  const blobUrl = pathToFileURL(join(folder, 'blobs')).href;
  const env = {
    ...process.env,
    REDIS_URL: redis.url,
    DATABASE_URL: database.url,
    BLOB_URL: blobUrl,
    HOST: '127.0.0.1',
    PORT: String(port),
    ALLOW_PRIVATE_NETWORKS: 'true',
    LOG_LEVEL: 'warn',
    BROWSER_PATH: 'none',
    // Nine processes compile the same modules: once is enough.
    NODE_COMPILE_CACHE: fileURLToPath(new URL('../.cache/compile', import.meta.url)),
    ...o.env,
  };
  let stopping = false;
  const children = new Map<string, ChildProcess>();
  const stopped = new Map<string, readonly [Role, number]>();
  const launch = (role: Role, index: number): void => {
    const main = fileURLToPath(new URL(`../apps/${MAINS[role]}/src/main.ts`, import.meta.url));
    const child = spawn(process.execPath, [...ROLE_NODE_ARGS[role], main], {
      env,
      stdio: ['ignore', 'ignore', o.onLog ? 'pipe' : 'inherit', 'ipc'],
    });
    if (o.onLog) child.stderr?.setEncoding('utf8').on('data', o.onLog);
    const name = `${role}:${index}`;
    children.set(name, child);
    child.once('exit', () => {
      if (stopping || stopped.has(name)) return;
      setTimeout(() => !stopping && !stopped.has(name) && launch(role, index), 500);
    });
  };
  for (const [role, count] of Object.entries(roles) as [Role, number][]) {
    for (let index = 0; index < count; index++) launch(role, index);
  }

  const request: Cluster['request'] = async (method, path, body) => {
    const response = await fetch(`${apiUrl}${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? null : JSON.parse(text) };
  };
  const ask = async <T>(path: string): Promise<T> => {
    const { status, body } = await request('GET', path);
    if (status !== 200) throw new Error(`GET ${path} answered ${status}: ${JSON.stringify(body)}`);
    return body as T;
  };
  const progress = (runId: string): Promise<Progress> => ask(`/v1/runs/${runId}/progress`);

  /** Each process, not only one of each role: a signal that meets a process while it loads kills it. */
  const ready = (): Promise<unknown> =>
    waitFor(
      async () => {
        const answer = await request('GET', '/readyz').catch(() => null);
        if (answer?.status !== 200) return false;
        const seen = (answer.body as { roles: Record<Role, number> }).roles;
        return (Object.entries(roles) as [Role, number][]).every(([role, count]) => seen[role] >= count);
      },
      { timeoutMs: 90_000, what: 'every role to be ready' },
    );
  const signalOne: Cluster['signal'] = async (role, index, signal) => {
    const name = `${role}:${index}`;
    const child = children.get(name);
    if (!child) throw new Error(`there is no ${name}`);
    stopped.set(name, [role, index]);
    const sentAt = performance.now();
    if (child.exitCode === null && child.signalCode === null) {
      const gone = once(child, 'exit');
      child.kill(signal);
      await gone;
    }
    return { name, exitCode: child.exitCode, ms: performance.now() - sentAt };
  };

  const cluster: Cluster = {
    redis,
    databaseUrl: database.url,
    blobUrl,
    apiUrl,
    kill: (role, index) => children.get(`${role}:${index}`)?.kill('SIGKILL'),
    pid: (role, index) => children.get(`${role}:${index}`)?.pid ?? 0,
    signal: signalOne,
    stopAll: (signal) =>
      Promise.all(
        [...children.keys()].map((name) => {
          const [role, index] = name.split(':') as [Role, string];
          return signalOne(role, Number(index), signal);
        }),
      ),
    async startAll() {
      const again = [...stopped.values()];
      stopped.clear();
      for (const [role, index] of again) launch(role, index);
      await ready();
    },
    request,
    async startRun(run) {
      const { status, body } = await request('POST', '/v1/runs', run);
      if (status !== 202) throw new Error(`POST /v1/runs answered ${status}: ${JSON.stringify(body)}`);
      return (body as { id: string }).id;
    },
    progress,
    finished: (runId, options = {}) =>
      waitFor(
        async () => {
          // While its Redis is away the API says 503; a test that takes it away waits.
          const now = await progress(runId).catch(() => null);
          if (now) options.seen?.(now);
          return now && ['completed', 'failed', 'cancelled'].includes(now.status) ? now : null;
        },
        { timeoutMs: options.timeoutMs ?? 60_000, what: `the end of ${runId}` },
      ),
    async pages(runId) {
      const items: PageItem[] = [];
      let cursor: string | null | undefined;
      while (cursor !== null) {
        const from: string = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
        const part: { items: PageItem[]; nextCursor: string | null } = await ask(
          `/v1/runs/${runId}/pages?limit=200${from}`,
        );
        items.push(...part.items);
        cursor = part.nextCursor;
      }
      return items;
    },
    async stop() {
      stopping = true;
      await Promise.all(
        [...children.values()].map(async (child) => {
          if (child.exitCode !== null || child.signalCode !== null) return;
          const gone = new Promise((resolve) => child.once('exit', resolve));
          child.kill('SIGKILL');
          await gone;
        }),
      );
      await redis.stop();
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
  try {
    await ready();
  } catch (error) {
    await cluster.stop();
    throw error;
  }
  return cluster;
}

/** The most that a process ever had in memory, as the kernel counts it. */
export async function peakBytes(pid: number): Promise<number> {
  const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) * 1024;
}

async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
