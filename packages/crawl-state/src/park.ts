/** A session that the host's gate refused waits there. Afterwards its worker asks the gate once more. */
import type { SessionRef } from './begin.ts';
import { type Owed, owedOf } from './owed.ts';
import { call, type StateContext, script } from './script.ts';

const lua = script('park');

export type ParkResult = { kind: 'parked'; owed: Owed } | { kind: 'lost' };

export async function park(context: StateContext, session: SessionRef, forMs: number): Promise<ParkResult> {
  const { runId, ...ref } = session;
  const reply = await call(context, lua, runId, { ...ref, forMs });
  return 'over' in reply || reply.lost === true ? { kind: 'lost' } : { kind: 'parked', owed: owedOf(reply) };
}
