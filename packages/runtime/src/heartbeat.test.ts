import { testPrefix, testRedis, waitFor } from '@trawl/testing';
import { expect, it } from 'vitest';
import { anyBrowser, BROWSER, rolesSeen, startHeartbeat, watchBrowsers } from './heartbeat.ts';
import { createLogger } from './logger.ts';

const redis = testRedis();
const logger = createLogger({ level: 'silent', role: 'test' });

it('counts live workers by role, and forgets one that stopped', async () => {
  const prefix = testPrefix();
  expect(await rolesSeen(redis, prefix)).toEqual({
    api: 0,
    discover: 0,
    fetch: 0,
    render: 0,
    process: 0,
    coordinator: 0,
  });
  const beats = (['fetch', 'fetch', 'process'] as const).map((role) => startHeartbeat(redis, role, { prefix, logger }));
  await waitFor(async () => (await rolesSeen(redis, prefix)).fetch === 2, { what: 'two fetch workers' });
  expect(await rolesSeen(redis, prefix)).toMatchObject({ fetch: 2, process: 1, api: 0 });
  await Promise.all(beats.map((beat) => beat.stop()));
  expect(await rolesSeen(redis, prefix)).toMatchObject({ fetch: 0, process: 0 });
});

it('does not count a worker that was not heard of for ten seconds', async () => {
  const prefix = testPrefix();
  const [seconds = 0] = await redis.time();
  await redis.zadd(
    `${prefix}workers:seen`,
    (Number(seconds) - 11) * 1000,
    'fetch:1:dead',
    (Number(seconds) - 5) * 1000,
    'fetch:2:alive',
  );
  expect((await rolesSeen(redis, prefix)).fetch).toBe(1);
});

it('knows of a browser only from a worker that says it has one, and forgets it when that stops', async () => {
  const prefix = testPrefix();
  const role = startHeartbeat(redis, 'render', { prefix, logger });
  await waitFor(async () => (await rolesSeen(redis, prefix)).render === 1, { what: 'the render worker' });
  expect(await anyBrowser(redis, prefix)).toBe(false);
  const browser = startHeartbeat(redis, BROWSER, { prefix, logger });
  await waitFor(() => anyBrowser(redis, prefix), { what: 'its browser' });
  expect(await watchBrowsers(redis, prefix)()).toBe(true);
  expect((await rolesSeen(redis, prefix)).render).toBe(1);
  await browser.stop();
  expect(await anyBrowser(redis, prefix)).toBe(false);
  await role.stop();
});
