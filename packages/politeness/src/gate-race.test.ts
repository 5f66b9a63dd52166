/** Many clients at once, playing the protocol in small: limits and delays hold as seen from outside, and nobody sleeps for ever. */
import { setTimeout as pass, setImmediate as yieldOnce } from 'node:timers/promises';
import { testPrefix, testRedis } from '@trawl/testing';
import { describe, expect, it } from 'vitest';
import { createGate } from './gate.ts';
import type { Gate, GateReply, Grant, HostLimits } from './types.ts';

const HOST = 'busy.test';
const connections = Array.from({ length: 8 }, () => testRedis());

describe('200 clients on one host', () => {
  it('never have more slots than the limit, and all get their turns by wake-ups alone', async () => {
    const world = newWorld();
    const limits = { parallel: 8, delayMs: 0 };
    let inUse = 0;
    let most = 0;
    await Promise.all(
      Array.from({ length: 200 }, (_, id) =>
        client(world, id, limits, 4, async (grant) => {
          // Counted after the grant came and until the release goes out: never more than the gate has given.
          inUse += grant.slots;
          most = Math.max(most, inUse);
          for (let i = id % 5; i > 0; i--) await yieldOnce();
          inUse -= grant.slots;
          return null;
        }),
      ),
    );
    expect(most).toBeLessThanOrEqual(8);
    expect(most).toBeGreaterThan(4);
    expect(world.turns).toBe(800);
    expect(await world.gate(0).describe([HOST])).toMatchObject([{ slotsInUse: 0, line: 0 }]);
  });

  it('with different limits each holds its own at the moment it is granted, and the narrowest gets its turns too', async () => {
    const world = newWorld();
    const held = new Map<number, { slots: number; parallel: number }>();
    await Promise.all(
      Array.from({ length: 200 }, (_, id) => {
        const parallel = 1 + (id % 8);
        return client(world, id, { parallel, delayMs: 0 }, 3, async (grant) => {
          held.set(id, { slots: grant.slots, parallel });
          // All of these are held now, and whoever of them came last found the others there: the sum kept to its limit.
          const holders = [...held.values()];
          const sum = holders.reduce((total, holder) => total + holder.slots, 0);
          expect(sum).toBeLessThanOrEqual(Math.max(...holders.map((holder) => holder.parallel)));
          for (let i = id % 3; i > 0; i--) await yieldOnce();
          held.delete(id);
          return null;
        });
      }),
    );
    expect(world.turns).toBe(600);
  });

  it('never start two requests closer than the delay, even where another run asks for none', async () => {
    const world = newWorld();
    const delayMs = 15;
    const starts: { at: number; isPolite: boolean }[] = [];
    await Promise.all(
      Array.from({ length: 20 }, (_, id) => {
        const isPolite = id % 4 !== 0;
        return client(world, id, { parallel: 4, delayMs: isPolite ? delayMs : 0 }, 2, async (grant) => {
          await startAfter(grant.startInMs);
          const at = performance.now();
          starts.push({ at, isPolite });
          return at;
        });
      }),
    );
    const ordered = starts.toSorted((a, b) => a.at - b.at);
    expect(ordered).toHaveLength(40);
    for (const [index, start] of ordered.entries()) {
      const before = ordered[index - 1];
      // A polite start keeps its distance from any start before it; an impolite one from a polite one.
      if (before && (start.isPolite || before.isPolite)) expect(start.at - before.at).toBeGreaterThanOrEqual(delayMs);
    }
  });
});

interface World {
  turns: number;
  gate(id: number): Gate;
  /** Runs that were refused and wait to be woken. */
  readonly parked: Map<string, () => void>;
}

function newWorld(): World {
  const prefix = testPrefix();
  // Long enough that nothing expires: what ends these tests are wake-ups, not deadlines.
  const settings = { grantMs: 60_000, slotMarginMs: 60_000, shortWaitMs: 40 };
  const gates = connections.map((redis) => createGate(redis, { prefix, settings }));
  return { turns: 0, parked: new Map(), gate: (id) => gates[id % gates.length] as Gate };
}

/** One run: asks, parks and asks once more when refused, waits to be woken, takes its turn, releases; `use` gives the time of its start. */
async function client(
  world: World,
  id: number,
  limits: HostLimits,
  turns: number,
  use: (grant: Grant) => Promise<number | null>,
): Promise<void> {
  const gate = world.gate(id);
  const runId = `run-${id}`;
  for (let turn = 0; turn < turns; turn++) {
    const holder = `${runId}.${turn}`;
    const ask = async () => {
      const grant = await gate.reserve(HOST, { runId, holder, want: 1 + (id % 4), limits });
      await pay(world, gate, grant);
      return grant;
    };
    let grant = await ask();
    while (grant.slots === 0) {
      const woken = new Promise<void>((resolve) => world.parked.set(runId, resolve));
      grant = await ask();
      if (grant.slots > 0) world.parked.delete(runId);
      else {
        await woken;
        grant = await ask();
      }
    }
    const startedAt = await use(grant);
    world.turns++;
    const sinceLastStartMs = startedAt === null ? null : performance.now() - startedAt;
    await pay(world, gate, await gate.release(HOST, { holder, sinceLastStartMs, outcomes: [], limits }));
  }
}

/** Pays what a reply owes: wakes the run named, or tells that it did not wait, and goes on with that reply. */
async function pay(world: World, gate: Gate, first: GateReply): Promise<void> {
  for (let reply = first; ; ) {
    if (reply.wakeInMs !== null) {
      await pass(reply.wakeInMs);
      reply = await gate.peek(HOST);
      continue;
    }
    if (!reply.wake) return;
    const wake = world.parked.get(reply.wake.runId);
    if (wake) {
      world.parked.delete(reply.wake.runId);
      wake();
      return;
    }
    reply = await gate.leave(HOST, reply.wake);
  }
}

/** Timers may be a fraction early, a request must not. */
async function startAfter(ms: number): Promise<void> {
  const at = performance.now() + ms;
  if (ms > 0) await pass(ms);
  while (performance.now() < at) await yieldOnce();
}
