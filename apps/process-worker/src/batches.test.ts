import { newRunId, type RunId, type UrlKey } from '@trawl/contracts';
import type { PageRef } from '@trawl/crawl-state';
import { expect, it } from 'vitest';
import { createBatches } from './batches.ts';

const pages = (n: number): PageRef[] =>
  Array.from({ length: n }, (_, i) => ({ key: `https://a.test/${i}` as UrlKey, token: '1', body: 'b' }));

/** Batches end when the test says so. */
function setUp(atOnce: number, mostPages: number) {
  const started: { runId: RunId; pages: number; end: (error?: Error) => void }[] = [];
  const batches = createBatches(
    (runId, refs) =>
      new Promise((resolve, reject) => {
        started.push({ runId, pages: refs.length, end: (error) => (error ? reject(error) : resolve()) });
      }),
    { atOnce, mostPages },
  );
  const sizes = () => started.map((batch) => batch.pages);
  const end = async (index: number, error?: Error) => {
    started[index]?.end(error);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { batches, sizes, end, started };
}

it('takes a job alone when idle, and those that waited meanwhile together', async () => {
  const { batches, sizes, end } = setUp(1, 16);
  const run = newRunId();
  const jobs = [1, 2, 3].map((n) => batches.process(run, pages(n)));
  expect(sizes()).toEqual([1]);
  await end(0);
  expect(sizes()).toEqual([1, 5]);
  await end(1);
  await Promise.all(jobs);
});

it('keeps batches within their size and runs apart, the longest waiting first', async () => {
  const { batches, sizes, end, started } = setUp(1, 8);
  const [one, other] = [newRunId(), newRunId()];
  const jobs = [
    batches.process(one, pages(1)),
    batches.process(one, pages(6)),
    batches.process(other, pages(5)),
    batches.process(one, pages(6)),
    batches.process(one, pages(2)),
  ];
  for (let i = 0; i < 4; i++) await end(i);
  await Promise.all(jobs);
  expect(sizes()).toEqual([1, 8, 5, 6]);
  expect(started.map((batch) => batch.runId === one)).toEqual([true, true, false, true]);
});

it('fails every job of a batch that fails, and goes on', async () => {
  const { batches, end } = setUp(1, 16);
  const run = newRunId();
  const first = batches.process(run, pages(1));
  const failing = [batches.process(run, pages(1)), batches.process(run, pages(1))];
  await end(0);
  await first;
  const outcomes = Promise.allSettled(failing);
  await end(1, new Error('Postgres is away'));
  expect((await outcomes).map((outcome) => outcome.status)).toEqual(['rejected', 'rejected']);
  const next = batches.process(run, pages(1));
  await end(2);
  await next;
});
