import { newRunId, type RunId, type UrlKey } from '@trawl/contracts';
import { NOTHING_OWED, type Owed, placeOf } from '@trawl/crawl-state';
import type { GateReply, Place } from '@trawl/politeness';
import { openQueues, queuePrefix } from '@trawl/queues';
import { testPrefix, testRedis } from '@trawl/testing';
import { Queue } from 'bullmq';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createWakeups } from './wakeups.ts';

const redis = testRedis();

/** Real queues; what the run and the gate would answer is given by the test. */
function setUp(answers: { open?: (runId: RunId) => boolean; leave?: (place: Place) => GateReply } = {}) {
  const prefix = testPrefix();
  const queues = openQueues(redis, { prefix });
  const calls: string[] = [];
  const wakeups = createWakeups({
    queues,
    state: {
      open: async (runId, host) => {
        const opened = answers.open?.(runId) ?? false;
        calls.push(`open ${runId}`);
        return { idle: !opened, owed: opened ? { ...NOTHING_OWED, fetch: [{ host, sid: '1' }] } : NOTHING_OWED };
      },
    },
    gate: {
      leave: async (_host, place) => {
        calls.push(`leave ${place.runId} ${place.stamp}`);
        return answers.leave?.(place) ?? nothing;
      },
    },
  });
  const raw = (name: string): Queue => {
    const queue = new Queue(name, { connection: redis, prefix: queuePrefix(prefix) });
    onTestFinished(() => queue.close());
    return queue;
  };
  onTestFinished(() => queues.close());
  return { wakeups, calls, raw };
}

const nothing: GateReply = { wake: null, wakeInMs: null, wakeAt: null };

describe('paying what a run owes', () => {
  it('adds a job of each kind, pages in jobs of at most sixteen', async () => {
    const { wakeups, raw } = setUp();
    const runId = newRunId();
    const pages = Array.from({ length: 20 }, (_, i) => ({
      key: `https://a.test/${i}` as UrlKey,
      token: String(i),
      body: `redis:${i}`,
    }));
    const owed: Owed = {
      fetch: [
        { host: 'a.test', sid: '1' },
        { host: 'b.test', sid: '2' },
        { host: 'b.test#render', sid: '3' },
      ],
      process: pages,
      relink: [{ key: 'https://a.test/' as UrlKey, token: '99', depth: 1 }],
      discover: true,
      finalize: true,
    };
    await wakeups.pay(runId, owed);
    const data = async (name: string) => (await raw(name).getJobs(['waiting', 'prioritized'])).map((job) => job.data);
    expect(await data('fetch')).toHaveLength(2);
    expect(await data('render')).toEqual([{ runId, host: 'b.test#render', sid: '3' }]);
    expect(await data('discover')).toEqual([{ runId }]);
    expect(await data('finalize')).toEqual([{ runId }]);
    const sizes = (await data('process')).map((job) => ('pages' in job ? job.pages.length : 'relink'));
    expect(sizes.map(String).sort()).toEqual(['16', '4', 'relink']);
  });
});

describe('honouring what a gate says', () => {
  it('opens the lane that stands in line, not only its host', async () => {
    const runId = newRunId();
    const { wakeups, raw } = setUp({ open: () => true });
    await wakeups.honour('a.test', { ...nothing, wake: { runId: placeOf(runId, 'a.test#render'), stamp: 1 } });
    expect((await raw('render').getWaiting()).map((job) => job.data)).toEqual([
      { runId, host: 'a.test#render', sid: '1' },
    ]);
  });

  it('tries the next in line where the first has nothing to open, and stops at the first that has', async () => {
    const [idle, busy, never] = [newRunId(), newRunId(), newRunId()];
    const line: Place[] = [
      { runId: busy, stamp: 2 },
      { runId: never, stamp: 3 },
    ];
    const { wakeups, calls, raw } = setUp({
      open: (runId) => runId !== idle,
      leave: () => ({ ...nothing, wake: line.shift() ?? null }),
    });
    await wakeups.honour('a.test', { ...nothing, wake: { runId: idle, stamp: 1 } });
    expect(calls).toEqual([`open ${idle}`, `leave ${idle} 1`, `open ${busy}`]);
    expect((await raw('fetch').getJobs(['waiting'])).map((job) => job.data)).toEqual([
      { runId: busy, host: 'a.test', sid: '1' },
    ]);
  });

  it('adds one delayed wake per host and time, however often it is told', async () => {
    const { wakeups, raw } = setUp();
    for (let i = 0; i < 3; i++) await wakeups.honour('a.test', { wake: null, wakeInMs: 60_000, wakeAt: 123 });
    await wakeups.honour('a.test', { wake: null, wakeInMs: 60_000, wakeAt: 456 });
    expect(await raw('wake').getDelayedCount()).toBe(2);
  });
});
