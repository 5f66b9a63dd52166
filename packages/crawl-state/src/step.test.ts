import { waitFor } from '@trawl/testing';
import { describe, expect, test } from 'vitest';
import { bodyKey } from './keys.ts';
import { withoutDeadlines } from './model/run-view.ts';
import type { Claim, StepResult } from './step.ts';
import {
  at,
  beginOn,
  claim,
  ended,
  failureOf,
  fetchOn,
  INFO,
  keyOf,
  link,
  ok,
  processed,
  stepOf,
  type TestRun,
  testCrawl,
} from './test-run.ts';

const { context, state, start } = testCrawl();

/** The one URL of a run, in a worker's hands; `b` keeps the run open. */
async function oneClaimed(limits = {}) {
  const run = await start(['a/1', 'b/open'], limits);
  const session = await beginOn(run, 'a');
  return { run, session, held: at(await claim(run, session)) };
}

/** Answers the one URL of `a` so many times, waiting for each retry. */
async function answer(
  run: TestRun,
  session: Awaited<ReturnType<typeof beginOn>>,
  times: number,
  kind: 'retry' | 'moved',
) {
  for (let i = 0; i < times; i++) {
    const { key, token } = await waitFor(async () => (await stepOf(run, session, [], 1)).claims[0]);
    const to = link('a/1', { url: i % 2 ? 'https://a.test/1' : 'http://a.test/1' });
    const failure = failureOf('HTTP_503');
    await stepOf(run, session, [
      kind === 'retry' ? { key, token, kind, afterMs: 1, failure } : { key, token, kind, to },
    ]);
  }
}

describe('claims', () => {
  test('are at most what was wanted, and never the same twice', async () => {
    const run = await start(['a/1', 'a/2', 'a/3']);
    const session = await beginOn(run, 'a');
    const claims = [...(await claim(run, session, 2)), ...(await claim(run, session, 2))];
    expect(new Set(claims.map((c) => c.key)).size).toBe(3);
    expect(new Set(claims.map((c) => c.token)).size).toBe(3);
    expect(await stepOf(run, session, [], 2)).toMatchObject({ claims: [], whyNone: 'dry' });
  });

  test('stop while the run is paused, though answers are taken', async () => {
    const { run, session, held } = await oneClaimed();
    await state.pause(run.runId);
    const reply = await stepOf(run, session, [ok(held)], 1);
    expect(reply).toMatchObject({ claims: [], whyNone: 'paused' });
    expect(reply.owed.process).toHaveLength(1);
  });

  test('stop at the high mark of unprocessed pages and go on at the low one', async () => {
    const run = await start(['a/1', 'a/2', 'a/3', 'a/4'], { high: 2, low: 1 });
    const session = await beginOn(run, 'a');
    const pages = await fetchOn(run, session, 2);
    expect(await stepOf(run, session, [], 5)).toMatchObject({ claims: [], whyNone: 'held' });
    expect((await state.close(session)).owed.fetch).toEqual([]);
    const settled = await state.settle(run.runId, [processed(at(pages))]);
    expect(settled).toMatchObject({ kind: 'settled', owed: { fetch: [{ host: 'a.test' }] } });
  });

  test('are refused to who does not hold the session', async () => {
    const run = await start(['a/1']);
    const session = await beginOn(run, 'a');
    const before = await run.view();
    expect(await stepOf(run, { ...session, exec: 'other' }, [], 5)).toMatchObject({ claims: [], whyNone: 'lost' });
    expect(await run.view()).toEqual(before);
  });

  test('and answers are over when the run is', async () => {
    const { run, session, held } = await oneClaimed();
    await state.cancel(run.runId);
    const before = await run.view();
    expect(await state.step(session, [ok(held)], 1)).toEqual({ kind: 'over' });
    expect(await run.view()).toEqual(before);
  });
});

