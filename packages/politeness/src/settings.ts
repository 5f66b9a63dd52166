/** The lengths the gate works with, the same for every host. What differs between runs is in `HostLimits`. */
import { wholeNumber } from './whole-number.ts';

/** How long a host that fails is left alone. A run may bring its own. */
export interface Backoff {
  /** First step of the ladder of blocks after failures. */
  readonly backoffMs: number;
  /** Steps of 1, 2, 4, 8 … times the first; else 1, 1, 2, 3, 5, 8 … */
  readonly doubles: boolean;
  /** No block after a failure is longer, whatever the ladder or the host's Retry-After says. */
  readonly maxBackoffMs: number;
  /** So many failures in a row open the circuit. */
  readonly circuitFailures: number;
  /** A host with an open circuit is left alone for at least this. */
  readonly circuitMs: number;
}

export interface GateSettings extends Backoff {
  /** How long after a reserve or renew requests may be started. Renew at half of it. */
  readonly grantMs: number;
  /**
   * Slots of a holder that says nothing more live for the grant plus this (or plus the delay, if longer). A killed process
   * has no open requests; a frozen one may have, until they time out. At least the request timeout makes the limit exact
   * even then; a run can ask for that with `HostLimits.slotMarginMs`.
   */
  readonly slotMarginMs: number;
  /** Waits up to this are the holder's own timer; for longer ones it is refused. */
  readonly shortWaitMs: number;
  /** A host whose response times climb well above its usual is given a third fewer requests at a time, at most once in this time. */
  readonly paceDownMs: number;
  /** When they are back, one more at a time after each of these. */
  readonly paceUpMs: number;
  /** A host nobody has asked for is forgotten so long after its last block, delay and slot. */
  readonly idleTtlMs: number;
}

export const DEFAULT_GATE_SETTINGS: GateSettings = {
  grantMs: 2_000,
  slotMarginMs: 10_000,
  shortWaitMs: 1_000,
  circuitFailures: 5,
  circuitMs: 60_000,
  backoffMs: 3_000,
  doubles: false,
  maxBackoffMs: 600_000,
  paceDownMs: 1_000,
  paceUpMs: 5_000,
  idleTtlMs: 3_600_000,
};

/** Fills in what is not given; throws on a length that makes no sense. */
export function completeGateSettings(given: Partial<GateSettings>): GateSettings {
  const settings = { ...DEFAULT_GATE_SETTINGS, ...given };
  for (const [name, value] of Object.entries(settings)) {
    if (typeof value === 'number') wholeNumber(name, value, name === 'slotMarginMs' || name === 'shortWaitMs' ? 0 : 1);
  }
  return settings;
}
