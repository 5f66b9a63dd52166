/**
 * A session: one run on one host. Takes slots at the host's gate, claims URLs in a rolling window, starts requests only
 * within its grant, flushes what is done whenever no flush is under way, and ends when there is nothing left to claim,
 * the host is blocked, or others wait and its time slice is over. What it never started goes back uncounted.
 *
 *   begin ─▶ reserve ─▶ [ start ⇄ flush ⇄ renew ] ─▶ drained ─▶ release ─▶ close
 *               └ refused ─▶ park ─▶ reserve once more ─▶ refused ─▶ end (whoever frees the gate opens the host again)
 */
import { randomBytes } from 'node:crypto';
import type { RunId } from '@trawl/contracts';
import type { Claim, CrawlState, SessionRef, StepResult } from '@trawl/crawl-state';
import type { Gate, Grant, HostLimits, Outcome } from '@trawl/politeness';
import type { Logger } from '@trawl/runtime';
import type { UrlRules } from '@trawl/url';
import type { Wakeups } from '@trawl/wakeups';
import { type FetchUrlDeps, fetchUrl, type RunRequests } from './fetch-url.ts';
import type { RequestBudget } from './request-budget.ts';

export interface SessionDeps extends FetchUrlDeps {
  readonly state: CrawlState;
  readonly gate: Gate;
  readonly wakeups: Wakeups;
  readonly requests: RequestBudget;
  readonly rulesOf: (runId: RunId, config: RunRequests['config']) => UrlRules;
  /** Sessions that wait for a worker: then a slice's end is an end. */
  readonly othersWait: () => Promise<boolean>;
  readonly sessionSlots: number;
  readonly logger: Logger;
  /** The process is about to stop: hand back what is not started. */
  readonly stopping: AbortSignal;
}

/** The protocol's lengths. A slice is one grant; the session's lease is 8 s, so a beat a second keeps it. */
const SLICE_MS = 2000;
const BEAT_MS = 1000;
const SHORT_WAIT_MS = 5000;
/** With the grant's 2 s, a dead session's slots are free when its lease is over and the host is opened again. */
const SLOT_MARGIN_MS = 6000;
/** A process that stops has 10 s: what is not answered by then goes back and is asked for elsewhere. */
const HAND_BACK_MS = 7000;

type Stop = 'blocked' | 'lost' | 'slice' | 'delay' | 'over' | 'paused' | 'stopping';

export async function runSession(job: { runId: RunId; host: string; sid: string }, deps: SessionDeps): Promise<void> {
  const { state, gate, wakeups } = deps;
  const session: SessionRef = { ...job, exec: randomBytes(8).toString('hex') };
  const begun = await state.begin(session);
  if (begun.kind === 'gone') {
    // It may have been woken from the line: hand the wake-up on.
    await wakeups.honour(job.host, await gate.peek(job.host));
    return;
  }
  const { config } = begun.settings;
  const limits: HostLimits = { parallel: config.maxParallelPerHost, delayMs: 0, slotMarginMs: SLOT_MARGIN_MS };
  const reserve = async (): Promise<{ grant: Grant; sentAt: number }> => {
    const sentAt = performance.now();
    const want = Math.min(deps.sessionSlots, config.maxParallelPerHost);
    const grant = await gate.reserve(job.host, { runId: job.runId, holder: session.exec, want, limits });
    await wakeups.honour(job.host, grant);
    return { grant, sentAt };
  };
  let reserved = await reserve();
  if (reserved.grant.slots === 0) {
    const parked = await state.park(session, reserved.grant.refusedForMs);
    if (parked.kind === 'lost') return;
    await wakeups.pay(job.runId, parked.owed);
    // A slot may have come free between the refusal and the parking.
    reserved = await reserve();
    if (reserved.grant.slots === 0) return;
  }
  const run = { runId: job.runId, config, rules: deps.rulesOf(job.runId, config) };
  await new SessionLoop(session, run, limits, reserved.grant, reserved.sentAt, deps).run();
}

