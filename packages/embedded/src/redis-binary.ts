/** Finds a Redis program: on the PATH, else downloaded once into a cache. Starts none. */
import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { TrawlError } from '@trawl/contracts';
import { cachedRedis, downloadRedis } from './debian-redis.ts';

const run = promisify(execFile);
const DEFAULT_CACHE = fileURLToPath(new URL('../../../.cache/redis', import.meta.url));

export interface RedisBinary {
  readonly command: string;
  /** What its environment needs besides the usual. */
  readonly env: NodeJS.ProcessEnv;
}

export async function findRedis(options: {
  readonly cacheDir?: string | undefined;
  readonly onNotice?: ((sentence: string) => void) | undefined;
}): Promise<RedisBinary> {
  const installed = onPath('valkey-server') ?? onPath('redis-server');
  if (installed) return { command: installed, env: {} };
  const cacheDir = options.cacheDir ?? DEFAULT_CACHE;
  const usable = async (): Promise<RedisBinary | null> => {
    const cached = cachedRedis(cacheDir);
    return cached && (await runs(cached)) ? cached : null;
  };
  const cached = await usable();
  if (cached) return cached;
  if (!onPath('apt-get') || !onPath('dpkg-deb')) throw noRedis('and there is no apt-get here to download it with');
  options.onNotice?.('Downloading Redis (first start only)…');
  try {
    await downloadRedis(cacheDir, async () => (await usable()) !== null);
  } catch (cause) {
    throw noRedis(`and downloading it failed (${(cause as Error).message.trim().split('\n').at(-1)})`, cause);
  }
  const downloaded = await usable();
  if (downloaded) return downloaded;
  throw noRedis(`and the one downloaded to ${cacheDir} does not run here`);
}

function onPath(program: string): string | null {
  for (const directory of (process.env.PATH ?? '').split(delimiter)) {
    if (directory === '') continue;
    const file = join(directory, program);
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {
      // Not in this directory: the next one may have it.
    }
  }
  return null;
}

/** A cache may be from another machine, or half of what it needs may have been removed. */
async function runs(binary: RedisBinary): Promise<boolean> {
  try {
    await run(binary.command, ['--version'], { env: { ...process.env, ...binary.env } });
    return true;
  } catch {
    // Any failure means the same: fetch it anew.
    return false;
  }
}

function noRedis(why: string, cause?: unknown): TrawlError {
  return new TrawlError(
    'DEPENDENCY_UNAVAILABLE',
    `No Redis: none is on the PATH, ${why}. Set REDIS_URL, or install redis-server (or valkey-server).`,
    { retryable: false, cause },
  );
}
