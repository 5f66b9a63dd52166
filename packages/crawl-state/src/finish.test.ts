import { newRunId, type PageOutcome } from '@trawl/contracts';
import { expect, test } from 'vitest';
import type { FinishedUrl } from './finish.ts';
import {
  at,
  beginOn,
  claim,
  collect,
  ended,
  failureOf,
  keyOf,
  link,
  ok,
  processed,
  stepOf,
  type TestRun,
  testCrawl,
} from './test-run.ts';

const { context, state, start } = testCrawl();

async function finished(run: TestRun, outcome: PageOutcome): Promise<FinishedUrl[]> {
  return (await collect(state.finishedUrls(run.runId, outcome))).flat();
}

test('finish makes a finalizing run final, and lets every key go within the hour', async () => {
  const run = await start(['a/1']);
  await state.finish(run.runId);
  expect((await run.view()).status).toBe('running');
  await state.cancel(run.runId);
  await state.finish(run.runId);
  await state.finish(run.runId);
  expect((await run.view()).status).toBe('cancelled');
  const keys = await context.redis.keys(`${context.prefix}crawl:{${run.runId}}:*`);
  for (const key of keys) {
    const ttl = await context.redis.pttl(key);
    expect(ttl, key).toBeGreaterThan(0);
    expect(ttl, key).toBeLessThanOrEqual(3600_000);
  }
  const nobody = newRunId();
  await state.finish(nobody);
  expect(await state.progress(nobody)).toBeNull();
});

test('finished URLs come with how they were found, why they ended, and where they led', async () => {
  const run = await start(['a/1', 'a/2', 'a/3']);
  const session = await beginOn(run, 'a');
  const claims = await claim(run, session);
  const moved = at(claims, 1);
  const target = link('a/4', { url: 'http://a.test/4' });
  const { owed } = await stepOf(run, session, [
    ok(at(claims, 0)),
    { key: moved.key, token: moved.token, kind: 'redirect', target, failure: failureOf('REDIRECTED') },
    ended(at(claims, 2), 'fail', 'HTTP_404'),
  ]);
  await state.settle(run.runId, [processed(at(owed.process), ['a/5'])]);
  const rest = await claim(run, session);
  await stepOf(
    run,
    session,
    rest.map((c) => ended(c, 'skip', 'UNSUPPORTED_TYPE')),
  );
  expect(await finished(run, 'processed')).toMatchObject([
    { key: keyOf('a/1'), depth: 0, parentUrl: null, failure: null },
  ]);
  expect(await finished(run, 'failed')).toMatchObject([
    { key: keyOf('a/3'), failure: { error: { code: 'HTTP_404' } } },
  ]);
  const skipped = new Map((await finished(run, 'skipped')).map((url) => [url.key, url]));
  expect(skipped.get(keyOf('a/2'))).toMatchObject({ target: 'http://a.test/4', failure: failureOf('REDIRECTED') });
  expect(skipped.get(keyOf('a/4'))).toMatchObject({ url: 'http://a.test/4', depth: 0, target: null });
  expect(skipped.get(keyOf('a/5'))).toMatchObject({ depth: 1, parentUrl: keyOf('a/1') });
});

test('remove leaves nothing of a run, and everything of the others', async () => {
  const run = await start(['a/1', 'b/1']);
  const other = await start(['a/1']);
  const session = await beginOn(run, 'a');
  await stepOf(run, session, (await claim(run, session)).map(ok));
  await state.remove(run.runId);
  expect(await context.redis.keys(`${context.prefix}*${run.runId}*`)).toEqual([]);
  expect(await state.activeRuns()).not.toContain(run.runId);
  expect((await other.view()).queued).toEqual([keyOf('a/1')]);
});
