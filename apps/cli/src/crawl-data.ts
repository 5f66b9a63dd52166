/**
 * The throw-away data directories of `crawl`: one per process, below DATA_DIR so that they are found again when a crawl
 * was killed and could not clear up after itself.
 */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { clearOrphans } from '@trawl/embedded';

const CRAWL_FOLDER = /^crawl-(\d+)$/;

export function crawlDataDir(dataDir: string): string {
  return join(dataDir, `crawl-${process.pid}`);
}

/** Ends and removes what crawls that no longer run have left. */
export async function sweepDeadCrawls(dataDir: string, say: (line: string) => void): Promise<void> {
  for (const name of await namesIn(dataDir)) {
    const pid = Number(CRAWL_FOLDER.exec(name)?.[1] ?? 0);
    // Our own pid is a dead crawl's too: this one has not made its directory yet.
    if (pid === 0 || (pid !== process.pid && isAlive(pid))) continue;
    const folder = join(dataDir, name);
    for (const sentence of await clearOrphans(folder)) say(sentence);
    await rm(folder, { recursive: true, force: true });
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** A pid may have been reused since; then the directory is removed another time. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
