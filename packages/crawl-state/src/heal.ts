/** Puts right what a death left behind: every lease of a run that ran out. */
import type { RunId } from '@trawl/contracts';
import { activeRunsKey } from './keys.ts';
import { type Owed, owedOf } from './owed.ts';
import { call, type StateContext, script } from './script.ts';

const lua = script('heal');

/** A run that nobody looks after any more is forgotten after this. */
const RUN_TTL_MS = 7 * 24 * 3600_000;

export type HealResult =
  /** `renders`: something waits for a browser, or is with one. */
  { kind: 'healed'; healed: number; renders: boolean; owed: Owed } | { kind: 'no-run' };

export async function heal(context: StateContext, runId: RunId): Promise<HealResult> {
  const reply = await call(context, lua, runId, { ttlMs: RUN_TTL_MS });
  if (reply.over === 'no-run') return { kind: 'no-run' };
  return { kind: 'healed', healed: Number(reply.healed), renders: reply.renders === true, owed: owedOf(reply) };
}

export async function activeRuns(context: StateContext): Promise<RunId[]> {
  return (await context.redis.smembers(activeRunsKey(context.prefix))) as RunId[];
}

/** The run needs no coordinator any more. */
export async function retire(context: StateContext, runId: RunId): Promise<void> {
  await context.redis.srem(activeRunsKey(context.prefix), runId);
}
