/** Slots for a holder on behalf of a run, or a place in the line. */
import { callGate, delayOf, type GateContext, gateScript, slotMarginOf, type Timed } from './script.ts';
import type { Grant, ReserveRequest } from './types.ts';
import { wholeNumber } from './whole-number.ts';

type Reply = [
  slots: number,
  startAt: number,
  grantedUntil: number,
  epoch: number,
  failures: number,
  refusedUntil: number,
  failingSince: number,
];

const script = gateScript('reserve');

export async function reserve(context: GateContext, host: string, request: ReserveRequest): Promise<Timed<Grant>> {
  const { settings } = context;
  const { owed, rest } = await callGate<Reply>(context, script, host, [
    settings.grantMs,
    request.runId,
    request.holder,
    wholeNumber('want', request.want, 1),
    wholeNumber('parallel', request.limits.parallel, 1),
    delayOf(request.limits),
    slotMarginOf(request.limits, settings),
  ]);
  const [slots, startAt, grantedUntil, epoch, failures, refusedUntil, failingSince] = rest;
  const ahead = (time: number): number => Math.max(0, time - owed.now);
  return {
    ...owed,
    slots,
    startInMs: ahead(startAt),
    grantMs: ahead(grantedUntil),
    epoch,
    probing: failures > 0,
    refusedForMs: ahead(refusedUntil),
    failingForMs: failingSince === 0 ? 0 : owed.now - failingSince,
  };
}
