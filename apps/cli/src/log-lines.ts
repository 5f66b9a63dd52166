/** Makes a worker's log line readable beside those of others. Decides nothing about which lines there are: LOG_LEVEL does. */
const LEVELS: Readonly<Record<number, string>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal',
};
/** Said already by the prefix, or of no use to a person who watches. */
const HIDDEN = new Set(['level', 'time', 'pid', 'hostname', 'msg', 'role', 'name']);

/** `fetch:1 | warn host blocked host=a.test`; a line that is no structured log stays as it is. */
export function formatLogLine(name: string, line: string): string {
  return `${name} | ${readable(line)}`;
}

function readable(line: string): string {
  if (!line.startsWith('{')) return line;
  let entry: Record<string, unknown>;
  try {
    entry = JSON.parse(line);
  } catch {
    // Cut off or not JSON after all: shown as it came.
    return line;
  }
  const level = levelOf(entry.level);
  if (level === null) return line;
  const details = Object.entries(entry)
    .filter(([key]) => !HIDDEN.has(key))
    .map(([key, value]) => `${key}=${detailOf(value)}`);
  return [level, ...(typeof entry.msg === 'string' ? [entry.msg] : []), ...details].join(' ');
}

function levelOf(level: unknown): string | null {
  if (typeof level === 'number') return LEVELS[level] ?? null;
  return typeof level === 'string' ? level : null;
}

/** An error is its message: its stack is in the structured log of a role run by itself. */
function detailOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value !== null && typeof value === 'object' && 'message' in value) return JSON.stringify(value.message);
  return JSON.stringify(value) ?? 'undefined';
}
