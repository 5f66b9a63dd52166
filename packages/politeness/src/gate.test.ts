/** Every answer of every function, and what a repeat of the same call does. */
import { testPrefix, testRedis, waitFor } from '@trawl/testing';
import { describe, expect, it } from 'vitest';
import { createGate } from './gate.ts';
import { gateKeys } from './keys.ts';
import type { GateSettings } from './settings.ts';
import type { Gate, HostLimits, Outcome } from './types.ts';

const HOST = 'shop.test:8080';
const FREE: HostLimits = { parallel: 4, delayMs: 0 };
const NOTHING_OWED = { wake: null, wakeInMs: null, wakeAt: null };
const OK: Outcome = { ok: true };

const redis = testRedis();
const newGate = (settings: Partial<GateSettings> = {}): Gate => createGate(redis, { prefix: testPrefix(), settings });
const ask = (gate: Gate, holder: string, want = 1, limits = FREE) =>
  gate.reserve(HOST, { runId: `run-${holder}`, holder, want, limits });
const quiet = (holder: string, limits = FREE) => ({ holder, sinceLastStartMs: null, outcomes: [], limits });
const tell = (gate: Gate, holder: string, ...outcomes: Outcome[]) =>
  gate.renew(HOST, { ...quiet(holder), outcomes, keep: 4 });
const facts = async (gate: Gate) => (await gate.describe([HOST]))[0];

