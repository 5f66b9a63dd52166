/** How many scripts Redis has run, from its own counters. They can't say whose: BullMQ's and ours count alike. */
import type { Redis } from 'ioredis';

export interface RedisCounts {
  readonly scripts: number;
  /** Every command a client sent or a script called. */
  readonly commands: number;
  /** Time Redis spent inside scripts. */
  readonly scriptMs: number;
}

const SCRIPT_COMMANDS = new Set(['eval', 'evalsha', 'eval_ro', 'evalsha_ro', 'fcall', 'fcall_ro']);

export async function readRedisCounts(redis: Redis): Promise<RedisCounts> {
  const counts = { scripts: 0, commands: 0, scriptMs: 0 };
  for (const [, name = '', calls, usec] of (await redis.info('commandstats')).matchAll(
    /^cmdstat_([^:]+):calls=(\d+),usec=(\d+)/gm,
  )) {
    counts.commands += Number(calls);
    if (!SCRIPT_COMMANDS.has(name)) continue;
    counts.scripts += Number(calls);
    counts.scriptMs += Number(usec) / 1000;
  }
  return counts;
}

export function countsBetween(before: RedisCounts, after: RedisCounts): RedisCounts {
  return {
    scripts: after.scripts - before.scripts,
    commands: after.commands - before.commands,
    scriptMs: after.scriptMs - before.scriptMs,
  };
}
