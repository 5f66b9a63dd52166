/** What a waiting URL costs in Redis: hundreds of thousands of them wait in a large run. */
import { completeRunConfig, createRunSchema, newRunId } from '@trawl/contracts';
import { startPrivateRedis } from '@trawl/testing';
import { compileRules } from '@trawl/url';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Link, MAX_LINKS_PER_CALL } from './admit.ts';
import { createCrawlState } from './crawl-state.ts';
import { limitsOf } from './limits.ts';
import { SETTINGS } from './test-run.ts';

const URLS = 200_000;
const MOST_BYTES = 100_000_000;
const START = 'http://docs.example.com/';
const SECTIONS = ['guides', 'reference', 'concepts', 'tutorials', 'releases', 'examples', 'packages', 'tasks'];

const server = await startPrivateRedis();
const redis = new Redis(server.url);
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});
beforeAll(async () => {
  await redis.flushall();
});

test.each([
  { what: 'waiting in the frontier', templateQuota: 1_000_000, deferred: 0 },
  { what: 'mostly deferred by the default quota', templateQuota: undefined, deferred: URLS - 5000 * SECTIONS.length },
])('200,000 URLs $what add less than 100 MB', { timeout: 60_000 }, async ({ what, templateQuota, deferred }) => {
  const input = { url: START, maxUrls: URLS, ...(templateQuota ? { guards: { templateQuota } } : {}) };
  const config = completeRunConfig(createRunSchema.parse(input), { userAgent: 'test' });
  const rules = compileRules(config);
  const state = createCrawlState(redis);
  const runId = newRunId();
  await state.create(runId, { limits: limitsOf(config), settings: SETTINGS });
  const before = await usedMemory();
  let length = 0;
  let jobs = 0;
  for (let from = 0; from < URLS; from += MAX_LINKS_PER_CALL) {
    const links: Link[] = [];
    for (let i = from; i < from + MAX_LINKS_PER_CALL; i++) {
      const section = SECTIONS[i % SECTIONS.length];
      const verdict = rules.check(`${START}${section}/topic-${i.toString(36)}-in-depth.html`, START);
      if (verdict.kind === 'refused') throw new Error(verdict.reason);
      length += verdict.link.url.length;
      links.push(verdict.link);
    }
    const admitted = await state.admit(runId, links);
    if (admitted.kind === 'admitted') jobs += admitted.owed.fetch.length;
  }
  const used = (await usedMemory()) - before;
  console.info(
    `${URLS} URLs of ${Math.round(length / URLS)} characters ${what}: ${(used / 1e6).toFixed(1)} MB, ${Math.round(used / URLS)} bytes each`,
  );
  expect(await state.progress(runId)).toMatchObject({ queued: URLS });
  expect(await state.why(runId)).toMatchObject({ deferred });
  expect(used).toBeLessThan(MOST_BYTES);
  // One session for the host, however many URLs wait there.
  expect(jobs).toBe(1);
});

async function usedMemory(): Promise<number> {
  return Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]);
}
