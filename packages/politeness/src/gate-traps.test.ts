/** The schedules that broke earlier versions of the protocol, as far as the gate has a part in them. */
import { testPrefix, testRedis, waitFor } from '@trawl/testing';
import { describe, expect, it } from 'vitest';
import { createGate } from './gate.ts';
import type { GateSettings } from './settings.ts';
import type { Gate, Outcome } from './types.ts';

const HOST = 'example.test';
const redis = testRedis();
const newGate = (settings: Partial<GateSettings> = {}): Gate => createGate(redis, { prefix: testPrefix(), settings });
const SERIAL = { parallel: 1, delayMs: 0 };
const ask = (gate: Gate, run: string, limits = SERIAL) =>
  gate.reserve(HOST, { runId: run, holder: `session of ${run}`, want: 1, limits });
const end = (
  gate: Gate,
  run: string,
  outcomes: Outcome[] = [],
  limits = SERIAL,
  sinceLastStartMs: number | null = null,
) => gate.release(HOST, { holder: `session of ${run}`, sinceLastStartMs, outcomes, limits });
const facts = async (gate: Gate) => (await gate.describe([HOST]))[0];

describe('trap 1, park', () => {
  it('a second reserve after parking finds the slot that was released in between', async () => {
    const gate = newGate();
    await ask(gate, 'a');
    expect((await ask(gate, 'b')).slots).toBe(0);
    await end(gate, 'a');
    expect((await ask(gate, 'b')).slots).toBe(1);
    expect((await facts(gate))?.line).toBe(0);
  });
});

describe('trap 3, leave', () => {
  it('a late leave does not remove a run that was refused again since', async () => {
    const gate = newGate();
    await ask(gate, 'a');
    await ask(gate, 'b');
    const { wake } = await end(gate, 'a');
    expect(wake).toEqual({ runId: 'b', stamp: 1 });
    // Before b's new session asks, another run takes the slot.
    expect((await ask(gate, 'c')).slots).toBe(1);
    expect((await ask(gate, 'b')).slots).toBe(0);
    await gate.leave(HOST, { runId: 'b', stamp: 1 });
    expect((await facts(gate))?.line).toBe(1);
    expect((await end(gate, 'c')).wake).toEqual({ runId: 'b', stamp: 2 });
  });

  it('a refusal gives a new stamp and keeps the place', async () => {
    const gate = newGate();
    await ask(gate, 'a');
    await ask(gate, 'b');
    await ask(gate, 'c');
    await ask(gate, 'b');
    expect((await end(gate, 'a')).wake).toEqual({ runId: 'b', stamp: 3 });
  });
});

describe('trap 4, busy first', () => {
  it('a first in line that opens nothing leaves, and the second is named in the same reply', async () => {
    const gate = newGate();
    await ask(gate, 'a');
    await ask(gate, 'b');
    await ask(gate, 'c');
    const { wake } = await end(gate, 'a');
    expect(wake?.runId).toBe('b');
    expect((await gate.leave(HOST, { runId: 'b', stamp: wake?.stamp ?? 0 })).wake?.runId).toBe('c');
    expect((await ask(gate, 'c')).slots).toBe(1);
  });
});

describe('trap 5, blocked with a line', () => {
  it('every reply tells when to wake the line, not only a refusal', async () => {
    const gate = newGate();
    await ask(gate, 'a');
    await ask(gate, 'b');
    await ask(gate, 'c');
    const failed = await gate.renew(HOST, {
      holder: 'session of a',
      keep: 1,
      sinceLastStartMs: null,
      outcomes: [{ ok: false, epoch: 0 }],
      limits: SERIAL,
    });
    expect(failed.wakeAt).not.toBeNull();
    expect(failed.wakeInMs).toBe(3_000);
    const replies = [
      await ask(gate, 'a'),
      await end(gate, 'a'),
      await gate.peek(HOST),
      await gate.leave(HOST, { runId: 'b', stamp: 1 }),
      await ask(gate, 'd'),
    ];
    for (const reply of replies) expect(reply).toMatchObject({ wake: null, wakeAt: failed.wakeAt });
  });
});

