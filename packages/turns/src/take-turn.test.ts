import { completeRunConfig, createRunSchema, newRunId, newSourceId, type UrlKey } from '@trawl/contracts';
import { createCrawlState, type RunLimits } from '@trawl/crawl-state';
import { createGate, type GateSettings, type HostLimits } from '@trawl/politeness';
import { openQueues } from '@trawl/queues';
import { createLogger } from '@trawl/runtime';
import { testPrefix, testRedis, waitFor } from '@trawl/testing';
import { createWakeups } from '@trawl/wakeups';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Answered, type TurnRequest, takeTurn } from './take-turn.ts';

const HOST = 'shop.test';
const ONE: HostLimits = { parallel: 1, delayMs: 0 };
const PAGE: Answered = { kind: 'page', headMs: 3 };
const PATIENT = 10_000;

const redis = testRedis();

/** A host of its own: gate, queues and runs are real. */
function setUp(settings: Partial<GateSettings> = {}) {
  const prefix = testPrefix();
  const gate = createGate(redis, { prefix, settings });
  const queues = openQueues(redis, { prefix });
  onTestFinished(() => queues.close());
  const state = createCrawlState(redis, { prefix });
  const wakeups = createWakeups({ queues, state, gate });
  const deps = { gate, wakeups, logger: createLogger({ level: 'silent', role: 'test' }) };
  let holders = 0;
  const turn = <Reply extends Answered>(
    send: (onSent: () => void) => Promise<Reply>,
    request: Partial<TurnRequest> = {},
  ) => takeTurn({ host: HOST, holder: `turn-${++holders}`, limits: ONE, patienceMs: PATIENT, ...request }, send, deps);
  const facts = async () => {
    const [described] = await gate.describe([HOST]);
    if (!described) throw new Error('the gate says nothing of the host');
    return described;
  };
  const quiet = (holder: string, limits = ONE) => ({ holder, sinceLastStartMs: null, outcomes: [], limits });
  return {
    gate,
    queues,
    state,
    turn,
    facts,
    /** Somebody else has a slot of the host. */
    hold: async (holder = 'other', limits = ONE) => {
      const { slots } = await gate.reserve(HOST, { runId: `run-${holder}`, holder, want: 1, limits });
      if (slots === 0) throw new Error('there was no slot');
    },
    renew: (holder = 'other') => gate.renew(HOST, { ...quiet(holder), keep: 1 }),
    release: async (holder = 'other') => wakeups.honour(HOST, await gate.release(HOST, quiet(holder))),
    /** Somebody else has met with a failure. */
    block: (retryAfterMs: number) =>
      gate.release(HOST, { ...quiet('failed'), outcomes: [{ ok: false, epoch: 0, retryAfterMs, reason: 'HTTP_503' }] }),
  };
}

/** A request that is under way until it is answered. */
function pending<Reply extends Answered = Answered>() {
  const answers = Promise.withResolvers<Reply>();
  let sent = 0;
  return {
    send: () => {
      sent++;
      return answers.promise;
    },
    isSent: () => sent > 0,
    count: () => sent,
    answer: answers.resolve,
    fail: answers.reject,
  };
}

const failed = (o: { code?: string; retryable?: boolean; retryAfterMs?: number | null } = {}): Answered => ({
  kind: 'failed',
  headMs: null,
  error: { code: o.code ?? 'HTTP_503', retryable: o.retryable ?? true },
  retryAfterMs: o.retryAfterMs ?? null,
});

