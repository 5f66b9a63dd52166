/** Tells the gate what happened and asks to go on. */
import { callGate, delayOf, type GateContext, gateScript, slotMarginOf, type Timed } from './script.ts';
import type { Outcome, Renewal, RenewRequest } from './types.ts';
import { wholeNumber } from './whole-number.ts';

type Reply = [slots: number, grantedUntil: number, blocked: number, inLine: number, epoch: number, failures: number];

const script = gateScript('renew');

export async function renew(context: GateContext, host: string, request: RenewRequest): Promise<Timed<Renewal>> {
  const { settings } = context;
  const { owed, rest } = await callGate<Reply>(context, script, host, [
    settings.grantMs,
    settings.circuitMs,
    settings.backoffMs,
    settings.maxBackoffMs,
    request.holder,
    wholeNumber('keep', request.keep, 0),
    // Cut, so that the last start never seems earlier than it was.
    request.sinceLastStartMs === null ? -1 : wholeNumber('sinceLastStartMs', Math.floor(request.sinceLastStartMs), 0),
    delayOf(request.limits),
    slotMarginOf(request.limits, settings),
    ...request.outcomes.flatMap(outcomeArguments),
  ]);
  const [slots, grantedUntil, blocked, inLine, epoch, failures] = rest;
  return {
    ...owed,
    slots,
    grantMs: Math.max(0, grantedUntil - owed.now),
    blocked: blocked === 1,
    waiting: inLine > 0,
    epoch,
    probing: failures > 0,
  };
}

function outcomeArguments(outcome: Outcome): number[] {
  if (outcome.ok) return [-1, 0];
  // Comes from the host, so it may be absurd; the script caps it.
  const retryAfterMs = Math.min(outcome.retryAfterMs ?? 0, Number.MAX_SAFE_INTEGER);
  return [wholeNumber('epoch', outcome.epoch, 0), wholeNumber('retryAfterMs', Math.ceil(retryAfterMs), 0)];
}
