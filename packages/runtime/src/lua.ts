/**
 * Loads Lua scripts from files and runs them by hash. `--@include name` takes in `<name>.lua` beside the script, once,
 * so scripts share functions without near-copies. Does not know keys or meanings: a wrapper of the script's name does.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ChainableCommander, Redis } from 'ioredis';

const INCLUDE = /^--@include (\S+)$/gm;

export interface LuaScript {
  readonly name: string;
  readonly source: string;
  readonly sha: string;
}

/** `directory` is the folder of the scripts, as `new URL('./lua/', import.meta.url)`. */
export function loadLua(directory: URL, name: string): LuaScript {
  const taken = new Set<string>();
  const read = (part: string): string => {
    if (taken.has(part)) return '';
    taken.add(part);
    const text = readFileSync(new URL(`${part}.lua`, directory), 'utf8');
    return text.replace(INCLUDE, (_, included: string) => read(included));
  };
  const source = read(name);
  return { name, source, sha: createHash('sha1').update(source).digest('hex') };
}

/** Runs a script, sending its source only where the server does not know it (first use, restart, failover). */
export async function runLua(
  redis: Redis,
  script: LuaScript,
  keys: readonly string[],
  args: readonly (string | number | Buffer)[],
): Promise<unknown> {
  try {
    return await redis.evalsha(script.sha, keys.length, ...keys, ...args);
  } catch (error) {
    if (!isNoScript(error)) throw error;
    return redis.eval(script.source, keys.length, ...keys, ...args);
  }
}

/**
 * Runs a script at the end of a pipeline (say, after the bodies it refers to): one round trip.
 * `prepare` fills the pipeline and may be called a second time, so it only adds commands that may be repeated.
 * Returns the replies of all commands, the script's last.
 */
export async function runLuaAfter(
  redis: Redis,
  prepare: (pipeline: ChainableCommander) => void,
  script: LuaScript,
  keys: readonly string[],
  args: readonly (string | number | Buffer)[],
): Promise<unknown[]> {
  const attempt = async (withSource: boolean): Promise<unknown[]> => {
    const pipeline = redis.pipeline();
    prepare(pipeline);
    if (withSource) pipeline.eval(script.source, keys.length, ...keys, ...args);
    else pipeline.evalsha(script.sha, keys.length, ...keys, ...args);
    const replies = (await pipeline.exec()) ?? [];
    return replies.map(([error, value]) => {
      if (error) throw error;
      return value;
    });
  };
  try {
    return await attempt(false);
  } catch (error) {
    if (!isNoScript(error)) throw error;
    return attempt(true);
  }
}

const isNoScript = (error: unknown): boolean => error instanceof Error && error.message.includes('NOSCRIPT');
