/** Describes hosts for people. Changes nothing. */
import { gateKeys } from './keys.ts';
import { type GateContext, gateScript } from './script.ts';
import type { HostDescription } from './types.ts';

const script = gateScript('describe');

export async function describeHosts(context: GateContext, hosts: readonly string[]): Promise<HostDescription[]> {
  const { redis, prefix } = context;
  const pipeline = redis.pipeline();
  // Loaded in the same round trip: a pipeline can't be mended half way when the server does not know the script.
  pipeline.script('LOAD', script.source);
  for (const host of hosts) {
    const keys = gateKeys(prefix, host).slice(0, 3);
    pipeline.evalsha(script.sha, keys.length, ...keys);
  }
  const replies = (await pipeline.exec()) ?? [];
  return hosts.map((host, index) => {
    const [error, reply] = replies[index + 1] ?? [new Error(`no reply about ${host}`), null];
    if (error) throw error;
    const [now, slotsInUse, blockedUntil, failures, line, failingSince, delayMs, cap, reason] = reply as Description;
    return {
      host,
      slotsInUse,
      blockedForMs: Math.max(0, blockedUntil - now),
      failures,
      line,
      failingForMs: failingSince === 0 ? 0 : now - failingSince,
      reason: reason === '' ? null : reason,
      delayMs,
      cap: cap === 0 ? null : cap,
    };
  });
}

type Description = [
  now: number,
  slotsInUse: number,
  blockedUntil: number,
  failures: number,
  line: number,
  failingSince: number,
  delayMs: number,
  cap: number,
  reason: string,
];