describe('a turn', () => {
  it('is one slot while the request is under way, given back with the answer', async () => {
    const { turn, facts } = setUp();
    const request = pending();
    const reply = turn(request.send);
    await waitFor(request.isSent);
    expect(await facts()).toMatchObject({ slotsInUse: 1, line: 0 });
    request.answer(PAGE);
    expect(await reply).toBe(PAGE);
    expect(await facts()).toMatchObject({ slotsInUse: 0, line: 0, failures: 0 });
    expect(request.count()).toBe(1);
  });

  it('is taken beside others up to the limit, and not beyond', async () => {
    const { turn, facts } = setUp();
    const limits = { parallel: 3, delayMs: 0 };
    let atOnce = 0;
    let most = 0;
    const send = async () => {
      most = Math.max(most, ++atOnce);
      expect((await facts()).slotsInUse).toBeLessThanOrEqual(3);
      atOnce--;
      return PAGE;
    };
    const replies = await Promise.all(Array.from({ length: 12 }, () => turn(send, { limits })));
    expect(replies).toEqual(Array(12).fill(PAGE));
    expect(most).toBeLessThanOrEqual(3);
    expect((await facts()).slotsInUse).toBe(0);
  });

  it('is waited for while another has the slot, whose holder hears of it', async () => {
    const { turn, facts, hold, renew, release } = setUp();
    await hold();
    expect(await renew()).toMatchObject({ waiting: false });
    const request = pending();
    const reply = turn(request.send);
    await waitFor(async () => (await facts()).line === 1);
    expect(await renew()).toMatchObject({ waiting: true, slots: 1 });
    expect(request.isSent()).toBe(false);
    await release();
    await waitFor(request.isSent);
    request.answer(PAGE);
    expect(await reply).toBe(PAGE);
    expect(await facts()).toMatchObject({ slotsInUse: 0, line: 0 });
  });

  it('comes for each of ten that wait for one slot', async () => {
    const { turn, hold, release } = setUp();
    await hold();
    const replies = Promise.all(Array.from({ length: 10 }, () => turn(async () => PAGE)));
    await release();
    expect(await replies).toEqual(Array(10).fill(PAGE));
  });

  it('comes also where the holder of the slot has died', async () => {
    const { turn, hold } = setUp({ grantMs: 100, slotMarginMs: 100 });
    await hold();
    expect(await turn(async () => PAGE)).toBe(PAGE);
  });

  it('leaves the host to the run that waits for it', async () => {
    const { turn, gate, queues, state } = setUp();
    const runId = newRunId();
    const limits: RunLimits = {
      ...{ maxPages: 10, maxUrls: 10, maxDepth: 1, maxRetries: 1, maxLost: 1, templateQuota: 10, endlessQuota: 10 },
      ...{ high: 10, low: 5, leaseMs: 60_000, parkMs: 5000, rendersAll: 0 },
    };
    const config = completeRunConfig(createRunSchema.parse({ url: `https://${HOST}/` }), { userAgent: 'test' });
    await state.create(runId, { limits, settings: { sourceId: newSourceId(), config, hasPast: false, access: null } });
    const url = `https://${HOST}/1` as UrlKey;
    const link = { key: url, url, template: 't', boosted: false, rank: 'ordinary', endless: false } as const;
    const admitted = await state.admit(runId, [link]);
    const session = admitted.kind === 'admitted' ? admitted.owed.fetch[0] : undefined;
    if (!session) throw new Error('no session is owed');
    const ref = { runId, ...session, exec: 'exec' };
    await state.begin(ref);
    const request = pending();
    const reply = turn(request.send);
    await waitFor(request.isSent);
    expect(await gate.reserve(HOST, { runId, holder: 'exec', want: 1, limits: ONE })).toMatchObject({ slots: 0 });
    await state.park(ref, 60_000);
    expect(await queues.waiting('fetch')).toBe(0);
    request.answer(PAGE);
    await reply;
    expect(await queues.waiting('fetch')).toBe(1);
  });
});

describe('patience', () => {
  it('of 0 is no wait: the slot is there, or there is no turn', async () => {
    const { turn, hold, release } = setUp();
    const send = async () => PAGE;
    expect(await turn(send, { patienceMs: 0 })).toBe(PAGE);
    await hold();
    const unsent = pending();
    expect(await turn(unsent.send, { patienceMs: 0 })).toBeNull();
    expect(unsent.isSent()).toBe(false);
    await release();
    expect(await turn(send, { patienceMs: 0 })).toBe(PAGE);
  });

  it('ends while the slot is held, and takes nothing with it', async () => {
    const { turn, hold, release, facts } = setUp();
    await hold();
    const started = performance.now();
    const unsent = pending();
    expect(await turn(unsent.send, { patienceMs: 200 })).toBeNull();
    expect(performance.now() - started).toBeGreaterThan(150);
    expect(unsent.isSent()).toBe(false);
    await release();
    expect(await facts()).toMatchObject({ slotsInUse: 0, line: 0 });
  });

  it('lasts until a blocked host is free again', async () => {
    const { turn, block, facts } = setUp();
    await block(1500);
    const started = performance.now();
    let wait = 0;
    const reply = await turn(async () => {
      wait = performance.now() - started;
      return PAGE;
    });
    expect(reply).toBe(PAGE);
    expect(wait).toBeGreaterThan(1400);
    // It was a probe, and told of its success.
    expect(await facts()).toMatchObject({ failures: 0, failingForMs: 0, blockedForMs: 0 });
  });

  it('is not tried with a host that is blocked for longer', async () => {
    const { turn, block } = setUp();
    await block(60_000);
    const started = performance.now();
    const unsent = pending();
    expect(await turn(unsent.send, { patienceMs: 900 })).toBeNull();
    expect(performance.now() - started).toBeLessThan(900);
    expect(unsent.isSent()).toBe(false);
  });
});

