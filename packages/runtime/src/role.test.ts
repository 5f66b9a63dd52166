import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { testRedis, waitFor } from '@trawl/testing';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';

const redis = testRedis();
const folder = mkdtempSync(join(tmpdir(), 'trawl-role-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A role whose start and end take as long as it is told, and which says where it is. */
const program = join(folder, 'role.ts');
writeFileSync(
  program,
  `import { setTimeout as sleep } from 'node:timers/promises';
   const { runRole, sharedEnv } = await import(${JSON.stringify(new URL('./index.ts', import.meta.url).href)});
   const [startMs, stopMs] = process.argv.slice(2).map(Number);
   const say = (word) => new Promise((done) => process.connected ? process.send(word, done) : done());
   await runRole('fetch', sharedEnv, async () => {
     await say('starting');
     await sleep(startMs);
     return async () => { await say('stopping'); await sleep(stopMs); await say('stopped'); };
   });
   await say('ready');`,
);

interface Process {
  readonly child: ChildProcess;
  readonly words: readonly string[];
  said(word: string): Promise<unknown>;
  /** Its exit code, and how long after this call it ended. */
  end(): Promise<{ exitCode: number | null; ms: number }>;
}

function start(o: { startMs: number; stopMs: number }): Process {
  const { host, port } = redis.options;
  const env = {
    ...process.env,
    REDIS_URL: `redis://${host}:${port}`,
    DATABASE_URL: 'postgres://127.0.0.1:1/none',
    LOG_LEVEL: 'silent',
  };
  const child = fork(program, [String(o.startMs), String(o.stopMs)], {
    env,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const words: string[] = [];
  child.on('message', (word) => words.push(String(word)));
  return {
    child,
    words,
    said: (word) => waitFor(() => words.includes(word), { what: word }),
    async end() {
      const from = performance.now();
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      return { exitCode: child.exitCode, ms: performance.now() - from };
    },
  };
}

describe('a role', { timeout: 30_000 }, () => {
  it('stops gracefully at a signal, and exits with 0', async () => {
    const role = start({ startMs: 0, stopMs: 100 });
    await role.said('ready');
    role.child.kill('SIGTERM');
    expect((await role.end()).exitCode).toBe(0);
    expect(role.words).toEqual(['starting', 'ready', 'stopping', 'stopped']);
  });

  it('stops gracefully at a signal that comes while it starts', async () => {
    const role = start({ startMs: 500, stopMs: 0 });
    await role.said('starting');
    role.child.kill('SIGTERM');
    expect((await role.end()).exitCode).toBe(0);
    expect(role.words).toContain('stopped');
  });

  it('ends at once at a second signal within three seconds, though its work is not done', async () => {
    const role = start({ startMs: 0, stopMs: 60_000 });
    await role.said('ready');
    role.child.kill('SIGTERM');
    await role.said('stopping');
    await sleep(300); // Sooner it would be a copy of the first.
    role.child.kill('SIGINT');
    const { exitCode, ms } = await role.end();
    expect(exitCode).toBe(1);
    expect(ms).toBeLessThan(1000);
  });

  it('takes copies of one signal for one', async () => {
    const role = start({ startMs: 0, stopMs: 300 });
    await role.said('ready');
    role.child.kill('SIGINT');
    role.child.kill('SIGTERM');
    expect((await role.end()).exitCode).toBe(0);
    expect(role.words).toContain('stopped');
  });

  it.each(['while it works', 'while it starts'])('stops gracefully when its supervisor goes %s', async (when) => {
    const role = start({ startMs: when === 'while it works' ? 0 : 300, stopMs: 0 });
    await role.said(when === 'while it works' ? 'ready' : 'starting');
    role.child.disconnect();
    expect((await role.end()).exitCode).toBe(0);
  });

  it('is not hurried by a supervisor that goes after its signal', async () => {
    const role = start({ startMs: 0, stopMs: 500 });
    await role.said('ready');
    role.child.kill('SIGTERM');
    await role.said('stopping');
    role.child.disconnect();
    const { exitCode } = await role.end();
    expect(exitCode).toBe(0);
  });
});
