import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CrawlOutcome, crawlTaskSchema } from '@trawl/contracts';
import { createLogger } from '@trawl/runtime';
import { testPrefix, testRedis, testRedisUrl, waitFor } from '@trawl/testing';
import { Queue } from 'bullmq';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Crawls, consumeCrawls, openCrawls } from './crawls.ts';
import { queuePrefix } from './queues.ts';

const redis = testRedis();
/** Takes longer to say what time it is than one look is from the next. */
const slow = testRedis();
const time = slow.time.bind(slow);
slow.time = async () => {
  await sleep(3000);
  return time();
};
const logger = createLogger({ level: 'silent', role: 'test' });

const asked = (path: string, patienceMs = 60_000) => ({
  request: crawlTaskSchema.parse({ url: `https://example.com/${path}` }),
  access: null,
  userAgent: 'test',
  patienceMs,
});
const nothing = (code: string): CrawlOutcome => ({ kind: 'failed', code, message: code, httpStatus: null });

async function open(prefix: string, mostAtWork = 3): Promise<Crawls> {
  const crawls = await openCrawls(redis, { prefix, mostAtWork });
  onTestFinished(() => crawls.close());
  return crawls;
}

/** A worker whose crawls end when the test says so; it notes who is at work. */
function work(prefix: string, givesWay?: () => Promise<boolean>) {
  const atWork = new Map<string, () => void>();
  const seen: string[] = [];
  const stopped: string[] = [];
  let most = 0;
  let isOver = false;
  const consumer = consumeCrawls(
    async ({ request }, signal) => {
      // Its slot was told of before it was handed out, and the test is done.
      if (isOver) return nothing('over');
      const { promise, resolve } = Promise.withResolvers<void>();
      const path = new URL(request.url).pathname.slice(1);
      seen.push(path);
      atWork.set(path, resolve);
      most = Math.max(most, atWork.size);
      const onAbort = (): void => {
        stopped.push(path);
        resolve();
      };
      signal.addEventListener('abort', onAbort);
      await promise;
      atWork.delete(path);
      signal.throwIfAborted();
      return nothing(path);
    },
    { connection: redis, prefix, concurrency: 50, logger, ...(givesWay && { givesWay }) },
  );
  const close = async (): Promise<void> => {
    isOver = true;
    for (const end of atWork.values()) end();
    await consumer.close();
  };
  onTestFinished(close);
  return { atWork, seen, stopped, most: () => most, close };
}

const activeCount = async (prefix: string): Promise<number> => {
  const queue = new Queue('crawl', { connection: redis, prefix: queuePrefix(prefix) });
  try {
    return await queue.getActiveCount();
  } finally {
    await queue.close();
  }
};

