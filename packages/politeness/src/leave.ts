/** Takes a woken run that had nothing to do out of the line. */
import { callGate, type GateContext, gateScript, type Timed } from './script.ts';
import type { GateReply, Place } from './types.ts';

const script = gateScript('leave');

export async function leave(context: GateContext, host: string, place: Place): Promise<Timed<GateReply>> {
  const { owed } = await callGate<[]>(context, script, host, [place.runId, place.stamp]);
  return owed;
}
