/**
 * What is said to the gate and what it answers. Times cross this border as durations, so that only Redis' clock matters:
 * `grantMs` counts from before the call was sent, every other duration from when its reply came.
 */

import type { Backoff } from './settings.ts';

/** What the run that asks wants of a host. Runs may differ, and a run may change its mind between calls. */
export interface HostLimits {
  /** Slots are granted while fewer are in use by all runs together. One, while anybody on the host asks for a delay. */
  readonly parallel: number;
  /** Between the starts of two requests. The host gets the longest that any holder asks for. */
  readonly delayMs: number;
  /** Instead of the gate's own. */
  readonly slotMarginMs?: number;
  /** The same, for how long a failure blocks the host. */
  readonly backoff?: Partial<Backoff>;
}

/** How a request ended. 429, 5xx and network errors are failures of the host; a 404 is a success. */
export type Outcome =
  | { readonly ok: true }
  /** `epoch` as it was known when the request started. */
  | { readonly ok: false; readonly epoch: number; readonly retryAfterMs?: number; readonly reason?: string };

/** How quickly a host answered since the last report. */
export interface Responses {
  readonly count: number;
  readonly meanMs: number;
}

/** The wake-ups the caller owes; at most one of the two. */
export interface GateReply {
  /** First in line, and it may have a slot now: open its session. Nothing opened: `leave` with this stamp, and on with that reply. */
  readonly wake: Place | null;
  /** The first in line waits for a time: add one delayed job that calls `peek` then. */
  readonly wakeInMs: number | null;
  /** The same as a time of Redis' clock. Only for the delayed job's id (host and time), so that it is added once. */
  readonly wakeAt: number | null;
}

export interface Place {
  readonly runId: string;
  /** Changes with each refusal. */
  readonly stamp: number;
}

export interface Grant extends GateReply {
  /** 0 = refused: the run stands in line now. */
  readonly slots: number;
  /** The first request may start after this. */
  readonly startInMs: number;
  /** Requests may start within this, counted from before the call was sent. 0 = none. */
  readonly grantMs: number;
  /** To be kept with each request that is started, for its outcome. */
  readonly epoch: number;
  /** The host has failed lately: successes must be reported too. */
  readonly probing: boolean;
  /** When refused: nothing will come sooner. 0 = waits for a slot. */
  readonly refusedForMs: number;
  /** How long ago the first failure since the last success was. 0 = it is well. */
  readonly failingForMs: number;
}

export interface Renewal extends GateReply {
  /** 0 = released, or lost: the holder was silent past its deadline. */
  readonly slots: number;
  /** As in `Grant`; 0 while blocked. */
  readonly grantMs: number;
  /** Start nothing more, let end what is under way, release. */
  readonly blocked: boolean;
  /** Somebody stands in line: release at the end of the time slice. */
  readonly waiting: boolean;
  readonly epoch: number;
  readonly probing: boolean;
  readonly failingForMs: number;
}

export interface ReserveRequest {
  readonly runId: string;
  /** Fresh for each execution of a session: a redelivered job and its zombie must not share slots. */
  readonly holder: string;
  readonly want: number;
  readonly limits: HostLimits;
}

export interface ReleaseRequest {
  readonly holder: string;
  /** How long before this call the holder's last request started; null = it has started none. */
  readonly sinceLastStartMs: number | null;
  /** In the order they ended. Each is told once; successes may be left out unless `probing`. */
  readonly outcomes: readonly Outcome[];
  /** `parallel` does not take slots away that are held: their requests are under way. Give them back through `keep`. */
  readonly limits: HostLimits;
  /** Response times since the last report: a host that gets much slower than usual is given fewer requests at a time. */
  readonly responses?: Responses;
}

export interface RenewRequest extends ReleaseRequest {
  /** At most so many slots stay, at least those of requests under way. */
  readonly keep: number;
  /** Would like so many, if they are free and nobody stands in line. */
  readonly want?: number;
  /** Requests under way, whose slots are not taken away when the host is given fewer. */
  readonly underWay?: number;
}

export interface HostDescription {
  readonly host: string;
  readonly slotsInUse: number;
  readonly blockedForMs: number;
  /** In a row. */
  readonly failures: number;
  /** Runs that wait. */
  readonly line: number;
  readonly failingForMs: number;
  /** Of the last failure. */
  readonly reason: string | null;
  /** Between two requests, as somebody asks for now. */
  readonly delayMs: number;
  /** Requests at a time that its response times allow. Null: as many as the runs say. */
  readonly cap: number | null;
}

export interface Gate {
  /** Asks for slots. The same holder again: what it has. Refused: the run stands in line, at its old place if it had one. */
  reserve(host: string, request: ReserveRequest): Promise<Grant>;
  /** At half the grant and after each failure. */
  renew(host: string, request: RenewRequest): Promise<Renewal>;
  release(host: string, request: ReleaseRequest): Promise<Renewal>;
  /** A woken run had nothing to open. Without effect if it was refused again since. */
  leave(host: string, place: Place): Promise<GateReply>;
  /** For a delayed wake job, and for a job that ends without asking the gate though it may have been woken from the line. */
  peek(host: string): Promise<GateReply>;
  /** For people: which hosts are blocked, and for how long. */
  describe(hosts: readonly string[]): Promise<HostDescription[]>;
}
