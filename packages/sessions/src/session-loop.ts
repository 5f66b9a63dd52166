/**
 * The working part of a session: claims URLs in a rolling window, starts requests only within its grant, flushes what is done
 * whenever no flush is under way, and renews its slots. What it never started goes back uncounted. A URL starts only when the
 * robots.txt of its origin is known: where it is not, that file is asked for first, as one more request of the session.
 */
import { type Claim, hostOfLane, isRenderLane, type SessionRef, type StepResult } from '@trawl/crawl-state';
import type { Grant, HostLimits, HostRobots } from '@trawl/politeness';
import { askRobots, hostLimits } from '@trawl/turns';
import { ClaimDesk } from './claim-desk.ts';
import { fetchUrl, type RunRequests, retryOrFail } from './fetch-url.ts';
import { type HostAnswer, HostSlots } from './host-slots.ts';
import type { Pacing } from './pacing.ts';
import type { Past } from './past.ts';
import type { RequestPlace } from './request-budget.ts';
import { robotsUnreachable } from './robots-verdict.ts';
import type { SessionDeps } from './session-deps.ts';

/** A disk that is full now is full in a moment. */
const BROKE_MS = 5000;
/** The protocol's lengths. A slice is one grant; the session's lease is 8 s, so a beat a second keeps it. */
const SLICE_MS = 2000;
const BEAT_MS = 1000;
/** For a longer wait the session ends and the gate's wake-up opens it again: meanwhile its place serves another host. */
const SHORT_WAIT_MS = 1000;
/** A process that stops has 10 s: what is not answered by then goes back and is asked for elsewhere. */
const HAND_BACK_MS = 6000;
/** Another session is asking for the same robots.txt: looked at again after this. */
const ROBOTS_BUSY_MS = 500;

type Stop = 'blocked' | 'lost' | 'delay' | 'over' | 'paused' | 'stopping';

export class SessionLoop {
  readonly #session: SessionRef;
  readonly #host: string;
  readonly #run: RunRequests & { readonly ageMs: number };
  readonly #robots: HostRobots | null;
  readonly #desk: ClaimDesk;
  readonly #deps: SessionDeps;
  readonly #slots: HostSlots;
  readonly #pacing: Pacing;
  readonly #startedAt = performance.now();
  readonly #abort = new AbortController();
  readonly #paying = new Set<Promise<void>>();

  #lastStep = -Infinity;

  #isAsking = false;
  #active = 0;
  #done: StepResult[] = [];
  #stop: Stop | null = null;
  /** Its slice is over, and others wait for its place or its slots. */
  #givesWay = false;
  /** The frontier had nothing, or the run holds back: claim again only along with results. */
  #nothingMore = false;
  #waitsForRoom = false;
  /** More slots may be had than were asked for at first. */
  #mayGrow = false;
  #wake: () => void = () => {};

  constructor(
    session: SessionRef,
    run: RunRequests & { readonly ageMs: number },
    about: { readonly robots: HostRobots | null; readonly past: Past | null },
    limits: HostLimits,
    reserved: { grant: Grant; sentAt: number },
    deps: SessionDeps,
  ) {
    this.#session = session;
    this.#host = hostOfLane(session.host);
    this.#run = run;
    this.#robots = about.robots;
    this.#desk = new ClaimDesk(run, about.robots, about.past, { hasBrowser: isRenderLane(session.host) });
    this.#deps = deps;
    const { gate } = deps;
    this.#slots = new HostSlots({ host: this.#host, holder: session.exec, ...reserved, limits, gate });
    this.#pacing = this.#slots.pacing;
  }

