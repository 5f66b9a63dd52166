/** CPU time of a process and all below it, from /proc: every thread, and children that have ended in between too. */
import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts in hundredths of a second on every architecture Node runs on. */
const MS_PER_TICK = 10;

interface ProcessStat {
  readonly parent: number;
  readonly cpuMs: number;
}

/** Milliseconds of CPU that each of the process trees has used so far. */
export function cpuTimesMs(roots: ReadonlyMap<string, number>): Map<string, number> {
  const stats = new Map<number, ProcessStat>();
  for (const entry of readdirSync('/proc')) {
    const stat = /^\d+$/.test(entry) ? readStat(entry) : null;
    if (stat) stats.set(Number(entry), stat);
  }
  const times = new Map([...roots.keys()].map((name) => [name, 0]));
  const nameOfRoot = new Map([...roots].map(([name, pid]) => [pid, name]));
  for (const [pid, { cpuMs }] of stats) {
    const name = ownerOf(pid, stats, nameOfRoot);
    if (name !== null) times.set(name, (times.get(name) ?? 0) + cpuMs);
  }
  return times;
}

function ownerOf(
  pid: number,
  stats: ReadonlyMap<number, ProcessStat>,
  nameOfRoot: ReadonlyMap<number, string>,
): string | null {
  for (let at = pid; at > 1; at = stats.get(at)?.parent ?? 0) {
    const name = nameOfRoot.get(at);
    if (name !== undefined) return name;
  }
  return null;
}

function readStat(pid: string): ProcessStat | null {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // It ended between the listing and the look.
    if (code === 'ENOENT' || code === 'ESRCH') return null;
    throw error;
  }
  // The second field is the program's name in parentheses and may hold spaces and parentheses itself.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15).map(Number);
  return { parent: Number(fields[1]), cpuMs: (user + system + endedUser + endedSystem) * MS_PER_TICK };
}

/** Milliseconds of CPU that all programs of the machine have used so far. */
export function machineCpuMs(): number {
  const [total = ''] = readFileSync('/proc/stat', 'utf8').split('\n');
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = total.split(/\s+/).slice(1).map(Number);
  return (user + nice + system + irq + softirq) * MS_PER_TICK;
}
