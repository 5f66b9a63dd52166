/** Tells the gate what happened and asks to go on. */
import { callGate, delayOf, type GateContext, gateScript, slotMarginOf, type Timed } from './script.ts';
import type { Backoff } from './settings.ts';
import type { Outcome, Renewal, RenewRequest } from './types.ts';
import { wholeNumber } from './whole-number.ts';

type Reply = [
  slots: number,
  grantedUntil: number,
  blocked: number,
  inLine: number,
  epoch: number,
  failures: number,
  failingSince: number,
];

const script = gateScript('renew');

export async function renew(context: GateContext, host: string, request: RenewRequest): Promise<Timed<Renewal>> {
  const { settings } = context;
  const { limits, responses } = request;
  const backoff: Backoff = { ...settings, ...limits.backoff };
  const { owed, rest } = await callGate<Reply>(context, script, host, [
    settings.grantMs,
    wholeNumber('backoffMs', Math.ceil(backoff.backoffMs), 1),
    backoff.doubles ? 1 : 0,
    wholeNumber('maxBackoffMs', Math.ceil(backoff.maxBackoffMs), 1),
    wholeNumber('circuitFailures', backoff.circuitFailures, 1),
    wholeNumber('circuitMs', Math.ceil(backoff.circuitMs), 0),
    request.holder,
    wholeNumber('keep', request.keep, 0),
    wholeNumber('want', request.want ?? 0, 0),
    wholeNumber('underWay', request.underWay ?? 0, 0),
    wholeNumber('parallel', limits.parallel, 1),
    // Cut, so that the last start never seems earlier than it was.
    request.sinceLastStartMs === null ? -1 : wholeNumber('sinceLastStartMs', Math.floor(request.sinceLastStartMs), 0),
    delayOf(limits),
    slotMarginOf(limits, settings),
    wholeNumber('responses', responses?.count ?? 0, 0),
    responses === undefined ? 0 : hundredths(responses.meanMs),
    settings.paceDownMs,
    settings.paceUpMs,
    ...request.outcomes.flatMap(outcomeArguments),
  ]);
  const [slots, grantedUntil, blocked, inLine, epoch, failures, failingSince] = rest;
  return {
    ...owed,
    slots,
    grantMs: Math.max(0, grantedUntil - owed.now),
    blocked: blocked === 1,
    waiting: inLine > 0,
    epoch,
    probing: failures > 0,
    failingForMs: failingSince === 0 ? 0 : owed.now - failingSince,
  };
}

/** Whole numbers above 0 for the script. */
export const hundredths = (ms: number): number => Math.max(1, wholeNumber('meanMs', Math.round(ms * 100), 0));

function outcomeArguments(outcome: Outcome): (number | string)[] {
  if (outcome.ok) return [-1, 0, ''];
  // Comes from the host, so it may be absurd; the script caps it.
  const retryAfterMs = Math.min(outcome.retryAfterMs ?? 0, Number.MAX_SAFE_INTEGER);
  return [
    wholeNumber('epoch', outcome.epoch, 0),
    wholeNumber('retryAfterMs', Math.ceil(retryAfterMs), 0),
    outcome.reason ?? '',
  ];
}
