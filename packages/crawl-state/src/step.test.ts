import { waitFor } from '@trawl/testing';
import { describe, expect, test } from 'vitest';
import { bodyKey } from './keys.ts';
import { withoutDeadlines } from './model/run-view.ts';
import { type Claim, type PageAge, type StepResult, UNCHANGED_BODY } from './step.ts';
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
  owedBy,
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
    later: (url) => ({ ...url, kind: 'later', afterMs: 60_000 }),
    aged: (url) => ({ ...url, kind: 'aged', age: 'fresh' }),
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
    await stepOf(run, session, [
      ended(at(claims, 0), 'fail', 'HTTP_404'),
      ended(at(claims, 1), 'skip', 'UNSUPPORTED_TYPE'),
    ]);
    const view = await run.view();
    expect(view).toMatchObject({ failed: [keyOf('a/1')], skipped: [keyOf('a/2')] });
    expect(view.errors).toEqual({ [keyOf('a/1')]: 'HTTP_404', [keyOf('a/2')]: 'UNSUPPORTED_TYPE' });
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

describe('the age of a page', () => {
  const aged = ({ key, token }: Claim, age: PageAge): StepResult => ({ key, token, kind: 'aged', age });
  const names = (claims: readonly Claim[]) => claims.map((c) => c.key.replace('https://a.test/', ''));

  test('comes with its next claim, which is no further attempt', async () => {
    const run = await start(['a/1', 'b/open'], { maxRetries: 1 });
    const session = await beginOn(run, 'a');
    for (const age of ['stale', 'fresh', 'stale', 'stale', 'fresh'] as const) {
      const held = at(await claim(run, session));
      const { claims } = await stepOf(run, session, [aged(held, age)], 1);
      expect(claims).toMatchObject([{ key: held.key, url: held.url, depth: 0, attempts: 0, age }]);
      expect(at(claims).token).not.toBe(held.token);
      await stepOf(run, session, [{ key: held.key, token: at(claims).token, kind: 'unused' }]);
    }
    expect(await run.view()).toMatchObject({ queued: [keyOf('a/1'), keyOf('b/open')], failed: [] });
  });

  test('puts what is new first, stale pages behind it and fresh ones last, each as deep as they are', async () => {
    const run = await start(['a/fresh', 'a/stale', 'a/boosted', 'b/open']);
    const parent = { key: keyOf('b/open'), url: keyOf('b/open') };
    await state.admit(run.runId, [link('a/fresh-1'), link('a/stale-1')], parent);
    const session = await beginOn(run, 'a');
    const looked = await claim(run, session);
    expect(looked).toHaveLength(5);
    await stepOf(
      run,
      session,
      looked.map((c) => aged(c, c.key.includes('fresh') ? 'fresh' : 'stale')),
    );
    await state.admit(run.runId, [link('a/list', { rank: 'listing' }), link('a/new')], parent);
    const claims = await claim(run, session);
    expect(names(claims)).toEqual(['new', 'list', 'boosted', 'stale', 'stale-1', 'fresh', 'fresh-1']);
    expect(claims.map((c) => c.age)).toEqual([null, null, 'stale', 'stale', 'stale', 'fresh', 'fresh']);
  });

  test('counts more than that its path is boosted', async () => {
    const run = await start(['a/new', 'b/open']);
    await state.admit(run.runId, [link('a/boosted', { boosted: true })]);
    const session = await beginOn(run, 'a');
    const first = at(await claim(run, session, 1));
    expect(names([first])).toEqual(['boosted']);
    expect(names((await stepOf(run, session, [aged(first, 'stale')], 5)).claims)).toEqual(['new', 'boosted']);
  });

  test('stays through a retry, a shorter way and a session that dies', async () => {
    const run = await start(['a/0', 'b/open']);
    await state.admit(run.runId, [link('a/1')], { key: keyOf('a/0'), url: keyOf('a/0') });
    const session = await beginOn(run, 'a');
    const [root, held] = await claim(run, session);
    if (!root || !held) throw new Error('two were to be claimed');
    const again = at((await stepOf(run, session, [aged(held, 'stale')], 5)).claims);
    const retry = { ...again, kind: 'retry', afterMs: 1, failure: failureOf('HTTP_503') } as const;
    await stepOf(run, session, [retry]);
    const retried = await waitFor(async () => (await stepOf(run, session, [], 1)).claims[0]);
    expect(retried).toMatchObject({ key: keyOf('a/1'), attempts: 1, age: 'stale', depth: 1 });
    await stepOf(run, session, [{ ...retried, kind: 'unused' }]);
    await state.admit(run.runId, [link('a/1', { boosted: true })]);
    const { owed } = await state.close(session);
    const next = await beginOn(run, 'a', owed);
    expect(await claim(run, next)).toMatchObject([{ key: keyOf('a/1'), attempts: 1, age: 'stale', depth: 0 }]);
  });

  test('does not outlast what is fetched: it is processed like any other', async () => {
    const { run, session, held } = await oneClaimed();
    const again = at((await stepOf(run, session, [aged(held, 'fresh')], 1)).claims);
    const info = { ...INFO, unchanged: 'fresh' } as const;
    const unchanged: StepResult = { ...again, kind: 'ok', body: { ref: UNCHANGED_BODY }, info };
    const page = at((await stepOf(run, session, [unchanged])).owed.process);
    expect(page.body).toBe(UNCHANGED_BODY);
    expect(await state.beginPages(run.runId, 'exec', [page])).toMatchObject({
      kind: 'begun',
      pages: [{ key: held.key, body: UNCHANGED_BODY, bytes: null, attempts: 1, info: { unchanged: 'fresh' } }],
    });
    await state.settle(run.runId, [processed(page)]);
    expect((await run.view()).processed).toEqual([keyOf('a/1')]);
  });

  test('told by a session that is gone gets the URL a new one at once', async () => {
    const { run, session, held } = await oneClaimed();
    await state.close(session);
    const { whyNone, owed } = await stepOf(run, session, [aged(held, 'stale')]);
    expect(whyNone).toBe('lost');
    expect(owed.fetch).toMatchObject([{ host: 'a.test' }]);
  });
});

describe('a step', () => {
  test('says whether the run is still being discovered', async () => {
    const run = await start([]);
    const session = await beginOn(run, 'a', owedBy(await state.admit(run.runId, [link('a/1')])));
    expect(await stepOf(run, session, [])).toMatchObject({ discovering: true });
    await state.renewDiscovery(run.runId);
    expect(await stepOf(run, session, [], 1)).toMatchObject({ discovering: true, claims: [{ key: keyOf('a/1') }] });
    await state.discovered(run.runId);
    expect(await stepOf(run, session, [])).toMatchObject({ discovering: false });
    await state.renewDiscovery(run.runId);
    expect(await stepOf(run, session, [])).toMatchObject({ discovering: false });
  });

  test('says so to a session that is lost, and in a run that is paused', async () => {
    const run = await start([]);
    const session = await beginOn(run, 'a', owedBy(await state.admit(run.runId, [link('a/1')])));
    expect(await stepOf(run, { ...session, exec: 'other' }, [])).toMatchObject({ discovering: true, whyNone: 'lost' });
    await state.pause(run.runId);
    expect(await stepOf(run, session, [], 1)).toMatchObject({ discovering: true, whyNone: 'paused' });
  });
});
