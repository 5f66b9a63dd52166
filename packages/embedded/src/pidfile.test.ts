import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { clearOrphans, forgetChild, recordChild } from './pidfile.ts';
import { endProcess, identify, isRunning } from './process-identity.ts';

let dataDir: string;
const children: ChildProcess[] = [];
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'trawl-pids-'));
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(dataDir, { recursive: true, force: true });
});

/** Runs until it is ended; `ignored` signals don't end it. Ready once it has written a line. */
async function startProcess(ignored: readonly string[] = []): Promise<number> {
  const program = `${ignored.map((s) => `process.on('${s}', () => {});`).join('')} setInterval(() => {}, 1000); console.log('up')`;
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  await once(child.stdout, 'data');
  if (child.pid === undefined) throw new Error('not spawned');
  return child.pid;
}

const identityOf = (pid: number) => {
  const identity = identify(pid);
  if (!identity) throw new Error(`no process ${pid}`);
  return identity;
};

interface Entry {
  pid: number;
  startedAt: string;
  owner: { pid: number; startedAt: string };
}
/** As another supervisor would have left it. */
function rewrite(change: (entry: Entry) => void): void {
  const file = join(dataDir, 'pids.json');
  const entries = JSON.parse(readFileSync(file, 'utf8')) as Entry[];
  for (const entry of entries) change(entry);
  writeFileSync(file, JSON.stringify(entries));
}
const disown = () =>
  rewrite((entry) => {
    entry.owner = { pid: entry.owner.pid, startedAt: 'an earlier process with this pid' };
  });

describe('children of a supervisor that was killed', () => {
  it('are ended by the next start, each with a sentence', async () => {
    const pid = await startProcess();
    const identity = identityOf(pid);
    recordChild(dataDir, { name: 'fetch worker', pid, kind: 'worker', stopSignal: 'SIGTERM' });
    disown();
    expect(await clearOrphans(dataDir)).toEqual([
      `Ended fetch worker (pid ${pid}), left over from a start that was killed.`,
    ]);
    expect(isRunning(identity)).toBe(false);
    expect(await clearOrphans(dataDir)).toEqual([]);
  });

  it('are left alone when their pid has become another process', async () => {
    const identity = identityOf(await startProcess());
    recordChild(dataDir, { name: 'Redis', pid: identity.pid, kind: 'server', stopSignal: 'SIGTERM' });
    disown();
    rewrite((entry) => {
      entry.startedAt = 'before';
    });
    expect(await clearOrphans(dataDir)).toEqual([]);
    expect(isRunning(identity)).toBe(true);
  });

  it('are not the children of one that lives: the start is refused', async () => {
    const owner = identityOf(await startProcess());
    const child = identityOf(await startProcess());
    recordChild(dataDir, { name: 'Redis', pid: child.pid, kind: 'server', stopSignal: 'SIGTERM' });
    rewrite((entry) => {
      entry.owner = owner;
    });
    await expect(clearOrphans(dataDir)).rejects.toThrow(`Another Trawl (pid ${owner.pid}) is using ${dataDir}`);
    expect(isRunning(child)).toBe(true);
  });

  it('are not our own', async () => {
    const child = identityOf(await startProcess());
    recordChild(dataDir, { name: 'Redis', pid: child.pid, kind: 'server', stopSignal: 'SIGTERM' });
    expect(await clearOrphans(dataDir)).toEqual([]);
    expect(isRunning(child)).toBe(true);
  });

  it('are none after each was forgotten', async () => {
    const pid = await startProcess();
    recordChild(dataDir, { name: 'Redis', pid, kind: 'server', stopSignal: 'SIGTERM' });
    forgetChild(dataDir, pid);
    disown();
    expect(await clearOrphans(dataDir)).toEqual([]);
  });
});

describe('ending a process', () => {
  it('goes on to a harder signal when the first is ignored', async () => {
    const identity = identityOf(await startProcess(['SIGTERM']));
    await endProcess(identity, [
      { signal: 'SIGTERM', waitMs: 50 },
      { signal: 'SIGKILL', waitMs: 5000 },
    ]);
    expect(isRunning(identity)).toBe(false);
  });

  it('is an error when no signal helped', async () => {
    const identity = identityOf(await startProcess(['SIGTERM']));
    await expect(endProcess(identity, [{ signal: 'SIGTERM', waitMs: 50 }])).rejects.toThrow('does not end');
  });
});
