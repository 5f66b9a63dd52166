import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ensureDependencies } from './install.mjs';
import { withLock } from './lock.mjs';

let root;
const silent = () => {};
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'trawl-install-'));
  writeFileSync(join(root, 'pnpm-lock.yaml'), 'one');
  writeFileSync(join(root, 'package.json'), '{}');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('the install of dependencies', () => {
  it('is done once, and again when the lock file or a package.json changes', async () => {
    let installs = 0;
    const install = async () => {
      installs += 1;
    };
    await ensureDependencies(root, { install, say: silent });
    await ensureDependencies(root, { install, say: silent });
    expect(installs).toBe(1);
    writeFileSync(join(root, 'pnpm-lock.yaml'), 'two');
    await ensureDependencies(root, { install, say: silent });
    expect(installs).toBe(2);
    mkdirSync(join(root, 'packages/new'), { recursive: true });
    writeFileSync(join(root, 'packages/new/package.json'), '{}');
    await ensureDependencies(root, { install, say: silent });
    expect(installs).toBe(3);
  });

  it('is done again after one that failed', async () => {
    const broken = () => Promise.reject(new Error('no network'));
    await expect(ensureDependencies(root, { install: broken, say: silent })).rejects.toThrow('no network');
    let installs = 0;
    const install = async () => {
      installs += 1;
    };
    await ensureDependencies(root, { install, say: silent });
    expect(installs).toBe(1);
  });

  it('is done once when two ask at the same time', async () => {
    let installs = 0;
    const install = async () => {
      installs += 1;
    };
    await Promise.all([
      ensureDependencies(root, { install, say: silent }),
      ensureDependencies(root, { install, say: silent }),
    ]);
    expect(installs).toBe(1);
  });
});

describe('the lock', () => {
  const lock = () => join(root, 'lock');

  it('is held by one at a time', async () => {
    let holders = 0;
    let most = 0;
    const work = async () => {
      holders += 1;
      most = Math.max(most, holders);
      await new Promise(setImmediate);
      holders -= 1;
    };
    await Promise.all(Array.from({ length: 5 }, () => withLock(lock(), work)));
    expect(most).toBe(1);
  });

  it('is free again after its holder failed', async () => {
    await expect(withLock(lock(), () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(existsSync(lock())).toBe(false);
  });

  it('is taken over from a dead holder, but not while a child of it goes on', async () => {
    const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] });
    const dead = spawn(process.execPath, ['-e', '']);
    await new Promise((resolve) => dead.once('exit', resolve));
    mkdirSync(lock());
    writeFileSync(join(lock(), 'owners'), `${dead.pid}\n${child.pid}`);
    let isChildGone = false;
    const taken = withLock(lock(), async () => isChildGone);
    child.once('exit', () => {
      isChildGone = true;
    });
    child.stdin.end();
    expect(await taken).toBe(true);
  });
});