  async run(): Promise<void> {
    const { state, wakeups, stopping } = this.#deps;
    const { runId, host: lane } = this.#session;
    const host = this.#host;
    let patience: NodeJS.Timeout | undefined;
    const onStopping = (): void => {
      this.#stop ??= 'stopping';
      patience = setTimeout(() => this.#abort.abort(), HAND_BACK_MS);
      this.#wake();
    };
    stopping.addEventListener('abort', onStopping);
    const stopListening = this.#deps.onBlocked(host, this.#onBlocked);
    try {
      if (stopping.aborted) onStopping();
      await this.#loop();
      await Promise.all(this.#paying);
    } finally {
      stopping.removeEventListener('abort', onStopping);
      stopListening();
      clearTimeout(patience);
      this.#abort.abort();
    }
    await wakeups.honour(host, await this.#slots.release());
    const closed = await state.close(this.#session);
    await wakeups.pay(runId, closed.owed);
    if (closed.laterMs !== null) await wakeups.wakeLater(runId, lane, closed.laterMs);
  }

  /** Another holder saw the host fail. */
  readonly #onBlocked = (): void => {
    this.#stop ??= 'blocked';
    this.#wake();
  };

  async #loop(): Promise<void> {
    for (;;) {
      this.#startWhatMay();
      if (this.#mustRenew()) await this.#renew();
      else if (this.#mustFlush()) await this.#flush();
      else if (this.#active + this.#desk.size === 0) return;
      else await this.#somethingHappens();
    }
  }

  #startWhatMay(): void {
    const [unasked] = this.#desk.unasked;
    if (unasked && this.#robots && !this.#isAsking) {
      const place = this.#takeRoom();
      if (place) void this.#ask(new URL(unasked.url).origin, this.#robots, place);
    }
    while (this.#desk.ready.length > 0 && this.#pacing.mayStart(performance.now())) {
      const place = this.#takeRoom();
      if (!place) return;
      const claim = this.#desk.ready.shift();
      if (!claim) return;
      this.#active += 1;
      this.#pacing.started();
      void this.#fetch(claim, this.#slots.epoch, place);
    }
  }

  /** Takes the place of one request, of the session's slots and of the process' budget. */
  #takeRoom(): RequestPlace | null {
    if (this.#isEnding || this.#active >= this.#slots.room) return null;
    const place = this.#deps.requests.take();
    if (place) return place;
    if (!this.#waitsForRoom) {
      this.#waitsForRoom = true;
      this.#deps.requests.onRoom(() => {
        this.#waitsForRoom = false;
        this.#startWhatMay();
        this.#wake();
      });
    }
    return null;
  }

  #leaveRoom(place: RequestPlace): void {
    this.#active -= 1;
    place.leave();
    this.#startWhatMay();
    this.#wake();
  }

  async #fetch(claim: Claim, epoch: number, place: RequestPlace): Promise<void> {
    try {
      const fetched = await fetchUrl(claim, this.#run, this.#deps, {
        signal: this.#abort.signal,
        onSent: this.#pacing.started,
        known: this.#desk.handOut(claim),
        rendering: this.#desk.rendering,
      });
      this.#done.push(fetched.result);
      this.#pacing.answered(fetched.headMs);
      this.#answered(fetched, epoch);
    } catch (error) {
      // Ours, not the server's (a full disk under the blob store): the URL is free again, after a while, and the log says why.
      const { key, token } = claim;
      if (this.#abort.signal.aborted) this.#done.push({ key, token, kind: 'unused' });
      else {
        this.#deps.logger.error({ err: error, url: claim.url }, 'fetch broke');
        this.#done.push({ key, token, kind: 'later', afterMs: BROKE_MS });
      }
      this.#stop ??= 'lost';
    } finally {
      this.#leaveRoom(place);
    }
  }

  #answered(answer: HostAnswer, epoch: number): void {
    if (this.#slots.answered(answer, epoch)) this.#stop ??= 'blocked';
  }

