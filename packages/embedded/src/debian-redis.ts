/**
 * Redis from the Debian (or Ubuntu) archive without installing it: the packages are downloaded and unpacked into a
 * cache, so nothing on the machine changes, no service starts, and it works with and without root.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { RedisBinary } from './redis-binary.ts';

const run = promisify(execFile);

export function cachedRedis(cacheDir: string): RedisBinary | null {
  const command = join(cacheDir, 'usr/bin/redis-server');
  if (!existsSync(command)) return null;
  return { command, env: { LD_LIBRARY_PATH: libraryDirs(cacheDir).join(':') } };
}

/**
 * Fills `cacheDir`, replacing what is there unless that `isUsable`. Safe when several processes do it at once: each
 * unpacks for itself, and the first rename wins.
 */
export async function downloadRedis(cacheDir: string, isUsable: () => Promise<boolean>): Promise<void> {
  mkdirSync(dirname(cacheDir), { recursive: true });
  const work = mkdtempSync(`${cacheDir}.new-`);
  try {
    const debs = join(work, 'debs');
    const root = join(work, 'root');
    for (const directory of [debs, root]) mkdirSync(directory);
    await download(work, debs);
    for (const deb of readdirSync(debs).filter((name) => name.endsWith('.deb'))) {
      await run('dpkg-deb', ['-x', join(debs, deb), root]);
    }
    // Another process was quicker, and may be starting its server from there at this moment: leave it in place.
    if (await isUsable()) return;
    if (existsSync(cacheDir)) renameSync(cacheDir, join(work, 'replaced'));
    try {
      renameSync(root, cacheDir);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // Another process put its own copy there in the meantime: as good as ours.
      if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** With the machine's package lists where they serve; else (none, or too old) with lists of our own. */
async function download(work: string, into: string): Promise<void> {
  try {
    await downloadWith([], into);
  } catch {
    // Empty or outdated lists are the usual cause; whatever it was, fresh lists either work or give the error to show.
    const lists = join(work, 'lists');
    const cache = join(work, 'cache');
    for (const directory of [join(lists, 'partial'), cache]) mkdirSync(directory, { recursive: true });
    const own = ['-o', `Dir::State::Lists=${lists}`, '-o', `Dir::Cache=${cache}`];
    await run('apt-get', [...aptOptions(), ...own, 'update']);
    await downloadWith(own, into);
  }
}

async function downloadWith(options: readonly string[], into: string): Promise<void> {
  const { stdout } = await run('apt-cache', [...options, 'depends', '--important', 'redis-server', 'redis-tools']);
  const libraries = [...stdout.matchAll(/^\s*\|?Depends: ((?:lib|lua-)\S+)$/gm)]
    .map((match) => match[1] ?? '')
    // The C library belongs to the machine: a second one next to it does not even load.
    .filter((name) => name !== 'libc6');
  const packages = ['redis-server', 'redis-tools', ...new Set(libraries)];
  await run('apt-get', [...aptOptions(), ...options, 'download', ...packages], { cwd: into });
}

function aptOptions(): string[] {
  const options = ['-q', '-o', 'DPkg::Lock::Timeout=300'];
  // As root, apt downloads as the user _apt, who can't write into our directory.
  return process.getuid?.() === 0 ? [...options, '-o', 'APT::Sandbox::User=root'] : options;
}

function libraryDirs(root: string): string[] {
  return ['usr/lib', 'lib'].flatMap((lib) => {
    const directory = join(root, lib);
    if (!existsSync(directory)) return [];
    return readdirSync(directory)
      .filter((name) => name.includes('-linux-gnu'))
      .map((name) => join(directory, name));
  });
}
