/**
 * Postgres refuses to run as root, so under root it runs as someone else, who must be able to reach its program and
 * its data. Creates no account on the machine.
 */
import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { TrawlError } from '@trawl/contracts';

export interface UnixUser {
  readonly uid: number;
  readonly gid: number;
}

/** Null when we are not root, and Postgres may simply run as we do. */
export function postgresUser(cluster: string): UnixUser | null {
  if (process.getuid?.() !== 0) return null;
  if (existsSync(cluster)) {
    // Whoever made the cluster must go on with it, also when a `postgres` account has appeared since.
    const { uid, gid } = statSync(cluster);
    if (uid !== 0) return { uid, gid };
  }
  const user = account('postgres') ?? account('nobody');
  if (user) return user;
  throw new TrawlError(
    'START_FAILED',
    'Postgres does not run as root, and this machine has no account `postgres` or `nobody` to run it as. Start Trawl as another user, or set DATABASE_URL.',
    { retryable: false },
  );
}

/**
 * Lets others pass through (not list) the directories above `path` that root owns. Returns those it changed: a
 * checkout below /root, or below a temporary directory, is closed to everyone else.
 */
export function openWayTo(path: string): string[] {
  const opened: string[] = [];
  for (let directory = dirname(path); directory !== dirname(directory); directory = dirname(directory)) {
    const { mode, uid } = statSync(directory);
    if (mode & 0o001 || uid !== 0) continue;
    chmodSync(directory, (mode & 0o7777) | 0o001);
    opened.push(directory);
  }
  return opened;
}

function account(name: string): UnixUser | null {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith(`${name}:`));
  const [, , uid, gid] = line?.split(':') ?? [];
  return uid && gid ? { uid: Number(uid), gid: Number(gid) } : null;
}