  async #ask(origin: string, robots: HostRobots, place: RequestPlace): Promise<void> {
    const { config, ageMs, access } = this.#run;
    const { exec } = this.#session;
    const host = this.#host;
    this.#active += 1;
    this.#isAsking = true;
    let { epoch } = this.#slots;
    try {
      const asked = await askRobots(origin, {
        ...this.#deps,
        ...{ robots, config, runAgeMs: ageMs, exec, host, limits: this.#slots.limits },
        access: access.kind === 'open' ? access.access : null,
        signal: this.#abort.signal,
        turn: async (send) => {
          if (!(await this.#pacing.turn(() => this.#isEnding))) return null;
          ({ epoch } = this.#slots);
          this.#pacing.started();
          const reply = await send(this.#pacing.started);
          this.#pacing.answered(reply.headMs);
          return reply;
        },
      });
      const settle = (result: (claim: Claim) => StepResult): void => {
        this.#done.push(...this.#desk.settleUnasked(origin, result));
      };
      if (asked.kind === 'failed') this.#answered({ ...asked, hostFailure: `robots.txt: ${asked.reason}` }, epoch);
      else if (asked.kind === 'unreachable') settle((claim) => robotsUnreachable(claim, origin, asked.reason));
      else if (asked.kind === 'no-way') settle((claim) => retryOrFail(claim, config, asked.error));
      else if (asked.kind === 'busy')
        settle(({ key, token }) => ({ key, token, kind: 'later', afterMs: ROBOTS_BUSY_MS }));
      else {
        if (asked.headMs !== null) this.#answered({ ...asked, retryAfterMs: null, hostFailure: null }, epoch);
        this.#learn();
      }
    } catch (error) {
      if (!this.#abort.signal.aborted) this.#deps.logger.error({ err: error, origin }, 'asking for robots.txt broke');
      this.#stop ??= 'lost';
    } finally {
      this.#isAsking = false;
      this.#leaveRoom(place);
    }
  }

  /** A robots.txt more is known: what waited for it is sorted, and the host's limits may be others now. */
  #learn(): void {
    const limits = hostLimits(this.#run.config, this.#robots);
    // Slots were given for another delay: they go back, and are asked for anew with the right one.
    const before = this.#slots.limits;
    if (limits.delayMs !== before.delayMs) this.#stop ??= 'delay';
    else this.#mayGrow = before.parallel < limits.parallel;
    this.#slots.limits = { ...limits, delayMs: before.delayMs };
    this.#done.push(...this.#desk.sortUnasked());
  }

  #mustRenew(): boolean {
    if (this.#slots.hasOutcomes || (this.#mayGrow && !this.#isEnding)) return true;
    return (this.#active > 0 || !this.#isEnding) && performance.now() >= this.#pacing.grantEnds - SLICE_MS / 2;
  }

  async #renew(): Promise<void> {
    const { wakeups, othersWait, sessionSlots } = this.#deps;
    // What is at hand may be waiting for room in this process only: its slots must be there when there is some.
    const atHand = this.#active + (this.#isEnding ? 0 : this.#desk.size);
    const isIdle = this.#isEnding || this.#nothingMore;
    this.#mayGrow = false;
    const reply = await this.#slots.renew({
      underWay: this.#active,
      atHand: isIdle ? atHand : null,
      most: sessionSlots,
      grantMs: SLICE_MS,
    });
    if (reply.blocked) this.#stop ??= 'blocked';
    if (reply.slots === 0) this.#stop ??= 'lost';
    if (performance.now() - this.#startedAt > SLICE_MS) {
      const othersMayGo = reply.waiting || (await othersWait());
      // Its slow requests may outlast those who waited: from then on it would hold its host back for nobody.
      if (this.#givesWay && !othersMayGo) {
        this.#nothingMore = false;
        this.#mayGrow = true;
      }
      this.#givesWay = othersMayGo;
    }
    await wakeups.honour(this.#host, reply);
  }

  /** Nothing new is claimed or started: what is under way is waited for. */
  get #isEnding(): boolean {
    return this.#stop !== null || this.#givesWay;
  }

  #want(): number {
    if (this.#isEnding) return 0;
    // Twice the slots: the next claims are at hand while a flush is under way, so that no slot waits for Redis.
    return Math.max(0, 2 * this.#slots.held - this.#active - this.#desk.size);
  }

  #mustFlush(): boolean {
    if (this.#pacing.nextStart > performance.now() + SHORT_WAIT_MS) this.#stop ??= 'delay';
    if (this.#isEnding) this.#done.push(...this.#desk.giveBack());
    if (this.#done.length > 0) return true;
    if (!this.#nothingMore && this.#desk.ready.length < this.#slots.held && this.#want() > 0) return true;
    return this.#active + this.#desk.size > 0 && performance.now() - this.#lastStep >= BEAT_MS;
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
      this.#desk.giveBack();
      this.#abort.abort();
      return;
    }
    this.#done.push(...(await this.#desk.take(reply)));
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
    let until = Math.min(this.#lastStep + BEAT_MS, this.#pacing.grantEnds - SLICE_MS / 2);
    if (this.#desk.ready.length > 0 && this.#active < this.#slots.room && !this.#waitsForRoom)
      until = Math.min(until, this.#pacing.nextStart);
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, Math.max(1, until - now));
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = () => {};
  }
}
