/** How a TypeScript program is started by this same Node, with a CPU profile if one is wanted. */
import { resolve } from 'node:path';

export function nodeArgs(entry: string, name: string, profileDir: string | null): string[] {
  if (profileDir === null) return [entry];
  return [
    '--cpu-prof',
    `--cpu-prof-dir=${resolve(profileDir)}`,
    `--cpu-prof-name=${name.replace(':', '-')}.cpuprofile`,
    entry,
  ];
}
