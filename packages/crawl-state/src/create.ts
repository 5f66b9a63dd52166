/** Brings a run into being, once, and puts it on the list that coordinators look after. */
import type { RunId } from '@trawl/contracts';
import { activeRunsKey } from './keys.ts';
import type { RunLimits } from './limits.ts';
import { type Owed, owedOf } from './owed.ts';
import { call, type StateContext, script } from './script.ts';
import type { RunSettings } from './settings.ts';

const lua = script('create');

export async function create(
  context: StateContext,
  runId: RunId,
  o: { limits: RunLimits; settings: RunSettings },
): Promise<{ created: boolean; owed: Owed }> {
  // On the list first: a death before the script leaves a run that the coordinator creates.
  await context.redis.sadd(activeRunsKey(context.prefix), runId);
  const reply = await call(context, lua, runId, { meta: o.limits, settings: JSON.stringify(o.settings) });
  return { created: reply.created === true, owed: owedOf(reply) };
}
