/** Asks whom to wake, and nothing else. */
import { callGate, type GateContext, gateScript, type Timed } from './script.ts';
import type { GateReply } from './types.ts';

const script = gateScript('peek');

export async function peek(context: GateContext, host: string): Promise<Timed<GateReply>> {
  const { owed } = await callGate<[]>(context, script, host, []);
  return owed;
}
