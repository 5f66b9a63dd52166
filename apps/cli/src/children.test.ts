import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Children, type ChildrenOptions, type Death, restartPauseMs, startChildren } from './children.ts';

let folder: string;
let children: Children | undefined;
let lines: string[];
let deaths: Death[];
let remembered: Set<number>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trawl-children-'));
  lines = [];
  deaths = [];
  remembered = new Set();
});
afterEach(async () => {
  await children?.stop(0);
  children = undefined;
  await rm(folder, { recursive: true });
});

async function start(program: string): Promise<Children> {
  const entry = join(folder, 'program.mjs');
  await writeFile(entry, program);
  const options: ChildrenOptions = {
    specs: [{ name: 'fetch:1', entry }],
    env: process.env,
    onLine: (name, line) => lines.push(`${name} ${line}`),
    onDeath: (death) => {
      deaths.push(death);
      lines.push(`died ${death.inARow}`);
    },
    remember: (pid) => remembered.add(pid),
    forget: (pid) => remembered.delete(pid),
  };
  children = startChildren(options);
  return children;
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
const pidOf = (): number => children?.pids().get('fetch:1') ?? 0;
const said = (line: string) => vi.waitFor(() => expect(lines).toContain(`fetch:1 ${line}`), { timeout: 5000 });

describe('children', () => {
  it('are asked to end, and end by themselves', async () => {
    await start(
      `process.on('SIGTERM', () => { console.log('bye'); process.exit(0) }); setInterval(() => {}, 1e6); console.log('up')`,
    );
    await said('up');
    const pid = pidOf();
    expect(remembered).toEqual(new Set([pid]));
    await children?.stop(10_000);
    expect(isAlive(pid)).toBe(false);
    expect(remembered.size).toBe(0);
    expect(deaths).toEqual([]);
  });

  it('are killed when they do not end in time', async () => {
    await start(`process.on('SIGTERM', () => console.log('no')); setInterval(() => {}, 1e6); console.log('up')`);
    await said('up');
    const pid = pidOf();
    const stopped = children?.stop(300);
    await said('no');
    await stopped;
    expect(isAlive(pid)).toBe(false);
  });

  it('are killed at once when told so while they take their time', async () => {
    await start(`process.on('SIGTERM', () => console.log('no')); setInterval(() => {}, 1e6); console.log('up')`);
    await said('up');
    const hurry = new AbortController();
    const stopped = children?.stop(60_000, hurry.signal);
    await said('no');
    hurry.abort();
    await stopped;
    expect(children?.pids().size).toBe(0);
  });

  it('are started again after they died, when their last words have been heard', async () => {
    await start(`console.log('alas'); process.exitCode = 3`);
    await vi.waitFor(() => expect(deaths.length).toBeGreaterThanOrEqual(2), { timeout: 10_000, interval: 50 });
    expect(deaths[0]).toMatchObject({
      reason: 'exit code 3',
      exitCode: 3,
      inARow: 1,
      restartInMs: 1000,
    });
    expect(lines.slice(0, 4)).toEqual(['fetch:1 alas', 'died 1', 'fetch:1 alas', 'died 2']);
    expect(deaths[1]).toMatchObject({ inARow: 2, restartInMs: 2000 });
    expect(deaths[1]?.pid).not.toBe(deaths[0]?.pid);
  });

  it('are not started again once stopped', async () => {
    await start('process.exit(1)');
    await vi.waitFor(() => expect(deaths).toHaveLength(1), { timeout: 5000 });
    vi.useFakeTimers();
    try {
      await children?.stop(1000);
      await vi.advanceTimersByTimeAsync(60_000);
      expect(children?.pids().size).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it('notice through their channel when the parent is gone', async () => {
    await start(`process.on('disconnect', () => process.exit(0)); console.log(process.connected)`);
    await said('true');
  });

  it('wait 1, 2, 4 … and at most 30 seconds before another life', () => {
    expect([1, 2, 3, 4, 5, 6, 20].map(restartPauseMs)).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
  });
});
