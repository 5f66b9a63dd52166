/**
 * The gate once more, in memory and as plainly as possible: what the scripts are compared with, step by step. Test only.
 * Written from the protocol's model and not from the scripts; the time of each call is given to it.
 */
import { hundredths } from './renew.ts';
import type { GateSettings } from './settings.ts';
import type {
  GateReply,
  Grant,
  HostLimits,
  Outcome,
  Place,
  ReleaseRequest,
  Renewal,
  RenewRequest,
  ReserveRequest,
  Responses,
} from './types.ts';

interface Slot {
  readonly n: number;
  readonly until: number;
  readonly deadline: number;
  readonly delayMs: number;
  readonly epoch: number;
}

interface Waiting {
  readonly stamp: number;
  readonly limits: HostLimits;
}

export class GateModel {
  readonly slots = new Map<string, Slot>();
  /** A Map keeps the place of a key that is set again. */
  readonly line = new Map<string, Waiting>();
  readonly #settings: GateSettings;
  #next = 0;
  #lastStart = 0;
  #stamp = 0;
  #epoch = 0;
  failures = 0;
  blockedUntil = 0;
  #failingSince = 0;
  #usual = 0;
  #recent = 0;
  #adaptedAt = 0;
  /** In hundredths; 0 = none. */
  cap = 0;

  constructor(settings: GateSettings) {
    this.#settings = settings;
  }

  get slotsInUse(): number {
    return [...this.slots.values()].reduce((sum, slot) => sum + slot.n, 0);
  }

  get isCircuitOpen(): boolean {
    return this.failures >= this.#settings.circuitFailures;
  }