class SessionLoop {
  readonly #session: SessionRef;
  readonly #run: RunRequests;
  readonly #limits: HostLimits;
  readonly #deps: SessionDeps;
  readonly #startedAt = performance.now();
  readonly #abort = new AbortController();
  readonly #paying = new Set<Promise<void>>();

  #slots: number;
  #grantEnds: number;
  #epoch: number;
  #probing: boolean;
  #nextStart: number;
  #lastStart: number | null = null;
  #lastStep = -Infinity;

  #claims: Claim[] = [];
  #active = 0;
  #done: StepResult[] = [];
  #outcomes: Outcome[] = [];
  #stop: Stop | null = null;
  /** The frontier had nothing, or the run holds back: claim again only along with results. */
  #nothingMore = false;
  #waitsForRoom = false;
  #wake: () => void = () => {};

  constructor(
    session: SessionRef,
    run: RunRequests,
    limits: HostLimits,
    grant: Grant,
    sentAt: number,
    deps: SessionDeps,
  ) {
    this.#session = session;
    this.#run = run;
    this.#limits = limits;
    this.#deps = deps;
    this.#slots = grant.slots;
    this.#grantEnds = sentAt + grant.grantMs;
    this.#epoch = grant.epoch;
    this.#probing = grant.probing;
    this.#nextStart = performance.now() + grant.startInMs;
  }

