/**
 * Files of Debian packages without installing them: downloaded and unpacked into a cache, with and without root. What the
 * archive has in it depends on the machine's distribution, so a package that can't be had is a sentence, not a crash.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export type Unpacked = { kind: 'unpacked'; root: string } | { kind: 'unavailable'; message: string };

/** The files of a package below `root`; from the cache when they are there already. */
export async function unpackDebian(name: string, root: string): Promise<Unpacked> {
  if (existsSync(root)) return { kind: 'unpacked', root };
  mkdirSync(dirname(root), { recursive: true });
  const work = mkdtempSync(`${root}.new-`);
  try {
    const debs = join(work, 'debs');
    const files = join(work, 'files');
    for (const directory of [debs, files]) mkdirSync(directory);
    await download(name, debs, work);
    for (const deb of readdirSync(debs)) await run('dpkg-deb', ['-x', join(debs, deb), files]);
    // Complete or not there: an interrupted download leaves nothing that looks like a cache.
    renameSync(files, root);
    return { kind: 'unpacked', root };
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    const lastLine = (stderr || message).trim().split('\n').at(-1);
    return {
      kind: 'unavailable',
      message: `${name}, a package of Debian 12, can't be downloaded with apt-get: ${lastLine}`,
    };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** With the machine's package lists where they serve; else (none, or too old) with lists of our own. */
async function download(name: string, into: string, work: string): Promise<void> {
  const options = ['-q', '-o', 'DPkg::Lock::Timeout=300'];
  // As root, apt downloads as the user _apt, who can't write into our directory.
  if (process.getuid?.() === 0) options.push('-o', 'APT::Sandbox::User=root');
  try {
    await run('apt-get', [...options, 'download', name], { cwd: into });
  } catch (error) {
    // Without apt there is nothing to try again; else the lists are the usual cause.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw error;
    const lists = join(work, 'lists');
    const cache = join(work, 'cache');
    for (const directory of [join(lists, 'partial'), cache]) mkdirSync(directory, { recursive: true });
    const own = ['-o', `Dir::State::Lists=${lists}`, '-o', `Dir::Cache=${cache}`];
    await run('apt-get', [...options, ...own, 'update']);
    await run('apt-get', [...options, ...own, 'download', name], { cwd: into });
  }
}
