/**
 * A private Postgres on loopback with one database, `trawl`. Does not migrate it. Uses the programs of the npm package
 * directly: its own starter makes a system account, hooks the process's exit and prints what it likes.
 */
import { execFile } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { TrawlError } from '@trawl/contracts';
import { onPort } from './ports.ts';
import { findPostgres, type PostgresBinaries } from './postgres-binary.ts';
import { openWayTo, postgresUser, type UnixUser } from './postgres-user.ts';
import { type EmbeddedServer, startServer } from './server-process.ts';

const run = promisify(execFile);

export interface PostgresOptions {
  /** Its files go to `<dataDir>/postgres`; its pid to `<dataDir>/pids.json`. */
  readonly dataDir: string;
  /** A free one when 0 or absent. */
  readonly port?: number;
  /** True unless given. False: nothing is synced to disk, several times faster and lost in a power cut; for tests. */
  readonly durable?: boolean;
  /** Those of the npm packages unless given. */
  readonly binaries?: PostgresBinaries;
  readonly onNotice?: (sentence: string) => void;
}

export async function startPostgres(options: PostgresOptions): Promise<EmbeddedServer> {
  const dataDir = resolve(options.dataDir);
  const durable = options.durable ?? true;
  const cluster = join(dataDir, 'postgres');
  const binaries = options.binaries ?? (await findPostgres());
  mkdirSync(dataDir, { recursive: true });
  const user = postgresUser(cluster);
  if (user) {
    for (const directory of [binaries.postgres, cluster].flatMap(openWayTo)) {
      options.onNotice?.(`Let other users pass through ${directory}, since Postgres can't run as root.`);
    }
  }
  if (!existsSync(cluster)) await createCluster(cluster, binaries, user);
  removeStaleLock(cluster);
  return onPort(options.port, { server: 'the embedded Postgres', setting: 'DATABASE_URL' }, (port) =>
    startServer({
      name: 'Postgres',
      command: binaries.postgres,
      args: ['-D', cluster, ...settings(port, durable)],
      cwd: cluster,
      env: postgresEnv(),
      user: user ?? undefined,
      dataDir,
      logFile: join(dataDir, 'postgres.log'),
      url: `postgres://trawl@127.0.0.1:${port}/trawl`,
      // A fast stop. SIGTERM would wait for every client to leave by itself.
      stopSignal: 'SIGINT',
      // Long, because after a crash the log is replayed before the first connection.
      startTimeoutMs: 120_000,
      answers: async (pid) => isReady(cluster, pid),
    }),
  );
}

function settings(port: number, durable: boolean): string[] {
  const values: Record<string, string> = {
    port: String(port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '200',
    shared_buffers: '128MB',
    // Batched page writes fill the default of 1 GB in minutes, and each forced checkpoint is a dip in throughput.
    max_wal_size: '4GB',
    ...(durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  };
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/** Made beside its place and renamed, so that a start that was interrupted leaves no half cluster behind. */
async function createCluster(cluster: string, binaries: PostgresBinaries, user: UnixUser | null): Promise<void> {
  const fresh = `${cluster}.new`;
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(fresh, { mode: 0o700 });
  if (user) chownSync(fresh, user.uid, user.gid);
  const as = { ...(user ?? {}), cwd: fresh, env: postgresEnv() };
  try {
    // Loopback without a password: whoever can reach the port is on this machine.
    const flags = ['--username=trawl', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'];
    await run(binaries.initdb, ['-D', fresh, ...flags], as);
    // Postgres without a server: there is no client program in the package to ask a running one.
    const single = run(binaries.postgres, ['--single', '-D', fresh, 'postgres'], as);
    single.child.stdin?.end('CREATE DATABASE trawl\n');
    const { stderr } = await single;
    if (stderr.includes('ERROR:')) throw new Error(stderr);
  } catch (cause) {
    const { stderr, message } = cause as Error & { stderr?: string };
    const lastLine = (stderr || message).trim().split('\n').at(-1);
    throw new TrawlError('START_FAILED', `The embedded Postgres can't make its data directory: ${lastLine}`, {
      retryable: false,
      cause,
    });
  }
  renameSync(fresh, cluster);
}

/** `postmaster.pid`: the pid is its first line, the state its eighth. */
function lockLines(cluster: string): string[] | null {
  try {
    return readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function isReady(cluster: string, pid: number): boolean {
  const lines = lockLines(cluster);
  return lines?.[0] === String(pid) && lines[7]?.trim() === 'ready';
}

/**
 * After a `kill -9` the lock names a pid that may by now be any program's. Postgres then refuses to start if that
 * program runs as the same user, so the lock goes unless a Postgres has that pid. Without /proc, Postgres decides.
 */
function removeStaleLock(cluster: string): void {
  const pid = lockLines(cluster)?.[0];
  if (!pid || !existsSync('/proc/self/comm')) return;
  const program = `/proc/${pid}/comm`;
  if (existsSync(program) && readFileSync(program, 'utf8').trim() === 'postgres') return;
  rmSync(join(cluster, 'postmaster.pid'), { force: true });
}

/** Messages in English whatever the machine speaks, and none of the PG* variables of someone's own database. */
function postgresEnv(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };
}