  get #most(): number {
    return this.cap === 0 ? Number.POSITIVE_INFINITY : Math.floor(this.cap / 100);
  }

  limitFor(limits: HostLimits): number {
    const isSerial = limits.delayMs > 0 || [...this.slots.values()].some((slot) => slot.delayMs > 0);
    return Math.min(this.failures > 0 || isSerial ? 1 : limits.parallel, this.#most);
  }

  reserve({ runId, holder, want, limits }: ReserveRequest, now: number): Grant {
    this.#dropExpired(now);
    const start = Math.max(this.blockedUntil, this.#nextStart(limits), now);
    const common = { epoch: this.#epoch, probing: this.failures > 0, failingForMs: this.#failingFor(now) };
    const held = this.slots.get(holder);
    if (held) return { ...common, ...granted(held, start, now), ...this.#owed(now) };

    const [first] = this.line;
    const isHeldBack = first !== undefined && first[0] !== runId && this.#isKeptWaiting(first[1].limits, now);
    const free = this.limitFor(limits) - this.slotsInUse;
    const isFar = this.blockedUntil > now || start > now + this.#settings.shortWaitMs;
    if (isFar || free <= 0 || isHeldBack) {
      this.line.set(runId, { stamp: ++this.#stamp, limits });
      const owed = this.#owed(now);
      const refusedForMs = Math.max(isFar ? start - now : 0, owed.wakeInMs ?? 0);
      return { ...common, slots: 0, startInMs: 0, grantMs: 0, refusedForMs, ...owed };
    }
    const until = now + this.#settings.grantMs;
    const slot = {
      n: Math.min(want, free),
      until,
      deadline: until + this.#margin(limits),
      delayMs: limits.delayMs,
      epoch: this.#epoch,
    };
    this.slots.set(holder, slot);
    this.line.delete(runId);
    return { ...common, ...granted(slot, start, now), ...this.#owed(now) };
  }

  renew(request: RenewRequest, now: number): Renewal {
    const { holder, keep, want = 0, underWay = 0, sinceLastStartMs, outcomes, limits, responses } = request;
    this.#dropExpired(now);
    const held = this.slots.get(holder);
    if (held) this.slots.set(holder, { ...held, delayMs: limits.delayMs });
    if (sinceLastStartMs !== null) this.#started(now - sinceLastStartMs + 1, limits);
    for (const outcome of outcomes) this.#count(outcome, limits, now);
    if (responses && responses.count > 0) this.#pace(responses, limits.parallel, now);

    const isLeftOver = held !== undefined && this.failures > 0 && held.epoch !== this.#epoch;
    const blocked = this.blockedUntil > now || isLeftOver;
    let slots = Math.min(held?.n ?? 0, keep);
    if (held && slots > 0) {
      const others = this.slotsInUse - held.n;
      const free = this.limitFor(limits) - others - slots;
      const inUse = others + slots;
      if (!blocked && want > slots && free > 0 && this.line.size === 0) slots = Math.min(want, slots + free);
      if (inUse > this.#most) slots = Math.min(slots, Math.max(1, underWay, slots - (inUse - this.#most)));
    }
    const until = now + this.#settings.grantMs;
    if (held && slots > 0) {
      this.slots.set(holder, {
        n: slots,
        until: blocked ? held.until : until,
        deadline: Math.max(held.deadline, until + this.#margin(limits)),
        delayMs: limits.delayMs,
        epoch: held.epoch,
      });
    } else this.slots.delete(holder);
    return {
      slots,
      grantMs: slots > 0 && !blocked ? this.#settings.grantMs : 0,
      blocked,
      waiting: this.line.size > 0,
      epoch: this.#epoch,
      probing: this.failures > 0,
      failingForMs: this.#failingFor(now),
      ...this.#owed(now),
    };
  }

  release(request: ReleaseRequest, now: number): Renewal {
    return this.renew({ ...request, keep: 0 }, now);
  }

  leave({ runId, stamp }: Place, now: number): GateReply {
    this.#dropExpired(now);
    if (this.line.get(runId)?.stamp === stamp) this.line.delete(runId);
    return this.#owed(now);
  }

  peek(now: number): GateReply {
    this.#dropExpired(now);
    return this.#owed(now);
  }

  #dropExpired(now: number): void {
    for (const [holder, slot] of this.slots) {
      if (slot.deadline > now) continue;
      this.slots.delete(holder);
      this.#lastStart = Math.max(this.#lastStart, slot.until);
    }
  }

  #started(at: number, limits: HostLimits): void {
    const delayMs = Math.max(limits.delayMs, ...[...this.slots.values()].map((slot) => slot.delayMs));
    this.#lastStart = Math.max(this.#lastStart, at);
    if (delayMs > 0) this.#next = Math.max(this.#next, at + delayMs);
  }

  #failingFor(now: number): number {
    return this.#failingSince === 0 ? 0 : now - this.#failingSince;
  }

  #count(outcome: Outcome, limits: HostLimits, now: number): void {
    if (outcome.ok) {
      this.failures = 0;
      this.#failingSince = 0;
      return;
    }
    if (outcome.epoch === this.#epoch) {
      this.failures++;
      this.#epoch++;
    }
    this.#failingSince ||= now;
    if (this.blockedUntil <= now) this.#epoch++;
    const { backoffMs, doubles, maxBackoffMs, circuitFailures, circuitMs } = { ...this.#settings, ...limits.backoff };
    const nth = Math.max(1, this.failures);
    const step = (doubles ? 2 ** (nth - 1) : fibonacci(nth)) * backoffMs;
    const wait = Math.min(maxBackoffMs, outcome.retryAfterMs || step);
    const length = nth >= circuitFailures ? Math.max(circuitMs, wait) : wait;
    this.blockedUntil = Math.max(this.blockedUntil, now + length);
  }

  #pace({ count, meanMs }: Responses, parallel: number, now: number): void {
    const mean = hundredths(meanMs);
    if (this.#usual === 0) {
      this.#usual = mean;
      this.#recent = mean;
      return;
    }
    const weight = Math.min(count, 8);
    this.#recent += Math.floor(((mean - this.#recent) * weight) / 16);
    this.#usual = Math.max(
      1,
      this.#usual + Math.floor(((mean - this.#usual) * weight) / (mean < this.#usual ? 16 : 512)),
    );
    const isSlow = this.#recent > 3 * this.#usual && this.#recent > this.#usual + 25_000;
    if (isSlow && now - this.#adaptedAt >= this.#settings.paceDownMs) {
      const from = this.cap === 0 ? Math.min(parallel, Math.max(1, this.slotsInUse)) * 100 : this.cap;
      this.cap = Math.max(100, Math.floor((from * 2) / 3));
      this.#adaptedAt = now;
    } else if (!isSlow && this.cap > 0 && now - this.#adaptedAt >= this.#settings.paceUpMs) {
      this.cap = this.cap + 100 >= parallel * 100 ? 0 : this.cap + 100;
      this.#adaptedAt = now;
    }
  }

  #margin(limits: HostLimits): number {
    return Math.max(limits.slotMarginMs ?? this.#settings.slotMarginMs, limits.delayMs);
  }

  #nextStart({ delayMs }: HostLimits): number {
    return delayMs > 0 ? Math.max(this.#next, this.#lastStart + delayMs) : this.#next;
  }

  #isKeptWaiting(limits: HostLimits, now: number): boolean {
    return this.slotsInUse >= this.limitFor(limits) || this.#nextStart(limits) > now + this.#settings.shortWaitMs;
  }

  #owed(now: number): GateReply {
    const [first] = this.line;
    if (!first) return { wake: null, wakeInMs: null, wakeAt: null };
    const [runId, { stamp, limits }] = first;
    const start = this.#nextStart(limits);
    const wakeAt = Math.max(this.blockedUntil, start > now + this.#settings.shortWaitMs ? start : 0);
    if (wakeAt > now) return { wake: null, wakeInMs: wakeAt - now, wakeAt };
    const isFree = this.slotsInUse < this.limitFor(limits);
    return { wake: isFree ? { runId, stamp } : null, wakeInMs: null, wakeAt: null };
  }
}

const granted = (slot: Slot, start: number, now: number) => ({
  slots: slot.n,
  startInMs: start - now,
  grantMs: Math.max(0, slot.until - now),
  refusedForMs: 0,
});

/** 1, 1, 2, 3, 5 … */
const fibonacci = (n: number): number => (n <= 2 ? 1 : fibonacci(n - 1) + fibonacci(n - 2));
