/**
 * Gives a whole vitest run its Redis and Postgres: those of TEST_REDIS_URL and TEST_DATABASE_URL where set (never the
 * app's own variables: a test must not reach real data), else embedded ones in a temporary directory, gone at the end.
 */
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clearOrphans, startServers } from '@trawl/embedded';
import type { TestProject } from 'vitest/node';

const PREFIX = 'trawl-test-';

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  await removeLeftovers();
  const redisUrl = process.env.TEST_REDIS_URL;
  const databaseUrl = process.env.TEST_DATABASE_URL;
  const dataDir = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`));
  // Under root, Postgres runs as another user, who has to get in.
  chmodSync(dataDir, 0o711);
  const remove = () => rmSync(dataDir, { recursive: true, force: true });
  try {
    const servers = await startServers({
      dataDir,
      ...(redisUrl ? {} : { redis: { durable: false } }),
      ...(databaseUrl ? {} : { postgres: { durable: false } }),
      onNotice: (sentence) => process.stderr.write(`${sentence}\n`),
    });
    project.provide('trawlRedisUrl', redisUrl ?? servers.redis?.url ?? '');
    project.provide('trawlDatabaseUrl', databaseUrl ?? servers.postgres?.url ?? '');
    return async () => {
      await servers.stop();
      remove();
      // Private servers of a test that failed before it stopped them.
      await removeLeftovers();
    };
  } catch (error) {
    remove();
    throw error;
  }
}

/** Ends and removes what runs that were killed left behind; a run that is alive is named in its directory. */
async function removeLeftovers(): Promise<void> {
  for (const name of readdirSync(tmpdir())) {
    const pid = name.startsWith(PREFIX) ? Number.parseInt(name.slice(PREFIX.length), 10) : Number.NaN;
    if (Number.isNaN(pid) || isAlive(pid)) continue;
    const directory = join(tmpdir(), name);
    await clearOrphans(directory);
    rmSync(directory, { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Anything but "no such process" means there is one, of another user.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