describe('reserve', () => {
  it('grants what is wanted, at once, for the length of a grant', async () => {
    expect(await ask(newGate(), 'a', 3)).toMatchObject({
      ...NOTHING_OWED,
      slots: 3,
      startInMs: 0,
      grantMs: 2_000,
      epoch: 0,
      probing: false,
      refusedForMs: 0,
    });
  });

  it('grants what is left, counted over all runs', async () => {
    const gate = newGate();
    await ask(gate, 'a', 3);
    expect((await ask(gate, 'b', 3)).slots).toBe(1);
  });

  it('refuses for want of a slot without naming a time', async () => {
    const gate = newGate();
    await ask(gate, 'a', 4);
    expect(await ask(gate, 'b')).toMatchObject({ ...NOTHING_OWED, slots: 0, grantMs: 0, refusedForMs: 0 });
    expect(await facts(gate)).toMatchObject({ host: HOST, slotsInUse: 4, blockedForMs: 0, failures: 0, line: 1 });
  });

  it('gives a holder that asks again what it has, and no more', async () => {
    const gate = newGate();
    await ask(gate, 'a', 2);
    const again = await ask(gate, 'a', 4);
    expect(again.slots).toBe(2);
    expect(again.grantMs).toBeLessThanOrEqual(2_000);
    expect((await facts(gate))?.slotsInUse).toBe(2);
  });

  it('refuses a blocked host until the block ends, and tells when to wake the run', async () => {
    const gate = newGate();
    await ask(gate, 'a');
    await tell(gate, 'a', { ok: false, epoch: 0, retryAfterMs: 30_000 });
    const refused = await ask(gate, 'b');
    expect(refused.slots).toBe(0);
    expect(refused.refusedForMs).toBeGreaterThan(29_000);
    expect(refused.wakeInMs).toBe(refused.refusedForMs);
    expect(refused.wakeAt).toBeGreaterThan(Date.now());
  });

  it('leaves short waits to the holder and refuses long ones', async () => {
    const gate = newGate();
    const near = { parallel: 4, delayMs: 900 };
    await ask(gate, 'a', 1, near);
    await gate.release(HOST, { ...quiet('a', near), sinceLastStartMs: 0 });
    const granted = await ask(gate, 'b', 1, near);
    expect(granted.slots).toBe(1);
    expect(granted.startInMs).toBeGreaterThan(400);
    expect(granted.startInMs).toBeLessThanOrEqual(901);

    const far = { parallel: 4, delayMs: 9_000 };
    await gate.release(HOST, { ...quiet('b', far), sinceLastStartMs: 0 });
    const refused = await ask(gate, 'c', 1, far);
    expect(refused.slots).toBe(0);
    expect(refused.refusedForMs).toBeGreaterThan(8_000);
  });

  it('gives one slot, and only to one holder, while anybody asks for a delay', async () => {
    const gate = newGate();
    expect((await ask(gate, 'a', 4, { parallel: 8, delayMs: 1_000 })).slots).toBe(1);
    expect((await ask(gate, 'b', 4, { parallel: 8, delayMs: 0 })).slots).toBe(0);
  });

  it('counts a delay from the last start of a run that asked for none', async () => {
    const gate = newGate();
    await ask(gate, 'a');
    await gate.release(HOST, { ...quiet('a'), sinceLastStartMs: 0 });
    expect((await ask(gate, 'b', 1, { parallel: 1, delayMs: 900 })).startInMs).toBeGreaterThan(400);
  });

  it('applies the limit of the run that asks', async () => {
    const gate = newGate();
    await ask(gate, 'a', 2);
    expect((await ask(gate, 'b', 4, { parallel: 8, delayMs: 0 })).slots).toBe(4);
    expect((await ask(gate, 'c', 1, { parallel: 6, delayMs: 0 })).slots).toBe(0);
  });

  it('lets no run past one that waits for the host to empty', async () => {
    const gate = newGate();
    const narrow = { parallel: 1, delayMs: 0 };
    await ask(gate, 'a');
    expect((await ask(gate, 'alone', 1, narrow)).slots).toBe(0);
    expect((await ask(gate, 'b')).slots).toBe(0);
    expect((await gate.release(HOST, quiet('a'))).wake?.runId).toBe('run-alone');
    expect((await ask(gate, 'alone', 1, narrow)).slots).toBe(1);
  });

  it('lets no run past one that waits for its delay since the last start', async () => {
    const gate = newGate();
    const slow = { parallel: 1, delayMs: 20_000 };
    await ask(gate, 'a');
    await gate.release(HOST, { ...quiet('a'), sinceLastStartMs: 0 });
    const first = await ask(gate, 'slow', 1, slow);
    expect(first.refusedForMs).toBeGreaterThan(19_000);
    expect(await ask(gate, 'b')).toMatchObject({ slots: 0, wake: null, wakeAt: first.wakeAt });
  });

  it('keeps the place of a run that was overtaken after it was woken', async () => {
    const gate = newGate();
    const narrow = { parallel: 1, delayMs: 0 };
    await ask(gate, 'a');
    await ask(gate, 'alone', 1, narrow);
    await gate.release(HOST, quiet('a'));
    expect((await ask(gate, 'b')).slots).toBe(1);
    expect((await ask(gate, 'alone', 1, narrow)).slots).toBe(0);
    expect((await ask(gate, 'c')).slots).toBe(0);
    expect((await gate.release(HOST, quiet('b'))).wake?.runId).toBe('run-alone');
  });

  it('grants new slots to a holder whose old ones have expired, and they count', async () => {
    const gate = newGate({ grantMs: 5, slotMarginMs: 5 });
    await ask(gate, 'a', 2);
    await waitFor(async () => (await facts(gate))?.slotsInUse === 0);
    const patient = { ...FREE, slotMarginMs: 60_000 };
    expect((await ask(gate, 'a', 3, patient)).slots).toBe(3);
    expect((await facts(gate))?.slotsInUse).toBe(3);
  });

  it('throws on numbers that make no sense', async () => {
    const gate = newGate();
    await expect(ask(gate, 'a', 0)).rejects.toThrow("want can't be 0");
    await expect(ask(gate, 'a', 1, { parallel: 0, delayMs: 0 })).rejects.toThrow("parallel can't be 0");
    await expect(ask(gate, 'a', 1, { parallel: 1, delayMs: -1 })).rejects.toThrow("delayMs can't be -1");
    expect(() => newGate({ grantMs: 0.5 })).toThrow("grantMs can't be 0.5");
  });
});

