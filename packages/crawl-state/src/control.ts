/** What a person may do to a run: pause, resume, cancel. Each changes the status only where it fits, and says so. */
import type { RunId, RunStatus } from '@trawl/contracts';
import type { LuaScript } from '@trawl/runtime';
import { type Owed, owedOf } from './owed.ts';
import { call, type StateContext, script } from './script.ts';

const pauseLua = script('pause');
const resumeLua = script('resume');
const cancelLua = script('cancel');

export type ControlResult =
  | { kind: 'changed'; owed: Owed }
  | { kind: 'refused'; status: RunStatus }
  /** Redis knows nothing of it: not created yet, or finished long ago. */
  | { kind: 'no-run' };

export const pause = (context: StateContext, runId: RunId): Promise<ControlResult> => control(context, runId, pauseLua);
export const resume = (context: StateContext, runId: RunId): Promise<ControlResult> =>
  control(context, runId, resumeLua);
export const cancel = (context: StateContext, runId: RunId): Promise<ControlResult> =>
  control(context, runId, cancelLua);

async function control(context: StateContext, runId: RunId, lua: LuaScript): Promise<ControlResult> {
  const reply = await call(context, lua, runId);
  if (reply.changed === true) return { kind: 'changed', owed: owedOf(reply) };
  return reply.status === 'no-run' ? { kind: 'no-run' } : { kind: 'refused', status: reply.status as RunStatus };
}
