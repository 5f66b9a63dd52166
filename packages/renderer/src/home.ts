/**
 * The directory that everything of our browsers is in, and the janitor beside it: a process of its own, so that even
 * after a kill -9 of ours no browser and no directory stays behind. Starts no browser.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Home {
  readonly directory: string;
  /** Ends every process that works in it, and removes it. */
  close(): Promise<void>;
}

const JANITOR = fileURLToPath(new URL('./janitor.sh', import.meta.url));

export async function openHome(): Promise<Home> {
  const directory = mkdtempSync(join(tmpdir(), `trawl-render-${process.pid}-`));
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
    },
  };
}
