/**
 * Remembers the children of a supervisor in `<dataDir>/pids.json`, so that the next start can end what a `kill -9` of
 * the supervisor left behind. Never ends a process that merely has a remembered pid, nor the children of a live one.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TrawlError } from '@trawl/contracts';
import { endProcess, identify, isRunning, type ProcessIdentity } from './process-identity.ts';

export interface ChildRecord {
  readonly name: string;
  readonly pid: number;
  /** Workers are ended before the servers they talk to. */
  readonly kind: 'worker' | 'server';
  /** How this program is asked to end quickly and cleanly. */
  readonly stopSignal: NodeJS.Signals;
}

interface RememberedChild extends ChildRecord, ProcessIdentity {
  readonly owner: ProcessIdentity;
}

/** Call it right after the spawn. A child that is gone already is not worth remembering, so that is no error. */
export function recordChild(dataDir: string, child: ChildRecord): void {
  const identity = identify(child.pid);
  const owner = identify(process.pid);
  if (!identity || !owner) return;
  mkdirSync(dataDir, { recursive: true });
  write(dataDir, [...read(dataDir).filter((c) => c.pid !== child.pid), { ...child, ...identity, owner }]);
}

export function forgetChild(dataDir: string, pid: number): void {
  const children = read(dataDir);
  const rest = children.filter((c) => c.pid !== pid);
  if (rest.length < children.length) write(dataDir, rest);
}

/**
 * Ends what a dead supervisor of this data directory left running; returns a sentence for each. Throws when the
 * supervisor is alive: two on one data directory would corrupt it.
 */
export async function clearOrphans(dataDir: string): Promise<string[]> {
  const running = read(dataDir).filter(isRunning);
  const others = running.filter((c) => c.owner.pid !== process.pid);
  const kept = running.filter((c) => c.owner.pid === process.pid && isRunning(c.owner));
  const guarded = others.find((c) => isRunning(c.owner));
  if (guarded) {
    throw new TrawlError(
      'START_FAILED',
      `Another Trawl (pid ${guarded.owner.pid}) is using ${dataDir}; stop it, or set DATA_DIR to another directory.`,
      { retryable: false, context: { dataDir, pid: guarded.owner.pid } },
    );
  }
  const orphans = running.filter((c) => !kept.includes(c));
  for (const kind of ['worker', 'server'] as const) {
    await Promise.all(orphans.filter((c) => c.kind === kind).map(endOrphan));
  }
  write(dataDir, kept);
  return orphans.map((c) => `Ended ${c.name} (pid ${c.pid}), left over from a start that was killed.`);
}

function endOrphan(child: RememberedChild): Promise<void> {
  return endProcess(child, [
    { signal: child.stopSignal, waitMs: 10_000 },
    { signal: 'SIGKILL', waitMs: 5_000 },
  ]);
}

const fileOf = (dataDir: string): string => join(dataDir, 'pids.json');

/** Reads and writes are synchronous, so that two records made at once in one process can't lose one another. */
function read(dataDir: string): RememberedChild[] {
  let text: string;
  try {
    text = readFileSync(fileOf(dataDir), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  const value: unknown = JSON.parse(text);
  if (!Array.isArray(value) || !value.every(isRememberedChild)) {
    throw new TrawlError('START_FAILED', `${fileOf(dataDir)} is not a list of processes; remove it and start again.`, {
      retryable: false,
    });
  }
  return value;
}

function write(dataDir: string, children: readonly RememberedChild[]): void {
  const file = fileOf(dataDir);
  try {
    // By rename: a reader sees the old list or the new one, also after a crash in the middle.
    writeFileSync(`${file}.new`, `${JSON.stringify(children, null, 2)}\n`);
    renameSync(`${file}.new`, file);
  } catch (error) {
    // A data directory that is gone has nothing left to remember (a temporary one, removed before its servers' exit was seen).
    if (!(children.length === 0 && (error as NodeJS.ErrnoException).code === 'ENOENT')) throw error;
  }
}

function isRememberedChild(value: unknown): value is RememberedChild {
  const child = value as Partial<RememberedChild> | null;
  return (
    typeof child?.pid === 'number' &&
    typeof child.startedAt === 'string' &&
    typeof child.name === 'string' &&
    typeof child.stopSignal === 'string' &&
    (child.kind === 'worker' || child.kind === 'server') &&
    typeof child.owner?.pid === 'number' &&
    typeof child.owner.startedAt === 'string'
  );
}