describe('an answer', () => {
  it.each(['HTTP_503', 'HTTP_429', 'CONNECTION_FAILED'])(
    'that may be another one later (%s) blocks the host',
    async (code) => {
      const { turn, facts } = setUp({ backoffMs: 20_000 });
      expect(await turn(async () => failed({ code }))).toMatchObject({ kind: 'failed' });
      expect(await facts()).toMatchObject({ failures: 1, reason: code, slotsInUse: 0 });
      expect((await facts()).blockedForMs).toBeGreaterThan(19_000);
    },
  );

  it('that names a time blocks the host until then', async () => {
    const { turn, facts } = setUp();
    await turn(async () => failed({ retryAfterMs: 45_000 }));
    const { blockedForMs } = await facts();
    expect(blockedForMs).toBeGreaterThan(44_000);
    expect(blockedForMs).toBeLessThanOrEqual(45_000);
  });

  it.each<[string, Answered]>([
    ['a 404', failed({ code: 'HTTP_404', retryable: false })],
    ['a file that is no page', failed({ code: 'UNSUPPORTED_TYPE', retryable: false, retryAfterMs: 9000 })],
    ['a page', PAGE],
    ['a page that took no time', { kind: 'page', headMs: 0 }],
    ['nothing new', { kind: 'unchanged', headMs: null }],
    ['a redirect', { kind: 'redirect', headMs: 1.5 }],
    ['a text', { kind: 'text', headMs: 1 }],
    ['a stream', { kind: 'streamed', headMs: 1 }],
  ])('that is %s does not block it, and shows that a failing one is well again', async (_, answer) => {
    const { turn, facts, block } = setUp();
    expect(await turn(async () => answer)).toBe(answer);
    expect(await facts()).toMatchObject({ failures: 0, blockedForMs: 0, slotsInUse: 0 });
    await block(1);
    expect(await facts()).toMatchObject({ failures: 1 });
    expect(await turn(async () => answer)).toBe(answer);
    expect(await facts()).toMatchObject({ failures: 0, blockedForMs: 0 });
  });

  it('that fails again counts as a second failure in a row', async () => {
    const { turn, facts } = setUp({ backoffMs: 1 });
    await turn(async () => failed());
    await turn(async () => failed());
    expect(await facts()).toMatchObject({ failures: 2 });
  });

  it('that is none, as the request threw, gives the slot back and blocks nobody', async () => {
    const { turn, facts } = setUp();
    const broken = new Error('broken');
    await expect(turn(() => Promise.reject(broken))).rejects.toBe(broken);
    expect(await facts()).toMatchObject({ slotsInUse: 0, failures: 0, blockedForMs: 0 });
    const thrown = turn(() => {
      throw broken;
    });
    await expect(thrown).rejects.toBe(broken);
    expect(await facts()).toMatchObject({ slotsInUse: 0, line: 0 });
    expect(await turn(async () => PAGE, { patienceMs: 0 })).toBe(PAGE);
  });
});

describe('a long answer', () => {
  it('keeps its slot for twice as long as a slot lives by itself', async () => {
    const { turn, facts, gate } = setUp({ grantMs: 1200, slotMarginMs: 300 });
    const reply = await turn(async () => {
      const started = performance.now();
      await waitFor(async () => {
        expect((await facts()).slotsInUse).toBe(1);
        return performance.now() - started > 3000;
      });
      const other = await gate.reserve(HOST, { runId: 'run-other', holder: 'other', want: 1, limits: ONE });
      expect(other.slots).toBe(0);
      return PAGE;
    });
    expect(reply).toBe(PAGE);
    expect(await facts()).toMatchObject({ slotsInUse: 0, line: 0 });
  });

  it('is taken, though the slot was lost meanwhile', async () => {
    const { turn, facts } = setUp({ grantMs: 50, slotMarginMs: 0, backoffMs: 20_000 });
    const reply = await turn(async () => {
      await waitFor(async () => (await facts()).slotsInUse === 0);
      return failed({ code: 'TIMEOUT_BODY' });
    });
    expect(reply).toMatchObject({ kind: 'failed' });
    expect(await facts()).toMatchObject({ failures: 1, reason: 'TIMEOUT_BODY' });
  });
});