describe('renew', () => {
  it('keeps at most what is held and at most what is asked for', async () => {
    const gate = newGate();
    await ask(gate, 'a', 3);
    const renewal = { ...NOTHING_OWED, grantMs: 2_000, blocked: false, waiting: false, epoch: 0, probing: false };
    expect(await gate.renew(HOST, { ...quiet('a'), keep: 9 })).toMatchObject({ ...renewal, slots: 3 });
    expect(await gate.renew(HOST, { ...quiet('a'), keep: 2 })).toMatchObject({ ...renewal, slots: 2 });
    expect((await facts(gate))?.slotsInUse).toBe(2);
  });

  it('says that slots are lost when the holder was silent past its deadline', async () => {
    const gate = newGate({ grantMs: 1, slotMarginMs: 0 });
    await ask(gate, 'a', 3);
    await waitFor(async () => (await facts(gate))?.slotsInUse === 0);
    expect(await gate.renew(HOST, { ...quiet('a'), keep: 3 })).toMatchObject({ slots: 0, grantMs: 0 });
  });

  it('counts what a holder tells that has lost its slots', async () => {
    const gate = newGate();
    expect(await tell(gate, 'gone', { ok: false, epoch: 0 })).toMatchObject({ slots: 0, blocked: true, probing: true });
    expect((await facts(gate))?.failures).toBe(1);
  });

  it('keeps slots of requests under way while blocked, but lets none start', async () => {
    const gate = newGate();
    await ask(gate, 'a', 3);
    expect(await tell(gate, 'a', { ok: false, epoch: 0 })).toMatchObject({ slots: 3, grantMs: 0, blocked: true });
  });

  it('says that somebody waits', async () => {
    const gate = newGate();
    await ask(gate, 'a', 4);
    await ask(gate, 'b');
    expect((await tell(gate, 'a')).waiting).toBe(true);
  });

  it('wakes the first in line with slots that are given back', async () => {
    const gate = newGate();
    await ask(gate, 'a', 4);
    await ask(gate, 'b');
    const renewal = await gate.renew(HOST, { ...quiet('a'), keep: 3 });
    expect(renewal.wake).toEqual({ runId: 'run-b', stamp: 1 });
  });

  it('lengthens blocks as 1, 1, 2, 3, 5, up to the cap', async () => {
    const gate = newGate({ circuitFailures: 99, backoffMs: 10_000, maxBackoffMs: 45_000 });
    const lengths: number[] = [];
    let epoch = 0;
    for (let i = 0; i < 6; i++) {
      epoch = (await tell(gate, 'a', { ok: false, epoch })).epoch;
      lengths.push(Math.ceil(((await facts(gate))?.blockedForMs ?? 0) / 1_000));
    }
    expect(lengths).toEqual([10, 10, 20, 30, 45, 45]);
  });

  it('obeys Retry-After up to the cap, however absurd', async () => {
    const gate = newGate({ maxBackoffMs: 50_000 });
    await tell(gate, 'a', { ok: false, epoch: 0, retryAfterMs: Number.POSITIVE_INFINITY });
    const blockedForMs = (await facts(gate))?.blockedForMs ?? 0;
    expect(blockedForMs).toBeGreaterThan(49_000);
    expect(blockedForMs).toBeLessThanOrEqual(50_000);
  });

  it('obeys a Retry-After that is shorter than the step of the ladder', async () => {
    const gate = newGate({ backoffMs: 30_000 });
    await tell(gate, 'a', { ok: false, epoch: 0, retryAfterMs: 1_000 });
    expect((await facts(gate))?.blockedForMs).toBeLessThanOrEqual(1_000);
  });

  it("takes the steps of the run's own back-off: 2, 4, 8", async () => {
    const gate = newGate();
    const limits = { ...FREE, backoff: { backoffMs: 2_000, doubles: true } };
    const lengths: number[] = [];
    let epoch = 0;
    for (let i = 0; i < 3; i++) {
      const request = { ...quiet('a', limits), keep: 4, outcomes: [{ ok: false as const, epoch, reason: 'HTTP_503' }] };
      epoch = (await gate.renew(HOST, request)).epoch;
      lengths.push(Math.ceil(((await facts(gate))?.blockedForMs ?? 0) / 1_000));
    }
    expect(lengths).toEqual([2, 4, 8]);
    expect(await facts(gate)).toMatchObject({ failures: 3, reason: 'HTTP_503' });
  });

  it('says since when a host fails, until it succeeds', async () => {
    const gate = newGate({ backoffMs: 1 });
    await ask(gate, 'a');
    const { epoch } = await tell(gate, 'a', { ok: false, epoch: 0 });
    await waitFor(async () => ((await facts(gate))?.failingForMs ?? 0) >= 30);
    const again = await tell(gate, 'a', { ok: false, epoch });
    expect(again.failingForMs).toBeGreaterThanOrEqual(30);
    expect(await tell(gate, 'a', OK)).toMatchObject({ failingForMs: 0 });
  });

  it('never ends a block sooner than it would have', async () => {
    const gate = newGate();
    await tell(gate, 'a', { ok: false, epoch: 0, retryAfterMs: 90_000 });
    await tell(gate, 'a', { ok: false, epoch: 0 });
    expect((await facts(gate))?.blockedForMs).toBeGreaterThan(80_000);
  });

  it('does not count a failure again when the call is repeated', async () => {
    const gate = newGate();
    const first = await tell(gate, 'a', { ok: false, epoch: 0 });
    const again = await tell(gate, 'a', { ok: false, epoch: 0 });
    expect(again.epoch).toBe(first.epoch);
    expect((await facts(gate))?.failures).toBe(1);
  });

  it('refuses an epoch that would read as a success', async () => {
    await expect(tell(newGate(), 'a', { ok: false, epoch: -1 })).rejects.toThrow("epoch can't be -1");
  });
});