describe('trap 6, places that expire', () => {
  it('a place outlives a block that is prolonged past the time it was given', async () => {
    const gate = newGate({ backoffMs: 5 });
    await ask(gate, 'a');
    await ask(gate, 'b');
    const { epoch, wakeInMs } = await end(gate, 'a', [{ ok: false, epoch: 0 }]);
    expect(wakeInMs).toBe(5);
    await waitFor(async () => (await facts(gate))?.blockedForMs === 0);
    expect(await end(gate, 'a', [{ ok: false, epoch, retryAfterMs: 60 }])).toMatchObject({ wake: null, wakeInMs: 60 });
    expect(await waitFor(async () => (await gate.peek(HOST)).wake)).toEqual({ runId: 'b', stamp: 1 });
  });
});

describe('trap 7, ping-pong', () => {
  it('two refused runs do not wake each other while the next start is far away', async () => {
    const gate = newGate();
    const slow = { parallel: 1, delayMs: 60_000 };
    await ask(gate, 'a', slow);
    const { wakeAt } = await end(gate, 'a', [], slow, 0);
    expect(wakeAt).toBeNull();
    const refusals = [];
    for (let i = 0; i < 3; i++) {
      for (const run of ['b', 'c']) refusals.push(await ask(gate, run, slow));
    }
    expect(refusals[0]?.wakeAt).not.toBeNull();
    for (const refusal of refusals) {
      expect(refusal).toMatchObject({ slots: 0, wake: null, wakeAt: refusals[0]?.wakeAt });
    }
  });

  it('the first of them is woken when its time has come', async () => {
    const gate = newGate({ shortWaitMs: 0 });
    const slow = { parallel: 1, delayMs: 30 };
    await ask(gate, 'a', slow);
    await ask(gate, 'b', slow);
    await ask(gate, 'c', slow);
    expect(await end(gate, 'a', [], slow, 0)).toMatchObject({ wake: null, wakeInMs: 31 });
    expect(await waitFor(async () => (await gate.peek(HOST)).wake)).toEqual({ runId: 'b', stamp: 1 });
  });
});

describe('trap 14, one outage', () => {
  it('eight requests into one outage count as one failure', async () => {
    const gate = newGate();
    const wide = { parallel: 8, delayMs: 0 };
    const { epoch } = await gate.reserve(HOST, { runId: 'a', holder: 'h', want: 8, limits: wide });
    for (let i = 0; i < 4; i++) {
      const outcomes: Outcome[] = [
        { ok: false, epoch },
        { ok: false, epoch },
      ];
      await gate.renew(HOST, { holder: 'h', keep: 8, sinceLastStartMs: 0, outcomes, limits: wide });
    }
    expect((await facts(gate))?.failures).toBe(1);
  });

  it('a late success resets the count and does not lift the block', async () => {
    const gate = newGate();
    await end(gate, 'a', [{ ok: false, epoch: 0 }]);
    await end(gate, 'a', [{ ok: true }]);
    const after = await facts(gate);
    expect(after?.failures).toBe(0);
    expect(after?.blockedForMs).toBeGreaterThan(2_000);
    expect((await ask(gate, 'b')).slots).toBe(0);
  });

  it('a late failure after that success blocks for the first step, not for nothing', async () => {
    const gate = newGate({ backoffMs: 40 });
    await end(gate, 'a', [{ ok: false, epoch: 0 }, { ok: true }]);
    await waitFor(async () => (await facts(gate))?.blockedForMs === 0);
    expect(await end(gate, 'a', [{ ok: false, epoch: 0 }])).toMatchObject({ blocked: true, probing: false });
    expect((await facts(gate))?.failures).toBe(0);
  });
});

describe('trap 16, broken chain', () => {
  it('peek hands a wake-up on that was given to a run which ended before it asked', async () => {
    const gate = newGate();
    await ask(gate, 'a');
    await ask(gate, 'cancelled');
    await ask(gate, 'c');
    expect((await end(gate, 'a')).wake?.runId).toBe('cancelled');
    const { wake } = await gate.peek(HOST);
    expect(wake?.runId).toBe('cancelled');
    expect((await gate.leave(HOST, { runId: 'cancelled', stamp: wake?.stamp ?? 0 })).wake?.runId).toBe('c');
  });

  it('a granted reserve names the next in line while slots are free', async () => {
    const gate = newGate();
    const pair = { parallel: 2, delayMs: 0 };
    await gate.reserve(HOST, { runId: 'a', holder: 'session of a', want: 2, limits: pair });
    await ask(gate, 'b', pair);
    await ask(gate, 'c', pair);
    await end(gate, 'a');
    expect(await ask(gate, 'b', pair)).toMatchObject({ slots: 1, wake: { runId: 'c' } });
  });
});
