/** Many clients, each with a connection of its own, on one run at the same time. */
import { newRunId } from '@trawl/contracts';
import { testRedis } from '@trawl/testing';
import { expect, test } from 'vitest';
import { type CrawlState, createCrawlState } from './crawl-state.ts';
import { randomOf } from './model/raw-calls.ts';
import { readRun, violationOf } from './model/run-view.ts';
import type { Owed } from './owed.ts';
import type { StepResult } from './step.ts';
import {
  at,
  beginOn,
  ended,
  failureOf,
  fetchOn,
  LIMITS,
  link,
  ok,
  processed,
  SETTINGS,
  testCrawl,
} from './test-run.ts';

const { context, state, start } = testCrawl();
const clients: readonly CrawlState[] = Array.from({ length: 16 }, () =>
  createCrawlState(testRedis(), { prefix: context.prefix }),
);

test('16 clients admit 50,000 overlapping links: exactly maxUrls come in, none twice, all others are counted once', async () => {
  const run = await start([], { maxUrls: 1000 });
  const random = randomOf(7);
  const sent = new Set<number>();
  const batches = Array.from({ length: 200 }, () => Array.from({ length: 250 }, () => Math.floor(random() * 5000)));
  for (const batch of batches) for (const n of batch) sent.add(n);
  const owed: string[] = [];
  await Promise.all(
    clients.map(async (client) => {
      for (let batch = batches.pop(); batch; batch = batches.pop()) {
        const admitted = await client.admit(
          run.runId,
          batch.map((n) => link(`h${n % 7}/${n}`)),
        );
        if (admitted.kind === 'admitted') owed.push(...admitted.owed.fetch.map((f) => f.host));
      }
    }),
  );
  const view = await run.view();
  expect(view.queued).toHaveLength(1000);
  expect(view.beyond).toHaveLength(sent.size - 1000);
  expect(await state.progress(run.runId)).toMatchObject({ queued: 1000, beyond: sent.size - 1000 });
  // One session per host, however many clients found work there.
  expect(owed.sort()).toEqual(Array.from({ length: 7 }, (_, i) => `h${i}.test`));
});

test('with maxPages 137 exactly 137 of 400 flaky pages are processed, and never more at any moment', async () => {
  const hosts = 8;
  const names = Array.from({ length: 400 }, (_, i) => `h${i % hosts}/${i}`);
  const limits = { maxPages: 137, maxRetries: 1, high: 20, low: 10 };
  const run = await start(names.slice(0, 40), limits);
  const { runId } = run;
  const random = randomOf(11);
  const jobs: ((client: CrawlState) => Promise<void>)[] = [];
  let finalized = 0;
  const pay = (owed: Owed) => {
    if (owed.finalize) finalized++;
    for (const { host, sid } of owed.fetch) jobs.push((client) => session(client, host, sid));
    for (const page of owed.process)
      jobs.push(async (client) => {
        const links = Array.from({ length: 12 }, () => at(names, Math.floor(random() * names.length)));
        const kind = random();
        const { key, token } = page;
        const settled = await client.settle(runId, [
          kind < 0.1 ? { key, token, kind: 'failed', failure: failureOf('PROCESS_FAILED') } : processed(page, links, 9),
        ]);
        if (settled.kind === 'settled') pay(settled.owed);
      });
    for (const { key, token, depth } of owed.relink)
      jobs.push(async (client) => {
        for await (const more of client.relinked(runId, { key, token, depth, url: key, links: [] })) pay(more);
      });
  };
  const session = async (client: CrawlState, host: string, sid: string) => {
    const ref = { runId, host, sid, exec: `exec${host}${sid}` };
    if ((await client.begin(ref)).kind === 'gone') return;
    let results: StepResult[] = [];
    for (;;) {
      const reply = await client.step(ref, results, 4);
      if (reply.kind === 'over') return;
      pay(reply.owed);
      if (reply.claims.length === 0) break;
      results = reply.claims.map((c) => {
        if (random() < 0.7) return ok(c);
        const { key, token } = c;
        if (random() < 0.5) return ended(c, 'fail', 'HTTP_404');
        return { key, token, kind: 'retry', afterMs: 0, failure: failureOf('HTTP_503') };
      });
    }
    const { owed, laterMs } = await client.close(ref);
    pay(owed);
    if (laterMs !== null) jobs.push(async (other) => pay((await other.open(runId, host)).owed));
  };
  pay(run.owed);
  let isRunning = true;
  const watch = async () => {
    let checks = 0;
    for (; isRunning; checks++) {
      const violation = violationOf(await readRun(context, runId), { ...LIMITS, ...limits });
      if (violation) throw new Error(violation);
    }
    return checks;
  };
  const work = async () => {
    let busy = 0;
    await Promise.all(
      clients.map(async (client) => {
        for (;;) {
          const job = jobs.shift();
          if (!job && busy === 0) return;
          if (!job) {
            // Who is busy may still add jobs: look again after a round trip.
            await client.progress(runId);
            continue;
          }
          busy++;
          await job(client);
          busy--;
        }
      }),
    );
    isRunning = false;
  };
  const [checks] = await Promise.all([watch(), work()]);
  expect(checks).toBeGreaterThan(5);
  expect(finalized).toBe(1);
  expect(await state.progress(runId)).toMatchObject({ processed: 137, queued: 0, fetched: 0, status: 'finalizing' });
});

test('the end is found exactly once in 200 runs whose last pages settle, fail and heal at the same time', async () => {
  const endOne = async (i: number): Promise<number> => {
    const run = await start(['a/1', 'a/2', 'a/3', 'a/4']);
    const pages = await fetchOn(run, await beginOn(run, 'a'));
    let flips = 0;
    const count = (owed: Owed | null) => {
      if (owed?.finalize) flips++;
    };
    const client = (n: number) => at(clients, (i + n) % clients.length);
    await Promise.all([
      ...pages.map(async (page, n) => {
        const settled = await client(n).settle(run.runId, [processed(page)]);
        count(settled.kind === 'settled' ? settled.owed : null);
      }),
      client(4).discovered(run.runId).then(count),
      client(5)
        .heal(run.runId)
        .then((healed) => count(healed.kind === 'healed' ? healed.owed : null)),
      client(6)
        .open(run.runId, 'a.test')
        .then(({ owed }) => count(owed)),
    ]);
    expect(await run.view()).toMatchObject({ status: 'finalizing', final: 'completed' });
    return flips;
  };
  const flips: number[] = [];
  for (let i = 0; i < 200; i += 20)
    flips.push(...(await Promise.all(Array.from({ length: 20 }, (_, n) => endOne(i + n)))));
  expect(flips).toEqual(Array.from({ length: 200 }, () => 1));
});

test('50 clients that create the same run at once owe one discovery', async () => {
  const runId = newRunId();
  const created = await Promise.all(
    Array.from({ length: 50 }, (_, i) => at(clients, i % 16).create(runId, { limits: LIMITS, settings: SETTINGS })),
  );
  expect(created.filter((c) => c.created && c.owed.discover)).toHaveLength(1);
});
