/**
 * Tells whether a pid still means the process it once meant. Pids are reused (within minutes in a container), so a pid
 * is only ever compared together with the moment its process started. Ends nothing by itself but what it is told to.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

export interface ProcessIdentity {
  readonly pid: number;
  /** Opaque: boot and start time of the process. Equal for the same process only. */
  readonly startedAt: string;
}

/** Null when no such process runs; a zombie counts as gone, since nothing reaps it in a container without an init. */
export function identify(pid: number): ProcessIdentity | null {
  const startedAt = existsSync('/proc/self/stat') ? startedAtFromProc(pid) : startedAtFromPs(pid);
  return startedAt === null ? null : { pid, startedAt };
}

export function isRunning(process: ProcessIdentity): boolean {
  return identify(process.pid)?.startedAt === process.startedAt;
}

/** Sends the signals one after another, each with its time to work, until the process is gone. */
export async function endProcess(
  target: ProcessIdentity,
  signals: readonly { readonly signal: NodeJS.Signals; readonly waitMs: number }[],
): Promise<void> {
  for (const { signal, waitMs } of signals) {
    if (!isRunning(target)) return;
    send(target.pid, signal);
    const deadline = Date.now() + waitMs;
    while (isRunning(target) && Date.now() < deadline) await sleep(10);
  }
  if (isRunning(target)) throw new Error(`process ${target.pid} does not end`);
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // It ended between the look and the signal, which is what was wanted.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function startedAtFromProc(pid: number): string | null {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH') return null;
    throw error;
  }
  // The second field is the program's name in parentheses and may hold spaces and parentheses itself.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const state = fields[0];
  if (state === 'Z' || state === 'X') return null;
  // The 22nd field is the start in ticks since boot, so the boot has to be part of the identity.
  return `${bootId()}:${fields[19]}`;
}

function bootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
}

function startedAtFromPs(pid: number): string | null {
  try {
    const line = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    return line === '' || line.startsWith('Z') ? null : line.replace(/^\S+\s+/, '');
  } catch (error) {
    // ps answers 1 for a pid that is not there.
    if ((error as { status?: number }).status === 1) return null;
    throw error;
  }
}
