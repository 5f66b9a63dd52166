/**
 * `role`: what a container runs. One role against a Redis and a Postgres that exist, in this very process, so that there
 * is nothing between the container's signals and the role. `migrate` brings the database up to date and ends.
 */
import { ROLES, type Role } from '@trawl/contracts';
import type { ExitCode } from './command.ts';
import { roleEntry } from './role-entries.ts';
import type { Terminal } from './terminal.ts';

const ROLE_HELP = `Runs one role in this process, against a Redis and a Postgres that exist.

  npm run role -- api|discover|fetch|render|process|coordinator
  npm run role -- migrate       brings the database up to date and ends

REDIS_URL and DATABASE_URL say where they are. Any number of each role may run, anywhere.`;

export type RoleRequest =
  | { kind: 'role'; role: Role }
  | { kind: 'migrate' }
  | { kind: 'help' }
  | { kind: 'unknown'; message: string };

export function parseRole(names: readonly string[]): RoleRequest {
  if (names.includes('--help') || names.includes('-h')) return { kind: 'help' };
  const [name, ...more] = names;
  const known = [...ROLES, 'migrate'].join(', ');
  if (name === undefined) return { kind: 'unknown', message: `Which role? One of ${known}.` };
  if (more.length > 0) return { kind: 'unknown', message: `One role at a time: "${more[0]}" is one too many.` };
  if (name === 'migrate') return { kind: 'migrate' };
  const role = ROLES.find((candidate) => candidate === name);
  return role
    ? { kind: 'role', role }
    : { kind: 'unknown', message: `There is no role "${name}"; it is one of ${known}.` };
}

/** The exit code, or null when the role now runs and will end the process itself. */
export async function runRole(
  names: readonly string[],
  env: NodeJS.ProcessEnv,
  terminal: Terminal,
): Promise<ExitCode | null> {
  const request = parseRole(names);
  if (request.kind === 'help') {
    terminal.print(ROLE_HELP);
    return 0;
  }
  if (request.kind === 'unknown') {
    terminal.say(request.message);
    return 2;
  }
  const needed = request.kind === 'migrate' ? ['DATABASE_URL'] : ['REDIS_URL', 'DATABASE_URL'];
  const missing = needed.filter((name) => !env[name]?.trim());
  if (missing.length > 0) {
    const what = request.kind === 'migrate' ? 'migrate' : request.role;
    terminal.say(`${missing.join(' and ')} must say where to connect to: "role ${what}" starts no server of its own.`);
    return 2;
  }
  if (request.kind === 'migrate') {
    const { migrate } = await import('@trawl/db');
    await migrate(env.DATABASE_URL ?? '');
    terminal.print('The database is up to date.');
    return 0;
  }
  // The role's main runs on import and lives until it is told to stop.
  await import(roleEntry(request.role).href);
  return null;
}
