/**
 * The whole of Trawl on one machine: Redis and Postgres unless they exist already, and every role as a child process.
 * Started and stopped in order, for `start` (for good) and `crawl` (for one run). Prints nothing: it tells `say`.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ROLE_NODE_ARGS, type Role, TrawlError } from '@trawl/contracts';
import { migrate } from '@trawl/db';
import { clearOrphans, type EmbeddedServers, forgetChild, recordChild, startServers } from '@trawl/embedded';
import { createApiClient } from './api-client.ts';
import { type Children, type ChildSpec, type Death, startChildren } from './children.ts';
import { type Settings, urlOfHost, type WorkerCounts } from './env.ts';
import type { Interrupts } from './interrupts.ts';
import { keepServers } from './kept-servers.ts';
import { formatLogLine } from './log-lines.ts';
import { requireFreePort, requireReachable } from './ports.ts';
import { roleEntry } from './role-entries.ts';
import { keptSecretKey } from './secret-key.ts';

export interface StackOptions {
  readonly settings: Settings;
  /** What the children get besides what the settings say. */
  readonly env: NodeJS.ProcessEnv;
  /** False: nothing is synced to disk. For data that is thrown away anyway. */
  readonly durable: boolean;
  readonly interrupts: Interrupts;
  readonly say: (line: string) => void;
}

export interface Stack {
  readonly apiUrl: string;
  readonly redisUrl: string;
  readonly databaseUrl: string;
  /** Null for a server that was there before. */
  readonly serverPids: { readonly redis: number | null; readonly postgres: number | null };
  readonly children: ReadonlyMap<string, number>;
  /** Resolves with a sentence when the stack can't go on by itself. */
  readonly broken: Promise<string>;
  /** Workers first, then the servers. Afterwards no process is left. May be called again. */
  stop(): Promise<void>;
}

const GRACE_MS = 10_000;
const READY_MS = 60_000;
const READY_POLL_MS = 50;
/** A role that ends with this has been told something it can't work with: another life would not help. */
const BAD_SETTING_EXIT = 2;
const HOPELESS_DEATHS = 3;

/** Throws a `TrawlError` with one sentence when it can't be started; nothing is left running then. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { settings, interrupts, say } = options;
  const { dataDir } = settings;
  for (const sentence of await clearOrphans(dataDir)) say(sentence);
  // Recorded like a child, so that a second start sees a live owner even before there is any server.
  recordChild(dataDir, { name: 'Trawl', pid: process.pid, kind: 'worker', stopSignal: 'SIGTERM' });

  let servers: EmbeddedServers | null = null;
  let children: Children | null = null;
  const stopAll = async (): Promise<void> => {
    await children?.stop(GRACE_MS, interrupts.atOnce);
    await servers?.stop();
    forgetChild(dataDir, process.pid);
  };
  let stopped: Promise<void> | null = null;
  const stop = (): Promise<void> => {
    stopped ??= stopAll();
    return stopped;
  };

  try {
    const port = await requireFreePort(settings.host, settings.port);
    if (settings.redisUrl) await requireReachable('REDIS_URL', settings.redisUrl, 6379);
    if (settings.databaseUrl) await requireReachable('DATABASE_URL', settings.databaseUrl, 5432);
    interrupts.graceful.throwIfAborted();
    const kept = keepServers({
      dataDir,
      durable: options.durable,
      first: await startServers({
        dataDir,
        ...(settings.redisUrl ? {} : { redis: { durable: options.durable } }),
        ...(settings.databaseUrl ? {} : { postgres: { durable: options.durable } }),
        onNotice: say,
      }),
      say,
    });
    servers = kept;
    const redisUrl = settings.redisUrl ?? urlFrom(kept.redis);
    const databaseUrl = settings.databaseUrl ?? urlFrom(kept.postgres);
    interrupts.graceful.throwIfAborted();
    await migrateOrSay(databaseUrl);
    interrupts.graceful.throwIfAborted();

    const starting = new AbortController();
    let startFailure: TrawlError | null = null;
    let isStarting = true;
    children = startChildren({
      specs: childSpecs(settings.workers),
      env: {
        ...options.env,
        HOST: settings.host,
        PORT: String(port),
        REDIS_URL: redisUrl,
        DATABASE_URL: databaseUrl,
        BLOB_URL: settings.blobUrl,
        SECRET_KEY: options.env.SECRET_KEY?.trim() || keptSecretKey(dataDir),
        LOG_LEVEL: settings.logLevel,
      },
      onLine: (name, line) => say(formatLogLine(name, line)),
      onDeath: (death) => {
        if (isStarting && isHopeless(death)) {
          startFailure ??= startFailed(`${death.name} can't be started: it ended with ${death.reason}; see above.`);
          starting.abort();
        } else say(sentenceFor(death));
      },
      remember: (pid, name) => recordChild(dataDir, { name, pid, kind: 'worker', stopSignal: 'SIGTERM' }),
      forget: (pid) => forgetChild(dataDir, pid),
    });
    const apiUrl = urlOfHost(settings.host, port);
    const isReady = await untilReady(apiUrl, AbortSignal.any([starting.signal, interrupts.graceful]));
    interrupts.graceful.throwIfAborted();
    if (startFailure) throw startFailure;
    if (!isReady) throw startFailed(`Not every role was ready after ${READY_MS / 1000} s; see ${apiUrl}/readyz.`);
    isStarting = false;
    const running = children;
    return {
      apiUrl,
      redisUrl,
      databaseUrl,
      serverPids: { redis: kept.redis?.pid ?? null, postgres: kept.postgres?.pid ?? null },
      get children() {
        return running.pids();
      },
      broken: kept.broken,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function migrateOrSay(databaseUrl: string): Promise<void> {
  try {
    await migrate(databaseUrl);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new TrawlError('START_FAILED', `The database could not be brought up to date: ${why}`, {
      retryable: false,
      cause: error,
    });
  }
}

function childSpecs(workers: WorkerCounts): ChildSpec[] {
  const one = (role: Role, name: string): ChildSpec => ({
    name,
    entry: fileURLToPath(roleEntry(role)),
    nodeArgs: ROLE_NODE_ARGS[role],
  });
  const several = (role: Exclude<Role, 'api'>): ChildSpec[] =>
    Array.from({ length: workers[role] }, (_, index) => one(role, `${role}:${index + 1}`));
  return [
    one('api', 'api'),
    ...several('coordinator'),
    ...several('discover'),
    ...several('fetch'),
    ...several('render'),
    ...several('process'),
  ];
}

async function untilReady(apiUrl: string, signal: AbortSignal): Promise<boolean> {
  const api = createApiClient(apiUrl);
  const untilMs = Date.now() + READY_MS;
  while (!signal.aborted && Date.now() < untilMs) {
    if (await api.isReady()) return true;
    await delay(READY_POLL_MS);
  }
  return false;
}

function sentenceFor({ name, pid, reason, restartInMs }: Death): string {
  return `${name} (pid ${pid}) ended with ${reason}; starting it again in ${restartInMs / 1000} s.`;
}

function isHopeless({ exitCode, inARow }: Death): boolean {
  return exitCode === BAD_SETTING_EXIT || inARow >= HOPELESS_DEATHS;
}

function startFailed(message: string): TrawlError {
  return new TrawlError('START_FAILED', message, { retryable: false });
}

function urlFrom(server: { readonly url: string } | null): string {
  if (!server) throw new Error('an embedded server was asked for and not started');
  return server.url;
}
