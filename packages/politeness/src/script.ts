/** What the scripts' wrappers share: the connection, the first arguments, the first part of each reply. */
import { type LuaScript, loadLua, runLua } from '@trawl/runtime';
import type { Redis } from 'ioredis';
import { gateKeys } from './keys.ts';
import type { GateSettings } from './settings.ts';
import type { GateReply, HostLimits } from './types.ts';
import { wholeNumber } from './whole-number.ts';

export interface GateContext {
  readonly redis: Redis;
  readonly prefix: string;
  readonly settings: GateSettings;
}

/** A reply with the time on Redis' clock it was made at, so that a test can ask its model at the same moment. */
export type Timed<T> = T & { readonly now: number };

export const gateScript = (name: string): LuaScript => loadLua(new URL('./lua/', import.meta.url), name);

/** Runs one of the scripts that may owe wake-ups; `rest` is what follows these in its reply, all numbers. */
export async function callGate<Rest extends readonly number[]>(
  context: GateContext,
  script: LuaScript,
  host: string,
  args: readonly (string | number)[],
): Promise<{ owed: Timed<GateReply>; rest: Rest }> {
  const { redis, prefix, settings } = context;
  const common = [settings.shortWaitMs, settings.idleTtlMs];
  const reply = await runLua(redis, script, gateKeys(prefix, host), [...common, ...args]);
  const [now, runId, stamp, wakeAt, ...rest] = reply as [number, string, number, number, ...Rest];
  const wake = runId === '' ? null : { runId, stamp };
  const owed = wakeAt === 0 ? { wakeInMs: null, wakeAt: null } : { wakeInMs: wakeAt - now, wakeAt };
  return { owed: { now, wake, ...owed }, rest };
}

export function slotMarginOf(limits: HostLimits, settings: GateSettings): number {
  return wholeNumber('slotMarginMs', Math.ceil(limits.slotMarginMs ?? settings.slotMarginMs), 0);
}

/** Scripts take whole milliseconds; a delay is never made shorter. */
export function delayOf(limits: HostLimits): number {
  return wholeNumber('delayMs', Math.ceil(limits.delayMs), 0);
}
