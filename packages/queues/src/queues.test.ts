import { newRunId, type UrlKey } from '@trawl/contracts';
import { createLogger } from '@trawl/runtime';
import { testPrefix, testRedis, waitFor } from '@trawl/testing';
import { Queue } from 'bullmq';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { JobData, JobName } from './catalog.ts';
import { consume } from './consume.ts';
import { openQueues, queuePrefix } from './queues.ts';

const redis = testRedis();
const logger = createLogger({ level: 'silent', role: 'test' });

function setUp() {
  const prefix = testPrefix();
  const queues = openQueues(redis, { prefix });
  onTestFinished(() => queues.close());
  return { prefix, queues };
}

function received<N extends JobName>(name: N, prefix: string): JobData<N>[] {
  const seen: JobData<N>[] = [];
  const consumer = consume(name, async (data) => void seen.push(data), {
    connection: redis,
    prefix,
    concurrency: 1,
    logger,
  });
  onTestFinished(() => consumer.close());
  return seen;
}

describe('queues', () => {
  it('hand each job to a worker, in order, and leave nothing behind', async () => {
    const { prefix, queues } = setUp();
    const jobs = [newRunId(), newRunId(), newRunId()].map((runId) => ({ runId, host: 'example.com', sid: '7' }));
    await queues.addMany('fetch', jobs);
    expect(await queues.waiting('fetch')).toBe(3);
    const seen = received('fetch', prefix);
    await waitFor(() => seen.length === 3, { what: 'three jobs' });
    expect(seen).toEqual(jobs);
    const raw = new Queue('fetch', { connection: redis, prefix: queuePrefix(prefix) });
    onTestFinished(() => raw.close());
    await waitFor(async () => Object.values(await raw.getJobCounts()).every((n) => n === 0), {
      what: 'an empty queue',
    });
  });

  it('never show a handler a payload that is not what it should be', async () => {
    const { prefix } = setUp();
    const raw = new Queue('process', { connection: redis, prefix: queuePrefix(prefix) });
    onTestFinished(() => raw.close());
    const runId = newRunId();
    const good = { runId, pages: [{ key: 'https://a.test/' as UrlKey, token: '1', body: 'redis:1' }] };
    for (const bad of [
      {},
      { runId: 'x', pages: [] },
      { ...good, extra: 1 },
      { runId, relink: { key: 'k', token: 'no', depth: 1 } },
    ]) {
      await raw.add('process', bad);
    }
    await raw.add('process', good);
    const seen = received('process', prefix);
    await waitFor(() => seen.length > 0, { what: 'the good job' });
    expect(seen).toEqual([good]);
    expect(await raw.getFailedCount()).toBe(4);
  });

  it('keep one delayed job per id, also for an IPv6 host, and deliver it when its time has come', async () => {
    const { prefix, queues } = setUp();
    const seen = received('wake', prefix);
    const addedAt = performance.now();
    for (let i = 0; i < 3; i++) await queues.addDelayed('wake', { host: '[::1]' }, 150, '[::1]@12345');
    await waitFor(() => seen.length > 0, { what: 'the wake' });
    expect(performance.now() - addedAt).toBeGreaterThanOrEqual(150);
    // Without the id, or with another, it is another job.
    await queues.addDelayed('wake', { host: '[::1]' }, 1, '[::1]@12346');
    await waitFor(() => seen.length > 1, { what: 'the second wake' });
    expect(seen).toHaveLength(2);
  });
});