describe('the circuit', () => {
  const open = async (gate: Gate) => {
    let epoch = 0;
    for (let i = 0; i < 5; i++) epoch = (await tell(gate, 'nobody', { ok: false, epoch })).epoch;
  };
  const unblocked = (gate: Gate) => waitFor(async () => (await facts(gate))?.blockedForMs === 0);

  it('opens at the fifth failure in a row, for its own length', async () => {
    const gate = newGate({ backoffMs: 1, circuitMs: 60_000 });
    await open(gate);
    expect(await facts(gate)).toMatchObject({ failures: 5 });
    expect((await facts(gate))?.blockedForMs).toBeGreaterThan(59_000);
  });

  it('lets one slot through until a success closes it', async () => {
    const gate = newGate({ backoffMs: 1, circuitMs: 20 });
    await open(gate);
    await unblocked(gate);
    expect(await ask(gate, 'probe', 4)).toMatchObject({ slots: 1, probing: true });
    expect((await ask(gate, 'b', 4)).slots).toBe(0);
    expect(await tell(gate, 'probe', OK)).toMatchObject({ slots: 1, blocked: false, probing: false });
    expect((await ask(gate, 'b', 4)).slots).toBe(3);
  });

  it('is not needed for a single probe: one failure is enough', async () => {
    const gate = newGate({ backoffMs: 1 });
    await tell(gate, 'nobody', { ok: false, epoch: 0 });
    await unblocked(gate);
    expect(await ask(gate, 'probe', 4)).toMatchObject({ slots: 1, probing: true });
    expect((await ask(gate, 'b', 4)).slots).toBe(0);
  });

  it('opens again at once when the probe fails', async () => {
    const gate = newGate({ backoffMs: 1, circuitMs: 20 });
    await open(gate);
    await unblocked(gate);
    const { epoch } = await ask(gate, 'probe');
    expect(await tell(gate, 'probe', { ok: false, epoch })).toMatchObject({ blocked: true, grantMs: 0 });
    expect((await facts(gate))?.failures).toBe(6);
  });

  it('lets a slot from before it opened start nothing', async () => {
    const gate = newGate({ backoffMs: 1, circuitMs: 20 });
    await ask(gate, 'old', 2);
    await open(gate);
    await unblocked(gate);
    expect(await tell(gate, 'old')).toMatchObject({ slots: 2, blocked: true, grantMs: 0 });
    await gate.release(HOST, quiet('old'));
    expect((await ask(gate, 'probe', 4)).slots).toBe(1);
  });
});

