/** Finds a Node that runs TypeScript as it is: the one among the dependencies, else the one we run on. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const OLDEST_MAJOR = 24;

export function findNode(root) {
  // Not through `.bin`: a shim is a shell in between, and one process more that signals have to pass.
  const packaged = join(root, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
  // The packaged one is for glibc: on Alpine it is there and does not run.
  if (existsSync(packaged) && majorOf(spawnSync(packaged, ['--version'], { encoding: 'utf8' }).stdout)) return packaged;
  if (majorOf(process.version) >= OLDEST_MAJOR) return process.execPath;
  throw new Error(`Trawl needs Node ${OLDEST_MAJOR} or newer on this platform, and this is ${process.version}.`);
}

function majorOf(version) {
  return Number(/^v(\d+)\./.exec(version ?? '')?.[1] ?? 0);
}