describe('crawls that somebody waits for', () => {
  it('are never more at work than the limit, over two that ask and two that work, and all are answered', async () => {
    const prefix = testPrefix();
    const [first, second] = await Promise.all([open(prefix), open(prefix)]);
    const workers = [work(prefix), work(prefix)];
    const all = await Promise.all(Array.from({ length: 20 }, (_, i) => (i % 2 ? first : second).ask(asked(String(i)))));
    const atWork = () => workers.flatMap((worker) => [...worker.atWork]);
    let most = 0;
    const outcomes = Promise.all(all.map(({ outcome }) => outcome));
    let isDone = false;
    void outcomes.finally(() => {
      isDone = true;
    });
    while (!isDone) {
      const now = atWork();
      most = Math.max(most, now.length);
      now[0]?.[1]();
      await sleep(5);
    }
    expect(most).toBe(3);
    expect((await outcomes).map((outcome) => outcome.kind === 'failed' && outcome.code).sort()).toEqual(
      Array.from({ length: 20 }, (_, i) => String(i)).sort(),
    );
  });

  it('have left their slot when their end is told, whether it is good or bad', async () => {
    const prefix = testPrefix();
    const crawls = await open(prefix, 1);
    const { atWork } = work(prefix);
    for (const path of ['a', 'b', 'c']) {
      const crawl = await crawls.ask(asked(path));
      await crawl.started;
      await waitFor(() => atWork.has(path), { what: 'it is at work' });
      atWork.get(path)?.();
      await crawl.outcome;
      expect(await activeCount(prefix)).toBe(0);
    }
  });

  it('that are withdrawn while they wait are never at work, and their place is the next one’s', async () => {
    const prefix = testPrefix();
    const crawls = await open(prefix, 1);
    const { atWork } = work(prefix);
    const first = await crawls.ask(asked('first'));
    await first.started;
    const gone = await crawls.ask(asked('gone'));
    const next = await crawls.ask(asked('next'));
    expect(await gone.withdraw()).toBe(true);
    await waitFor(() => atWork.has('first'), { what: 'the first' });
    atWork.get('first')?.();
    await next.started;
    await waitFor(() => atWork.has('next'), { what: 'the next' });
    expect(atWork.has('gone')).toBe(false);
  });

  it('that are withdrawn at work are stopped, and their slot is free', async () => {
    const prefix = testPrefix();
    const crawls = await open(prefix, 1);
    const { atWork, stopped } = work(prefix);
    const first = await crawls.ask(asked('first'));
    await first.started;
    await waitFor(() => atWork.has('first'), { what: 'the first' });
    const next = await crawls.ask(asked('next'));
    expect(await first.withdraw()).toBe(false);
    await next.started;
    expect(stopped).toEqual(['first']);
    await expect(first.outcome).rejects.toThrow();
  });

  it('that leave the line too late go on', async () => {
    const prefix = testPrefix();
    const crawls = await open(prefix, 1);
    const { atWork, stopped } = work(prefix);
    const first = await crawls.ask(asked('first'));
    await waitFor(() => atWork.has('first'), { what: 'the first' });
    expect(await first.leave()).toBe(false);
    const second = await crawls.ask(asked('second'));
    expect(await second.leave()).toBe(true);
    atWork.get('first')?.();
    expect(await first.outcome).toMatchObject({ code: 'first' });
    expect(stopped).toEqual([]);
  });

  it('that are withdrawn at any moment were either never at work, or come to an end', async () => {
    const prefix = testPrefix();
    const crawls = await open(prefix, 2);
    const begun = new Set<string>();
    const consumer = consumeCrawls(
      async ({ request }, signal) => {
        const path = new URL(request.url).pathname.slice(1);
        begun.add(path);
        await sleep(path.length);
        signal.throwIfAborted();
        return nothing(path);
      },
      { connection: redis, prefix, concurrency: 50, logger },
    );
    onTestFinished(() => consumer.close());
    await (await crawls.ask(asked('warm'))).outcome;
    begun.clear();
    const tries = Array.from({ length: 300 }, async (_, i) => {
      const crawl = await crawls.ask(asked(String(i)));
      await sleep((i % 40) * 15);
      return { path: String(i), isOut: await crawl.withdraw(), crawl };
    });
    const done = await Promise.all(tries);
    const ends = await Promise.all(
      done.filter(({ isOut }) => !isOut).map(({ crawl }) => crawl.outcome.catch((error: unknown) => error)),
    );
    expect(ends).toHaveLength(done.filter(({ path }) => begun.has(path)).length);
    expect(done.filter(({ path, isOut }) => isOut && begun.has(path))).toEqual([]);
    // Both of them came up, or nothing was tried.
    expect(ends.length).toBeGreaterThan(0);
    expect(ends.length).toBeLessThan(300);
  });

  it('that nobody can be waiting for any more are not begun', async () => {
    const prefix = testPrefix();
    const crawls = await open(prefix);
    const crawl = await crawls.ask(asked('late', 1));
    await sleep(20);
    const { atWork } = work(prefix);
    await expect(crawl.outcome).rejects.toThrow('nobody waits');
    expect(atWork.size).toBe(0);
  });

  it('are dropped, begun or not, when the process that asked is killed', async () => {
    const prefix = testPrefix();
    const asker = fork(new URL('./crawls.fixture.ts', import.meta.url), [testRedisUrl(), prefix], { execArgv: [] });
    onTestFinished(() => void asker.kill('SIGKILL'));
    const worker = work(prefix);
    await once(asker, 'message');
    await waitFor(() => worker.atWork.size === 1, { what: 'the first to be at work' });
    asker.kill('SIGKILL');
    const crawls = await open(prefix, 1);
    const next = await crawls.ask(asked('next'));
    await waitFor(() => worker.atWork.has('next'), { timeoutMs: 30_000, what: 'its slot' });
    worker.atWork.get('next')?.();
    expect(await next.outcome).toMatchObject({ code: 'next' });
    expect(worker.stopped).toEqual(['first']);
    expect(worker.seen).toEqual(['first', 'next']);
  }, 45_000);

  it('that are put in line slowly are not taken for lost meanwhile', async () => {
    const prefix = testPrefix();
    const { atWork } = work(prefix);
    const crawls = await openCrawls(slow, { prefix, mostAtWork: 1 });
    onTestFinished(() => crawls.close());
    const crawl = await crawls.ask(asked('slow'));
    await waitFor(() => atWork.has('slow'), { what: 'it to be at work' });
    atWork.get('slow')?.();
    expect(await crawl.outcome).toMatchObject({ code: 'slow' });
  });

  it('go to no worker that gives way to better ones, until there are none', async () => {
    const prefix = testPrefix();
    const crawls = await open(prefix);
    let others = true;
    let looks = 0;
    const lesser = work(prefix, async () => {
      looks += 1;
      return others;
    });
    await waitFor(() => looks > 0, { what: 'it to look' });
    const better = work(prefix);
    const first = await Promise.all(['a', 'b', 'c'].map((path) => crawls.ask(asked(path))));
    await waitFor(() => better.atWork.size === 3, { what: 'the better one to have all' });
    for (const end of better.atWork.values()) end();
    await Promise.all(first.map(({ outcome }) => outcome));
    expect(lesser.most()).toBe(0);
    await better.close();
    others = false;
    const last = await crawls.ask(asked('last'));
    await waitFor(() => lesser.atWork.has('last'), { what: 'the other one to have it' });
    lesser.atWork.get('last')?.();
    expect(await last.outcome).toMatchObject({ code: 'last' });
    others = true;
    const paused = looks;
    await waitFor(() => looks > paused + 1, { what: 'it to look again' });
    const waiting = await crawls.ask(asked('waiting'));
    const third = work(prefix);
    await waitFor(() => third.atWork.has('waiting'), { what: 'the better one to have it' });
    third.atWork.get('waiting')?.();
    await waiting.outcome;
    expect(lesser.most()).toBe(1);
  });

  it('end for those who wait when the process that asked stops', async () => {
    const crawls = await openCrawls(redis, { prefix: testPrefix(), mostAtWork: 1 });
    const crawl = await crawls.ask(asked('a'));
    const ended = expect(crawl.outcome).rejects.toThrow('stops');
    await crawls.close();
    await ended;
  });
});
