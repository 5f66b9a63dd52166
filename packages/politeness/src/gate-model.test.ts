/** Random sequences of calls, each answered by the scripts and by the model at the same moment: the answers are equal. */
import { setTimeout as pass } from 'node:timers/promises';
import { testPrefix, testRedis } from '@trawl/testing';
import { describe, expect, it } from 'vitest';
import { GateModel } from './gate-model.ts';
import { leave } from './leave.ts';
import { peek } from './peek.ts';
import { release } from './release.ts';
import { renew } from './renew.ts';
import { reserve } from './reserve.ts';
import type { Timed } from './script.ts';
import { completeGateSettings } from './settings.ts';
import type { GateReply, HostLimits, Outcome } from './types.ts';

const SEQUENCES = 320;
const STEPS = 40;
/** More at once would let slots run out between two steps of a sequence, and with them all that runs compete for. */
const AT_ONCE = 16;

describe('the scripts', () => {
  const redis = testRedis();
  const prefix = testPrefix();

  it(`answer as the model does in ${SEQUENCES} random sequences of ${STEPS} calls`, { timeout: 60_000 }, async () => {
    const seen = new Set<string>();
    let seed = 0;
    const lane = async () => {
      while (seed < SEQUENCES) await sequence(++seed, seen);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, lane));
    // Sequences that never come to the interesting places prove nothing.
    expect([...seen].sort()).toEqual([
      'capped',
      'circuit open',
      'delayed wake',
      'granted',
      'granted again',
      'half open',
      'held back for the first in line',
      'leave too late',
      'left the line',
      'lost slots',
      'more slots',
      'no start while blocked',
      'refused for a time',
      'refused for want of a slot',
      'wake',
    ]);
  });

  async function sequence(seed: number, seen: Set<string>): Promise<void> {
    const random = generator(seed);
    const below = (limit: number) => Math.floor(random() * limit);
    const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T;
    // Short, so that they run out within a sequence; but half of the grants last, so that runs compete on a slow machine too.
    const settings = completeGateSettings({
      grantMs: pick([5, 20, 60_000, 60_000]),
      slotMarginMs: pick([0, 10, 80]),
      shortWaitMs: pick([0, 8, 30]),
      circuitFailures: pick([2, 3, 5]),
      circuitMs: pick([10, 40]),
      backoffMs: pick([1, 4, 15]),
      maxBackoffMs: pick([20, 100]),
      paceDownMs: pick([1, 10]),
      paceUpMs: pick([5, 20]),
    });
    const context = { redis, prefix, settings };
    const host = `host-${seed}.test`;
    const model = new GateModel(settings);
    const delays = pick([[0], [0], [12], [0, 0, 25]]);
    const limits = (): HostLimits => ({
      parallel: 1 + below(4),
      delayMs: pick(delays),
      ...(random() < 0.2 ? { slotMarginMs: below(40) } : {}),
      ...(random() < 0.2 ? { backoff: { doubles: random() < 0.5, backoffMs: 1 + below(5), circuitFailures: 2 } } : {}),
    });
    const holders: string[] = [];
    const places: { runId: string; stamp: number }[] = [{ runId: 'run-0', stamp: 1 }];
    let epoch = 0;
    const outcome = (): Outcome => {
      if (random() < 0.4) return { ok: true };
      const past = random() < 0.3 ? below(3) : 0;
      return { ok: false, epoch: Math.max(0, epoch - past), ...(random() < 0.2 ? { retryAfterMs: below(60) } : {}) };
    };
    const news = (holder: string) => ({
      holder,
      sinceLastStartMs: random() < 0.7 ? below(10) : null,
      outcomes: random() < 0.3 ? Array.from({ length: 1 + below(3) }, outcome) : [],
      // Now quick, now slow: the host's cap comes and stays.
      ...(random() < 0.5 ? { responses: { count: 1 + below(10), meanMs: pick([3, 5, 900]) } } : {}),
      limits: limits(),
    });
    const compare = <T extends GateReply>(reply: Timed<T>, expected: (now: number) => T, call: unknown): T => {
      const { now, ...answer } = reply;
      const wanted = expected(now);
      expect(answer, `seed ${seed}: ${JSON.stringify(call)}`).toEqual(wanted);
      if (wanted.wake) {
        seen.add('wake');
        places.push(wanted.wake);
      }
      if (wanted.wakeAt !== null) seen.add('delayed wake');
      if (model.isCircuitOpen) seen.add(model.blockedUntil > now ? 'circuit open' : 'half open');
      return wanted;
    };

    for (let step = 0; step < STEPS; step++) {
      if (random() < 0.15) await pass(below(25));
      const kind = random();
      if (kind < 0.4 || holders.length === 0) {
        const isRepeat = random() < 0.15 && holders.length > 0;
        const holder = isRepeat ? pick(holders) : `holder-${step}`;
        const request = { runId: `run-${below(4)}`, holder, want: 1 + below(4), limits: limits() };
        const reply = await reserve(context, host, request);
        const grant = compare(reply, (now) => model.reserve(request, now), request);
        epoch = grant.epoch;
        if (grant.slots > 0) {
          seen.add(isRepeat ? 'granted again' : 'granted');
          if (!holders.includes(holder)) holders.push(holder);
        } else if (grant.refusedForMs === 0 && model.slotsInUse < model.limitFor(request.limits)) {
          seen.add('held back for the first in line');
        } else seen.add(grant.refusedForMs > 0 ? 'refused for a time' : 'refused for want of a slot');
      } else if (kind < 0.65) {
        const request = { ...news(pick(holders)), keep: 1 + below(3), want: below(5), underWay: below(2) };
        const before = model.slots.get(request.holder)?.n ?? 0;
        const renewal = compare(await renew(context, host, request), (now) => model.renew(request, now), request);
        epoch = renewal.epoch;
        if (renewal.slots > before) seen.add('more slots');
        if (model.cap > 0) seen.add('capped');
        if (renewal.slots === 0) {
          seen.add('lost slots');
          holders.splice(holders.indexOf(request.holder), 1);
        } else if (renewal.blocked && renewal.grantMs === 0) seen.add('no start while blocked');
      } else if (kind < 0.85) {
        const request = news(pick(holders));
        compare(await release(context, host, request), (now) => model.release(request, now), request);
        // Some are released twice.
        if (random() < 0.8) holders.splice(holders.indexOf(request.holder), 1);
      } else if (kind < 0.95) {
        const place = pick(places);
        const before = model.line.size;
        const wasThere = model.line.has(place.runId);
        compare(await leave(context, host, place), (now) => model.leave(place, now), place);
        if (model.line.size < before) seen.add('left the line');
        else if (wasThere) seen.add('leave too late');
      } else compare(await peek(context, host), (now) => model.peek(now), 'peek');
    }
  }
});

/** xorshift32: the same sequence for the same seed, on every machine. */
function generator(seed: number): () => number {
  let state = Math.imul(seed, 0x9e3779b1) | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