describe('release', () => {
  it('gives everything back, and a repeat changes nothing', async () => {
    const gate = newGate();
    await ask(gate, 'a', 4);
    await ask(gate, 'b');
    const owed = { wake: { runId: 'run-b', stamp: 1 }, slots: 0, grantMs: 0 };
    expect(await gate.release(HOST, quiet('a'))).toMatchObject(owed);
    expect(await gate.release(HOST, quiet('a'))).toMatchObject(owed);
    expect((await facts(gate))?.slotsInUse).toBe(0);
  });
});

describe('leave and peek', () => {
  it('owe nothing on a host nobody has asked for, and leave no keys', async () => {
    const prefix = testPrefix();
    const gate = createGate(redis, { prefix });
    expect(await gate.peek(HOST)).toMatchObject(NOTHING_OWED);
    expect(await gate.leave(HOST, { runId: 'run-x', stamp: 1 })).toMatchObject(NOTHING_OWED);
    expect(await redis.exists(...gateKeys(prefix, HOST))).toBe(0);
  });

  it('a repeated leave does not take the next run out', async () => {
    const gate = newGate();
    await ask(gate, 'a', 4);
    await ask(gate, 'b');
    await ask(gate, 'c');
    const { wake } = await gate.release(HOST, quiet('a'));
    expect(wake).toEqual({ runId: 'run-b', stamp: 1 });
    for (let i = 0; i < 2; i++) {
      expect((await gate.leave(HOST, { runId: 'run-b', stamp: 1 })).wake).toEqual({ runId: 'run-c', stamp: 2 });
    }
  });
});

describe('describe', () => {
  it('answers for many hosts in their order, known or not', async () => {
    const gate = newGate();
    await ask(gate, 'a', 2);
    const well = { failingForMs: 0, reason: null, delayMs: 0, cap: null };
    const unknown = { slotsInUse: 0, blockedForMs: 0, failures: 0, line: 0, ...well };
    expect(await gate.describe(['x.test', HOST, 'y.test'])).toEqual([
      { host: 'x.test', ...unknown },
      { host: HOST, ...unknown, slotsInUse: 2 },
      { host: 'y.test', ...unknown },
    ]);
    expect(await gate.describe([])).toEqual([]);
  });
});

describe('time to live', () => {
  it('removes slots past their deadline with the next call', async () => {
    const prefix = testPrefix();
    const gate = createGate(redis, { prefix, settings: { grantMs: 1, slotMarginMs: 0 } });
    await ask(gate, 'a');
    await waitFor(async () => (await facts(gate))?.slotsInUse === 0);
    const [, slots] = gateKeys(prefix, HOST);
    expect(await redis.hlen(slots)).toBe(1);
    await gate.peek(HOST);
    expect(await redis.hlen(slots)).toBe(0);
  });

  it('outlives the block, and every call renews it for the whole host', async () => {
    const prefix = testPrefix();
    const gate = createGate(redis, { prefix, settings: { idleTtlMs: 100_000 } });
    const ttls = () => Promise.all(gateKeys(prefix, HOST).map((key) => redis.pttl(key)));
    await ask(gate, 'a', 4);
    await ask(gate, 'b');
    for (const ttl of await ttls()) expect(ttl).toBeGreaterThan(100_000);
    await tell(gate, 'a', { ok: false, epoch: 0, retryAfterMs: 500_000 });
    for (const ttl of await ttls()) expect(ttl).toBeGreaterThan(590_000);
    for (const key of gateKeys(prefix, HOST)) await redis.pexpire(key, 5_000);
    await gate.peek(HOST);
    for (const ttl of await ttls()) expect(ttl).toBeGreaterThan(590_000);
  });

  it('forgets a host that is idle', async () => {
    const prefix = testPrefix();
    const gate = createGate(redis, { prefix, settings: { grantMs: 1, slotMarginMs: 0, idleTtlMs: 5 } });
    await ask(gate, 'a');
    await waitFor(async () => (await redis.exists(...gateKeys(prefix, HOST))) === 0);
  });
});
