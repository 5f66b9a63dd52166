/** How much memory a browser's processes hold, by /proc. Elsewhere than on Linux it knows of none. Ends nothing. */
import { readdirSync, readFileSync } from 'node:fs';

export interface TreeMemory {
  /** Of all processes, without the pages of the program's own files: those are shared, and would count once for each. */
  readonly totalMb: number;
  /** The processes that pages live in. */
  readonly renderers: readonly { readonly pid: number; readonly memoryMb: number }[];
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly memoryMb: number;
}

/** Of a process and all that descend from it. About 10 ms where 300 processes run. */
export function treeMemory(rootPid: number): TreeMemory {
  const processes = readProcesses();
  const byParent = Map.groupBy(processes, ({ parent }) => parent);
  const tree = processes.filter(({ pid }) => pid === rootPid);
  // Grows while it is walked.
  for (const { pid } of tree) tree.push(...(byParent.get(pid) ?? []));
  return {
    totalMb: Math.round(tree.reduce((sum, { memoryMb }) => sum + memoryMb, 0)),
    renderers: tree.filter(({ pid }) => read(`/proc/${pid}/cmdline`).includes('--type=renderer')),
  };
}

function readProcesses(): Process[] {
  return entries('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => {
      const status = read(`/proc/${name}/status`);
      const kilobytes = numberOf(status, 'RssAnon') + numberOf(status, 'RssShmem');
      return { pid: Number(name), parent: numberOf(status, 'PPid'), memoryMb: kilobytes / 1024 };
    });
}

const numberOf = (status: string, name: string): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);

function entries(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // Gone since it was listed.
    return '';
  }
}
