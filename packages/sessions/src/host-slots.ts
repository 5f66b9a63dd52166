/**
 * What a session holds at its host's gate: slots, the time in which it may start requests, and what the gate has yet to be told of
 * the host. Does not decide when to renew, nor what a troubled host means for the session.
 */
import type { Gate, Grant, HostLimits, Outcome, Renewal } from '@trawl/politeness';
import { Pacing } from './pacing.ts';

/** What one answer says of the host. */
export interface HostAnswer {
  /** How long the host took to begin it; null: never. */
  readonly headMs: number | null;
  readonly retryAfterMs: number | null;
  /** Why the host is in trouble; null: it is not. */
  readonly hostFailure: string | null;
  /** It did not get as far as the host: nothing was learned of that. */
  readonly isUnsent?: true;
}

export interface HostSlotsOptions {
  readonly host: string;
  readonly holder: string;
  readonly grant: Grant;
  /** When the gate was asked for it. */
  readonly sentAt: number;
  readonly limits: HostLimits;
  readonly gate: Gate;
}

export class HostSlots {
  readonly pacing: Pacing;
  limits: HostLimits;
  /** To be kept with each request that is started, for its outcome. */
  epoch: number;
  held: number;
  /** Fewer than the slots while somebody stands in line: what ends then makes room. */
  room: number;
  readonly #host: string;
  readonly #holder: string;
  readonly #gate: Gate;
  #probing: boolean;
  #outcomes: Outcome[] = [];
  #responses = { count: 0, totalMs: 0 };

  constructor({ host, holder, grant, sentAt, limits, gate }: HostSlotsOptions) {
    this.#host = host;
    this.#holder = holder;
    this.#gate = gate;
    this.limits = limits;
    this.held = grant.slots;
    this.room = grant.slots;
    this.epoch = grant.epoch;
    this.#probing = grant.probing;
    this.pacing = new Pacing({
      grantEnds: sentAt + grant.grantMs,
      nextStart: performance.now() + grant.startInMs,
      delayMs: limits.delayMs,
    });
  }

  /** `epoch` as it was when the request started. True: the host is in trouble. */
  answered({ headMs, retryAfterMs, hostFailure, isUnsent }: HostAnswer, epoch: number): boolean {
    if (headMs !== null) {
      this.#responses.count += 1;
      this.#responses.totalMs += headMs;
    }
    if (hostFailure !== null) {
      const retryAfter = retryAfterMs === null ? {} : { retryAfterMs };
      this.#outcomes.push({ ok: false, epoch, reason: hostFailure, ...retryAfter });
    } else if (this.#probing && !isUnsent) this.#outcomes.push({ ok: true });
    return hostFailure !== null;
  }

  /** The gate waits to be told of these. */
  get hasOutcomes(): boolean {
    return this.#outcomes.length > 0;
  }

  /** `atHand`: no more than that is to be done; null: there is always more. At most `most` slots are asked for. */
  async renew(o: {
    readonly underWay: number;
    readonly atHand: number | null;
    readonly most: number;
    /** What is granted when the gate says nothing of it. */
    readonly grantMs: number;
  }): Promise<Renewal> {
    const most = Math.min(o.most, this.limits.parallel);
    const sentAt = performance.now();
    const reply = await this.#gate.renew(this.#host, {
      ...this.#news(),
      keep: Math.max(o.underWay, Math.min(o.atHand ?? this.room, this.room)),
      want: Math.min(o.atHand ?? most, most),
      underWay: o.underWay,
    });
    this.held = reply.slots;
    // A slot a second goes to whoever waits, rather than all at the end of the slice.
    this.room = Math.min(reply.slots, reply.waiting ? Math.max(1, reply.slots - 1) : reply.slots);
    this.pacing.grantEnds = sentAt + (reply.grantMs || o.grantMs);
    this.epoch = reply.epoch;
    this.#probing = reply.probing;
    return reply;
  }

  release(): Promise<Renewal> {
    return this.#gate.release(this.#host, this.#news());
  }

  /** What the gate has not been told yet. */
  #news() {
    const { count, totalMs } = this.#responses;
    const outcomes = this.#outcomes;
    this.#outcomes = [];
    this.#responses = { count: 0, totalMs: 0 };
    return {
      holder: this.#holder,
      sinceLastStartMs: this.pacing.sinceLastStart(),
      outcomes,
      limits: this.limits,
      ...(count > 0 ? { responses: { count, meanMs: totalMs / count } } : {}),
    };
  }
}
