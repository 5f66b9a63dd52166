/**
 * The directory that everything of our browsers is in, and the janitor beside it: a process of its own, so that even
 * after a kill -9 of ours no browser and no directory stays behind. Starts no browser.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Home {
  readonly directory: string;
  /** Ends every process that works in it, and removes it. */
  close(): Promise<void>;
}

const PREFIX = 'trawl-render-';
const JANITOR = fileURLToPath(new URL('./janitor.sh', import.meta.url));

/** Of this process, so that what an earlier one of the same number left behind is told from them. */
const ours = new Set<string>();

export async function openHome(): Promise<Home> {
  removeForgotten();
  const directory = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`));
  ours.add(directory);
  // Detached: what is sent to our whole process group, Ctrl-C for one, is not for the janitor.
  const janitor = spawn('/bin/sh', [JANITOR, directory], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    cwd: '/',
    env: { PATH: process.env.PATH },
  });
  const ended = once(janitor, 'exit');
  await once(janitor, 'spawn');
  // It is to outlive us, not to keep us.
  janitor.unref();
  // If it is killed, writing its end to it fails; there is nobody left to tell.
  janitor.stdin.on('error', () => {});
  return {
    directory,
    close: async () => {
      janitor.ref();
      janitor.stdin.end();
      await ended;
      // It may have been killed before, and then has done nothing.
      rmSync(directory, { recursive: true, force: true });
      ours.delete(directory);
    },
  };
}

/** Where the janitor went with its process, as when a whole container is killed, what they left is still there at the next start. */
function removeForgotten(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = name.startsWith(PREFIX) ? Number.parseInt(name.slice(PREFIX.length), 10) : Number.NaN;
    const directory = join(tmpdir(), name);
    if (Number.isNaN(pid) || ours.has(directory) || (pid !== process.pid && isAlive(pid))) continue;
    try {
      rmSync(directory, { recursive: true, force: true });
    } catch {
      // Somebody else's, who may remove it.
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Anything but "no such process" means that there is one, of another user.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
