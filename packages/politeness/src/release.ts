/** Gives all slots of a holder back. The same script as renew: what is told is the same, only nothing is kept. */
import { renew } from './renew.ts';
import type { GateContext, Timed } from './script.ts';
import type { ReleaseRequest, Renewal } from './types.ts';

export function release(context: GateContext, host: string, request: ReleaseRequest): Promise<Timed<Renewal>> {
  return renew(context, host, { ...request, keep: 0 });
}
