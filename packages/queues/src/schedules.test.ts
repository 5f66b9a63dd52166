import { newSourceId } from '@trawl/contracts';
import { createLogger } from '@trawl/runtime';
import { testPrefix, testRedis, waitFor } from '@trawl/testing';
import { Queue } from 'bullmq';
import { expect, it, onTestFinished, vi } from 'vitest';
import { consume } from './consume.ts';
import { openQueues, queuePrefix } from './queues.ts';

const redis = testRedis();
const logger = createLogger({ level: 'silent', role: 'test' });
const YEARLY = '0 0 1 1 *';
const EACH_SECOND = '* * * * * *';

function setUp() {
  const prefix = testPrefix();
  const queues = openQueues(redis, { prefix });
  onTestFinished(() => queues.close());
  const raw = new Queue('schedule', { connection: redis, prefix: queuePrefix(prefix) });
  onTestFinished(() => raw.close());
  return { prefix, schedules: queues.schedules, raw };
}

it('keep one job for the next time of each source, and none when it is removed', async () => {
  const { schedules, raw } = setUp();
  const [a, b] = [newSourceId(), newSourceId()];
  await schedules.set({ sourceId: a, pattern: YEARLY, timezone: 'UTC' });
  await schedules.set({ sourceId: b, pattern: YEARLY, timezone: 'Asia/Tokyo' });
  await schedules.set({ sourceId: a, pattern: '30 4 * * *', timezone: 'Europe/Berlin' });
  const known = await schedules.list();
  expect(known.get(a)).toEqual({
    id: `source-${a}`,
    pattern: '30 4 * * *',
    timezone: 'Europe/Berlin',
    isBroken: false,
  });
  expect(known.get(b)).toMatchObject({ pattern: YEARLY, timezone: 'Asia/Tokyo' });
  expect((await raw.getDelayed()).map((job) => job.data.sourceId).sort()).toEqual([a, b].sort());

  await schedules.remove(`source-${a}`);
  await schedules.remove(`source-${a}`);
  expect([...(await schedules.list()).keys()]).toEqual([b]);
  expect((await raw.getDelayed()).map((job) => job.data.sourceId)).toEqual([b]);
});

it('deliver a job at each time, each with an id of its own that names source and time', async () => {
  const { prefix, schedules } = setUp();
  const sourceId = newSourceId();
  const seen: { sourceId: string; id: string }[] = [];
  const consumer = consume('schedule', async (data, { id }) => void seen.push({ ...data, id }), {
    connection: redis,
    prefix,
    concurrency: 1,
    logger,
  });
  onTestFinished(() => consumer.close());
  await schedules.set({ sourceId, pattern: EACH_SECOND, timezone: 'UTC' });
  await waitFor(() => seen.length >= 3, { what: 'three ticks' });
  await schedules.remove(`source-${sourceId}`);
  expect(new Set(seen.map((tick) => tick.id)).size).toBe(seen.length);
  for (const tick of seen) {
    expect(tick.sourceId).toBe(sourceId);
    expect(tick.id).toMatch(new RegExp(`^repeat:source-${sourceId}:\\d+000$`));
  }
});

it('try a tick again whose consumer failed, under the same id', async () => {
  const { prefix, schedules } = setUp();
  const seen: string[] = [];
  const consumer = consume(
    'schedule',
    async (_, { id }) => {
      seen.push(id);
      if (seen.filter((known) => known === id).length === 1) throw new Error('Postgres is away');
    },
    { connection: redis, prefix, concurrency: 1, logger },
  );
  onTestFinished(() => consumer.close());
  const sourceId = newSourceId();
  await schedules.set({ sourceId, pattern: EACH_SECOND, timezone: 'UTC' });
  await waitFor(() => seen.length > 0, { what: 'a tick' });
  await schedules.remove(`source-${sourceId}`);
  await waitFor(() => seen.filter((id) => id === seen[0]).length === 2, { what: 'the same tick again' });
});

it('show one whose next job is lost as broken, and not one that waits for a consumer', async () => {
  const { schedules, raw } = setUp();
  const sourceId = newSourceId();
  await schedules.set({ sourceId, pattern: YEARLY, timezone: 'UTC' });
  const [job] = await raw.getDelayed();
  const later = new Date(Date.now() + 400 * 24 * 3600_000);
  vi.useFakeTimers({ now: later, toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  expect((await schedules.list()).get(sourceId)?.isBroken).toBe(false);
  await redis.zrem(raw.toKey('delayed'), job?.id ?? '');
  await redis.del(raw.toKey(job?.id ?? ''));
  expect((await schedules.list()).get(sourceId)?.isBroken).toBe(true);
});