describe('an answer', () => {
  const failure = failureOf('HTTP_404');
  const answers: Record<string, (url: Pick<Claim, 'key' | 'token'>) => StepResult> = {
    ok: (url) => ({ ...url, kind: 'ok', body: { ref: 'blob:1' }, info: INFO }),
    retry: (url) => ({ ...url, kind: 'retry', afterMs: 60_000, failure }),
    fail: (url) => ({ ...url, kind: 'fail', failure }),
    skip: (url) => ({ ...url, kind: 'skip', failure }),
    redirect: (url) => ({ ...url, kind: 'redirect', target: link('a/2'), failure: failureOf('REDIRECTED') }),
    moved: (url) => ({ ...url, kind: 'moved', to: link('a/1', { url: 'http://a.test/1' }) }),
    unused: (url) => ({ ...url, kind: 'unused' }),
  };

  test.each(Object.entries(answers))('%s changes nothing with a wrong token, nor when repeated', async (_, make) => {
    const { run, session, held } = await oneClaimed();
    const before = withoutDeadlines(await run.view());
    await stepOf(run, session, [make({ key: held.key, token: '999' })]);
    expect(withoutDeadlines(await run.view())).toEqual(before);
    const right = make({ key: held.key, token: held.token });
    await stepOf(run, session, [right]);
    const after = withoutDeadlines(await run.view());
    expect(after).not.toEqual(before);
    expect((await stepOf(run, session, [right])).owed).toMatchObject({ process: [], fetch: [] });
    expect(withoutDeadlines(await run.view())).toEqual(after);
  });

  test('ok makes the URL fetched, with its body beside it, and owes its processing', async () => {
    const { run, session, held } = await oneClaimed();
    const { owed } = await stepOf(run, session, [ok(held)]);
    expect(owed.process).toEqual([{ key: held.key, token: held.token, body: `redis:${held.token}` }]);
    expect(await context.redis.get(bodyKey(context.prefix, run.runId, held.token))).toBe('body');
    expect((await run.view()).fetched).toEqual([keyOf('a/1')]);
  });

  test('fail and skip are kept with their reason', async () => {
    const run = await start(['a/1', 'a/2', 'b/open']);
    const session = await beginOn(run, 'a');
    const claims = await claim(run, session);
    await stepOf(run, session, [ended(at(claims, 0), 'fail', 'HTTP_404'), ended(at(claims, 1), 'skip', 'NOT_HTML')]);
    const view = await run.view();
    expect(view).toMatchObject({ failed: [keyOf('a/1')], skipped: [keyOf('a/2')] });
    expect(view.errors).toEqual({ [keyOf('a/1')]: 'HTTP_404', [keyOf('a/2')]: 'NOT_HTML' });
  });

  test.each([
    [3, 3],
    [1, 1],
    [0, 1],
  ])('retry with maxRetries %i is failed once, at attempt %i', async (maxRetries, attempts) => {
    const run = await start(['a/1', 'b/open'], { maxRetries });
    const session = await beginOn(run, 'a');
    if (attempts > 1) await answer(run, session, attempts - 1, 'retry');
    expect((await run.view()).failed).toEqual([]);
    await answer(run, session, 1, 'retry');
    expect((await run.view()).failed).toEqual([keyOf('a/1')]);
  });

  test('later waits for its time and counts no attempt', async () => {
    const run = await start(['a/1', 'b/open'], { maxRetries: 1 });
    const session = await beginOn(run, 'a');
    const { key, token } = at(await claim(run, session));
    await stepOf(run, session, [{ key, token, kind: 'later', afterMs: 60 }]);
    expect((await stepOf(run, session, [], 5)).claims).toEqual([]);
    expect((await run.view()).delayed).toMatchObject({ 'a.test': { [keyOf('a/1')]: expect.anything() } });
    const again = await waitFor(async () => (await stepOf(run, session, [], 5)).claims[0]);
    expect(again).toMatchObject({ key: keyOf('a/1'), attempts: 0 });
  });

  test('moved is asked for again at the other spelling, ten times at most', async () => {
    const run = await start(['a/1', 'b/open']);
    const session = await beginOn(run, 'a');
    await answer(run, session, 1, 'moved');
    expect(at(await claim(run, session))).toMatchObject({ key: keyOf('a/1'), url: 'http://a.test/1', attempts: 0 });
    await state.close(session);
    const other = await start(['a/1', 'b/open']);
    const long = await beginOn(other, 'a');
    await answer(other, long, 10, 'moved');
    expect((await other.view()).failed).toEqual([]);
    await answer(other, long, 1, 'moved');
    expect((await other.view()).errors).toEqual({ [keyOf('a/1')]: 'REDIRECT_LOOP' });
  });

  test('unused of a session that is gone gets a new one at once', async () => {
    const { run, session, held } = await oneClaimed();
    await state.close(session);
    const { whyNone, owed } = await stepOf(run, session, [{ key: held.key, token: held.token, kind: 'unused' }]);
    expect(whyNone).toBe('lost');
    expect(owed.fetch).toMatchObject([{ host: 'a.test' }]);
  });
});