  async run(): Promise<void> {
    const { state, gate, wakeups, stopping } = this.#deps;
    const { runId, host } = this.#session;
    let patience: NodeJS.Timeout | undefined;
    const onStopping = (): void => {
      this.#stop ??= 'stopping';
      patience = setTimeout(() => this.#abort.abort(), HAND_BACK_MS);
      this.#wake();
    };
    stopping.addEventListener('abort', onStopping);
    try {
      if (stopping.aborted) onStopping();
      await this.#loop();
      await Promise.all(this.#paying);
    } finally {
      stopping.removeEventListener('abort', onStopping);
      clearTimeout(patience);
      this.#abort.abort();
    }
    const reply = await gate.release(host, {
      holder: this.#session.exec,
      sinceLastStartMs: this.#sinceLastStart(),
      outcomes: this.#outcomes,
      limits: this.#limits,
    });
    await wakeups.honour(host, reply);
    const closed = await state.close(this.#session);
    await wakeups.pay(runId, closed.owed);
    if (closed.laterMs !== null) await wakeups.wakeLater(runId, host, closed.laterMs);
  }

  async #loop(): Promise<void> {
    for (;;) {
      this.#startWhatMay();
      if (this.#mustRenew()) await this.#renew();
      else if (this.#mustFlush()) await this.#flush();
      else if (this.#active === 0 && this.#claims.length === 0) return;
      else await this.#somethingHappens();
    }
  }

  /** Check and start are one synchronous piece: nothing can freeze in between but the process itself. */
  #startWhatMay(): void {
    while (this.#stop === null && this.#claims.length > 0 && this.#active < this.#slots) {
      const now = performance.now();
      if (now > this.#grantEnds || now < this.#nextStart) return;
      if (!this.#deps.requests.take()) {
        this.#waitForRoom();
        return;
      }
      const claim = this.#claims.shift();
      if (!claim) return;
      this.#active += 1;
      this.#lastStart = now;
      this.#nextStart = now + this.#limits.delayMs;
      void this.#fetch(claim, this.#epoch);
    }
  }

  #waitForRoom(): void {
    if (this.#waitsForRoom) return;
    this.#waitsForRoom = true;
    this.#deps.requests.onRoom(() => {
      this.#waitsForRoom = false;
      this.#startWhatMay();
      this.#wake();
    });
  }

  async #fetch(claim: Claim, epoch: number): Promise<void> {
    try {
      const { result, hostFailed, retryAfterMs } = await fetchUrl(claim, this.#run, this.#deps, this.#abort.signal);
      this.#done.push(result);
      if (hostFailed) {
        this.#outcomes.push({ ok: false, epoch, ...(retryAfterMs === null ? {} : { retryAfterMs }) });
        this.#stop ??= 'blocked';
      } else if (this.#probing) this.#outcomes.push({ ok: true });
    } catch (error) {
      // Ours, not the server's (a full disk under the blob store): the URL is free again, and the log says why.
      if (!this.#abort.signal.aborted) this.#deps.logger.error({ err: error, url: claim.url }, 'fetch broke');
      this.#done.push({ key: claim.key, token: claim.token, kind: 'unused' });
      this.#stop ??= 'lost';
    } finally {
      this.#active -= 1;
      this.#deps.requests.give();
      this.#startWhatMay();
      this.#wake();
    }
  }

  #mustRenew(): boolean {
    if (this.#outcomes.length > 0) return true;
    return (this.#active > 0 || this.#stop === null) && performance.now() >= this.#grantEnds - SLICE_MS / 2;
  }

  async #renew(): Promise<void> {
    const { gate, wakeups, othersWait } = this.#deps;
    const { host, exec } = this.#session;
    const outcomes = this.#outcomes;
    this.#outcomes = [];
    const idle = this.#stop !== null || this.#nothingMore;
    const sentAt = performance.now();
    const reply = await gate.renew(host, {
      holder: exec,
      keep: idle ? this.#active : this.#slots,
      sinceLastStartMs: this.#sinceLastStart(),
      outcomes,
      limits: this.#limits,
    });
    this.#slots = reply.slots;
    this.#grantEnds = sentAt + (reply.grantMs || SLICE_MS);
    this.#epoch = reply.epoch;
    this.#probing = reply.probing;
    if (reply.blocked) this.#stop ??= 'blocked';
    if (reply.slots === 0) this.#stop ??= 'lost';
    if (performance.now() - this.#startedAt > SLICE_MS && (reply.waiting || (await othersWait())))
      this.#stop ??= 'slice';
    await wakeups.honour(host, reply);
  }

  #want(): number {
    if (this.#stop !== null || this.#nextStart > performance.now() + SHORT_WAIT_MS) return 0;
    // Twice the slots: the next claims are at hand while a flush is under way, so that no slot waits for Redis.
    return Math.max(0, 2 * this.#slots - this.#active - this.#claims.length);
  }

  #mustFlush(): boolean {
    if (this.#stop !== null && this.#claims.length > 0) {
      for (const { key, token } of this.#claims) this.#done.push({ key, token, kind: 'unused' });
      this.#claims = [];
    }
    if (this.#done.length > 0) return true;
    if (!this.#nothingMore && this.#claims.length < this.#slots && this.#want() > 0) return true;
    return this.#active + this.#claims.length > 0 && performance.now() - this.#lastStep >= BEAT_MS;
  }

  async #flush(): Promise<void> {
    const { state, wakeups } = this.#deps;
    const results = this.#done;
    this.#done = [];
    const want = this.#want();
    this.#lastStep = performance.now();
    const reply = await state.step(this.#session, results, want);
    if (reply.kind === 'over') {
      this.#stop ??= 'over';
      this.#claims = [];
      this.#abort.abort();
      return;
    }
    this.#claims.push(...reply.claims);
    if (reply.whyNone === 'paused' || reply.whyNone === 'lost') this.#stop ??= reply.whyNone;
    if (want > 0) this.#nothingMore = reply.whyNone !== null;
    this.#pay(wakeups.pay(this.#session.runId, reply.owed));
  }

  /** Adding jobs need not hold up the next flush: a lost wake-up is healed, and all are awaited before the session ends. */
  #pay(payment: Promise<void>): void {
    const paying = payment
      .catch((error) => this.#deps.logger.error({ err: error }, 'a wake-up could not be sent; its lease will heal it'))
      .finally(() => this.#paying.delete(paying));
    this.#paying.add(paying);
  }

  async #somethingHappens(): Promise<void> {
    const now = performance.now();
    let until = Math.min(this.#lastStep + BEAT_MS, this.#grantEnds - SLICE_MS / 2);
    if (this.#claims.length > 0 && this.#active < this.#slots && !this.#waitsForRoom)
      until = Math.min(until, this.#nextStart);
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, Math.max(1, until - now));
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = () => {};
  }

  #sinceLastStart(): number | null {
    return this.#lastStart === null ? null : performance.now() - this.#lastStart;
  }
}
