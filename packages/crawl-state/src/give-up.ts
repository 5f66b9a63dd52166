/** Fails what waits on a host that has been failing for longer than the run has patience, so that a dead host can't keep a run alive. */
import type { SessionRef } from './begin.ts';
import { type Owed, owedOf } from './owed.ts';
import { call, type StateContext, script } from './script.ts';
import type { Failure } from './step.ts';

const lua = script('give-up');

/** Few enough for one call not to hold up others. */
const PART = 1000;

/** Yields what each part owes. Ends at once if another execution has the session. */
export async function* giveUp(context: StateContext, session: SessionRef, failure: Failure): AsyncGenerator<Owed> {
  const { runId, ...ref } = session;
  for (let more = true; more; ) {
    const reply = await call(context, lua, runId, { ...ref, most: PART, failure });
    more = reply.more === true;
    yield owedOf(reply);
  }
}