describe('the delay of a host', () => {
  const slow: HostLimits = { parallel: 4, delayMs: 400 };

  it('lies between the starts of turns that are taken one after the other, or at once', async () => {
    const { turn } = setUp();
    const starts: number[] = [];
    const send = async () => {
      starts.push(performance.now());
      return PAGE;
    };
    await turn(send, { limits: slow });
    await turn(send, { limits: slow });
    await Promise.all([turn(send, { limits: slow }), turn(send, { limits: slow })]);
    const gaps = starts.slice(1).map((at, i) => at - (starts[i] ?? 0));
    expect(gaps).toHaveLength(3);
    for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(399);
  });

  it('counts from when the request went out, if that was later', async () => {
    const { turn } = setUp();
    let sentAt = 0;
    const connect = pending();
    const first = turn(
      async (onSent) => {
        await connect.send();
        onSent();
        sentAt = performance.now();
        return PAGE;
      },
      { limits: slow },
    );
    await waitFor(connect.isSent);
    const from = performance.now();
    await waitFor(() => performance.now() - from > 300);
    connect.answer(PAGE);
    await first;
    let nextAt = 0;
    await turn(
      async () => {
        nextAt = performance.now();
        return PAGE;
      },
      { limits: slow },
    );
    expect(nextAt - sentAt).toBeGreaterThanOrEqual(399);
  });

  it('counts from a request that threw, and not from one that was never made', async () => {
    const { turn, gate } = setUp();
    const limits = { parallel: 1, delayMs: 900 };
    const startInMs = async () => {
      const grant = await gate.reserve(HOST, { runId: 'run-x', holder: 'x', want: 1, limits });
      await gate.release(HOST, { holder: 'x', sinceLastStartMs: null, outcomes: [], limits });
      return grant.startInMs;
    };
    await expect(turn(() => Promise.reject(new Error('broken')), { limits })).rejects.toThrow('broken');
    expect(await startInMs()).toBeGreaterThan(200);
    await waitFor(async () => (await startInMs()) === 0);
    await expect(turn(async () => PAGE, { limits, signal: AbortSignal.abort() })).rejects.toThrow('aborted');
    expect(await startInMs()).toBe(0);
  });

  it('of several grants is waited for in line', async () => {
    const { turn } = setUp({ shortWaitMs: 50 });
    const starts: number[] = [];
    const send = async () => {
      starts.push(performance.now());
      return PAGE;
    };
    await turn(send, { limits: slow });
    await turn(send, { limits: slow });
    expect((starts[1] ?? 0) - (starts[0] ?? 0)).toBeGreaterThanOrEqual(399);
  });
});

describe('the signal', () => {
  it('ends the wait for a slot at once', async () => {
    const { turn, hold, facts, release } = setUp();
    await hold();
    const control = new AbortController();
    const unsent = pending();
    const reply = turn(unsent.send, { signal: control.signal });
    const rejected = expect(reply).rejects.toMatchObject({ name: 'AbortError' });
    await waitFor(async () => (await facts()).line === 1);
    control.abort();
    await rejected;
    expect(unsent.isSent()).toBe(false);
    await release();
    expect(await facts()).toMatchObject({ slotsInUse: 0, line: 0 });
  });

  it('ends the wait for a blocked host at once', async () => {
    const { turn, block, facts } = setUp();
    await block(60_000);
    const control = new AbortController();
    const reply = turn(async () => PAGE, { signal: control.signal, patienceMs: 120_000 });
    const rejected = expect(reply).rejects.toMatchObject({ name: 'AbortError' });
    await waitFor(async () => (await facts()).line === 1);
    const started = performance.now();
    control.abort();
    await rejected;
    expect(performance.now() - started).toBeLessThan(500);
  });

  it('ends the wait for the delay, and the slot is given back', async () => {
    const { turn, facts } = setUp();
    const limits = { parallel: 1, delayMs: 900 };
    await turn(async () => PAGE, { limits });
    const control = new AbortController();
    const unsent = pending();
    const reply = turn(unsent.send, { limits, signal: control.signal });
    const rejected = expect(reply).rejects.toMatchObject({ name: 'AbortError' });
    await waitFor(async () => (await facts()).slotsInUse === 1);
    control.abort();
    await rejected;
    expect(unsent.isSent()).toBe(false);
    expect((await facts()).slotsInUse).toBe(0);
  });

  it('that was given before takes no slot at all', async () => {
    const { turn, facts } = setUp();
    const reason = new Error('no longer wanted');
    const unsent = pending();
    await expect(turn(unsent.send, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(unsent.isSent()).toBe(false);
    expect(await facts()).toMatchObject({ slotsInUse: 0, line: 0 });
  });

  it('is the request’s own business once that is under way', async () => {
    const { turn, facts } = setUp();
    const control = new AbortController();
    const request = pending();
    const reply = turn(request.send, { signal: control.signal });
    await waitFor(request.isSent);
    control.abort();
    expect((await facts()).slotsInUse).toBe(1);
    request.answer(PAGE);
    expect(await reply).toBe(PAGE);
    expect((await facts()).slotsInUse).toBe(0);
  });
});
