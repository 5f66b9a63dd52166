/**
 * One server program as a child process: started in a process group of its own, remembered in the data directory,
 * waited for until it answers, and stopped for certain. Knows nothing of Redis or Postgres.
 */
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { TrawlError } from '@trawl/contracts';
import { forgetChild, recordChild } from './pidfile.ts';
import { endProcess, identify, type ProcessIdentity } from './process-identity.ts';

export interface ServerExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface EmbeddedServer {
  readonly url: string;
  readonly pid: number;
  /** Settles when the process is gone, whoever ended it. */
  readonly exited: Promise<ServerExit>;
  /** Resolves once the process is gone; may be called again. */
  stop(): Promise<void>;
}

export interface ServerProgram {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly user?: { readonly uid: number; readonly gid: number } | undefined;
  readonly dataDir: string;
  /** Rewritten at each start, so it can't grow over the years. */
  readonly logFile: string;
  readonly url: string;
  readonly stopSignal: NodeJS.Signals;
  readonly startTimeoutMs: number;
  /** Does the server with this pid answer? Called until it says yes; `false` means not yet. */
  readonly answers: (pid: number) => Promise<boolean>;
}

export async function startServer(program: ServerProgram): Promise<EmbeddedServer> {
  // A file, not a pipe: a server that outlives its killed supervisor must not die of a broken pipe while it shuts down.
  const log = openSync(program.logFile, 'w');
  const child = spawn(program.command, [...program.args], {
    cwd: program.cwd,
    env: program.env,
    // A process group of its own: Ctrl+C in a terminal must not stop the servers before the workers have finished.
    detached: true,
    stdio: ['ignore', log, log],
    ...(program.user ?? {}),
  });
  closeSync(log);
  const exited = new Promise<ServerExit>((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
  const spawned = new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  try {
    await spawned;
  } catch (cause) {
    throw failed(program, `can't be run (${(cause as Error).message})`, cause);
  }
  const pid = child.pid;
  if (pid === undefined) throw failed(program, 'has no process id');
  // Taken now: after the exit the pid may belong to someone else.
  const identity = identify(pid);
  recordChild(program.dataDir, { name: program.name, pid, kind: 'server', stopSignal: program.stopSignal });
  const forgotten = exited.then((exit) => {
    forgetChild(program.dataDir, pid);
    return exit;
  });
  const server: EmbeddedServer = {
    url: program.url,
    pid,
    exited: forgotten,
    stop: async () => {
      if (identity) await endServer(identity, program.stopSignal);
      await forgotten;
    },
  };
  try {
    await untilAnswering(program, pid, exited);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return server;
}

/** What the server wrote, for a message about why it did not start. */
function logTail(logFile: string): string {
  return readFileSync(logFile, 'utf8').trim().split('\n').slice(-5).join(' | ');
}

async function untilAnswering(program: ServerProgram, pid: number, exited: Promise<ServerExit>): Promise<void> {
  const deadline = Date.now() + program.startTimeoutMs;
  let exit: ServerExit | null = null;
  void exited.then((e) => {
    exit = e;
  });
  while (!(await program.answers(pid))) {
    if (exit) throw failed(program, `ended at its start: ${logTail(program.logFile)}`);
    if (Date.now() > deadline) {
      throw failed(program, `does not answer after ${program.startTimeoutMs / 1000} s: ${logTail(program.logFile)}`);
    }
    await Promise.race([exited, sleep(20)]);
  }
}

function endServer(identity: ProcessIdentity, stopSignal: NodeJS.Signals): Promise<void> {
  return endProcess(identity, [
    { signal: stopSignal, waitMs: 30_000 },
    // To Postgres this is an immediate stop that takes its backends along; Redis dies of it like any program.
    { signal: 'SIGQUIT', waitMs: 10_000 },
    { signal: 'SIGKILL', waitMs: 5_000 },
  ]);
}

function failed(program: ServerProgram, what: string, cause?: unknown): TrawlError {
  return new TrawlError('START_FAILED', `The embedded ${program.name} ${what}`, { retryable: false, cause });
}
