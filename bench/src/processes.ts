/**
 * The benchmark's own child processes (the web server, the bare loop, the roles): started, remembered on disk should this
 * process be killed, and ended by pid. Redis and Postgres are started and ended by `@trawl/embedded`.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { forgetChild, recordChild } from '@trawl/embedded';

interface Program {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** With a channel for messages, whose end also tells the child that this process is gone. */
  readonly ipc: boolean;
}

export interface Processes {
  start(program: Program): { readonly child: ChildProcess; readonly pid: number };
  /** Rejects when a child ends before it was told to, and when all are told to. */
  readonly died: Promise<never>;
  stop(): Promise<void>;
}

const GRACE_MS = 10_000;

export function createProcesses(dataDir: string): Processes {
  const alive = new Map<ChildProcess, string>();
  let stopping = false;
  const death = Promise.withResolvers<never>();
  // Whoever waits for something races this; a death while nobody does is told at the next wait.
  death.promise.catch(() => undefined);

  return {
    died: death.promise,
    start: ({ name, command, args, env, ipc }) => {
      if (stopping) throw new Error(`${name} is not started: everything is being stopped`);
      const child = spawn(command, [...args], {
        env: env ?? process.env,
        // A group of its own: Ctrl+C reaches this process alone, which then ends the children in order.
        detached: true,
        stdio: ['ignore', 'inherit', 'inherit', ...(ipc ? (['ipc'] as const) : [])],
      });
      const { pid } = child;
      child.once('error', (error) => death.reject(new Error(`${name} can't be run: ${error.message}`)));
      if (pid === undefined) throw new Error(`${name} can't be run: ${command}`);
      alive.set(child, name);
      recordChild(dataDir, { name, pid, kind: 'worker', stopSignal: 'SIGTERM' });
      child.once('exit', (code, signal) => {
        alive.delete(child);
        forgetChild(dataDir, pid);
        if (!stopping) death.reject(new Error(`${name} (pid ${pid}) ended with ${signal ?? `exit code ${code}`}`));
      });
      return { child, pid };
    },
    stop: async () => {
      stopping = true;
      death.reject(new Error('stopped'));
      const ends = Promise.all([...alive.keys()].map((child) => once(child, 'exit')));
      for (const child of alive.keys()) child.kill('SIGTERM');
      await Promise.race([ends, delay(GRACE_MS, undefined, { ref: false })]);
      for (const child of alive.keys()) child.kill('SIGKILL');
      await ends;
    },
  };
}
