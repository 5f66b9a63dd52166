/** Last call of a session, after its slots went back: gone, and the frontier looked at once more, in one step. */
import type { SessionRef } from './begin.ts';
import { type Owed, owedOf } from './owed.ts';
import { call, type StateContext, script } from './script.ts';

const lua = script('close');

/** `laterMs`: until the host's earliest retry; the caller owes a delayed wake. */
export async function close(
  context: StateContext,
  session: SessionRef,
): Promise<{ owed: Owed; laterMs: number | null }> {
  const { runId, ...ref } = session;
  const reply = await call(context, lua, runId, ref);
  return { owed: owedOf(reply), laterMs: typeof reply.laterMs === 'number' ? reply.laterMs : null };
}
