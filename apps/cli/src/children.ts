/**
 * Runs programs as child processes, each in a process group of its own, and starts those that die again with growing
 * pauses. Stops them when told to. Does not know roles, servers or signals from outside.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

export interface ChildSpec {
  readonly name: string;
  /** The program's file, run by this same Node. */
  readonly entry: string;
  /** For Node itself. */
  readonly nodeArgs?: readonly string[];
}

export interface Death {
  readonly name: string;
  readonly pid: number;
  /** `exit code 1`, `signal SIGKILL`. */
  readonly reason: string;
  readonly exitCode: number | null;
  /** How often in a row it died without a minute of life. */
  readonly inARow: number;
  readonly restartInMs: number;
}

export interface ChildrenOptions {
  readonly specs: readonly ChildSpec[];
  readonly env: NodeJS.ProcessEnv;
  readonly onLine: (name: string, line: string) => void;
  readonly onDeath: (death: Death) => void;
  /** Remembers the process where the next start finds it, should this one be killed. */
  readonly remember: (pid: number, name: string) => void;
  readonly forget: (pid: number) => void;
}

export interface Children {
  /** Those alive now. */
  pids(): ReadonlyMap<string, number>;
  /** Asks all to end, and ends what is left after `graceMs`, or sooner when `atOnce` is aborted. Never starts one again. */
  stop(graceMs: number, atOnce?: AbortSignal): Promise<void>;
}

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;
const HEALTHY_AFTER_MS = 60_000;
/** A dead child's last lines may still be in the pipe; they should be read before its death is. */
const LAST_WORDS_MS = 250;

interface Slot {
  readonly spec: ChildSpec;
  process: ChildProcess | null;
  restart: NodeJS.Timeout | null;
  deathsInARow: number;
}

/** How long to wait before a child that died `deathsInARow` times is started again. */
export function restartPauseMs(deathsInARow: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** (deathsInARow - 1), LONGEST_PAUSE_MS);
}

export function startChildren(options: ChildrenOptions): Children {
  const slots: Slot[] = options.specs.map((spec) => ({ spec, process: null, restart: null, deathsInARow: 0 }));
  let stopping = false;

  const run = (slot: Slot): void => {
    slot.restart = null;
    const startedMs = Date.now();
    // A group of its own: Ctrl+C reaches this process alone, which then stops the children in order. The IPC channel
    // closes when this process is gone, however it went, and a role ends itself then.
    const child = spawn(process.execPath, [...(slot.spec.nodeArgs ?? []), slot.spec.entry], {
      env: options.env,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      detached: true,
    });
    slot.process = child;
    if (child.pid !== undefined) options.remember(child.pid, slot.spec.name);
    for (const stream of [child.stdout, child.stderr]) {
      if (!stream) continue;
      createInterface({ input: stream }).on('line', (line) => options.onLine(slot.spec.name, line));
    }

    const onEnd = async (exitCode: number | null, reason: string): Promise<void> => {
      slot.process = null;
      if (child.pid !== undefined) options.forget(child.pid);
      if (stopping) return;
      if (child.exitCode !== null || child.signalCode !== null) {
        await Promise.race([once(child, 'close'), delay(LAST_WORDS_MS)]);
      }
      if (stopping) return;
      slot.deathsInARow = Date.now() - startedMs >= HEALTHY_AFTER_MS ? 1 : slot.deathsInARow + 1;
      const restartInMs = restartPauseMs(slot.deathsInARow);
      slot.restart = setTimeout(() => run(slot), restartInMs);
      const pid = child.pid ?? 0;
      const { name } = slot.spec;
      options.onDeath({ name, pid, reason, exitCode, inARow: slot.deathsInARow, restartInMs });
    };
    child.once('exit', (code, signal) => void onEnd(code, signal ? `signal ${signal}` : `exit code ${code}`));
    child.on('error', (error) => {
      // Emitted for a failed spawn (then there is no exit) and for a failed kill (then there may be one).
      if (child.pid === undefined) void onEnd(null, `could not be started: ${error.message}`);
    });
  };
  for (const slot of slots) run(slot);

  const alive = (): ChildProcess[] => slots.flatMap(({ process: child }) => (child && !isOver(child) ? [child] : []));

  return {
    pids: () => {
      const pids = new Map<string, number>();
      for (const slot of slots) if (slot.process?.pid !== undefined) pids.set(slot.spec.name, slot.process.pid);
      return pids;
    },
    stop: async (graceMs, atOnce) => {
      stopping = true;
      for (const slot of slots) if (slot.restart) clearTimeout(slot.restart);
      const ends = Promise.all(alive().map((child) => once(child, 'exit')));
      for (const child of alive()) child.kill('SIGTERM');
      await within(graceMs, ends, atOnce);
      for (const child of alive()) killGroup(child);
      await ends;
    },
  };
}

const isOver = (child: ChildProcess): boolean =>
  child.pid === undefined || child.exitCode !== null || child.signalCode !== null;

/** Waits for `work`, but not longer than allowed. */
async function within(limitMs: number, work: Promise<unknown>, atOnce: AbortSignal | undefined): Promise<void> {
  const over = new AbortController();
  const signal = atOnce ? AbortSignal.any([over.signal, atOnce]) : over.signal;
  const limit = delay(limitMs, undefined, { signal }).catch(() => undefined);
  await Promise.race([work, limit]);
  over.abort();
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    // Gone in the meantime.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
