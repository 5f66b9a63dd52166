/** Twelve points where a simpler scheme goes wrong, as far as they are this package's. The invariants behind them are in ARCHITECTURE.md. */
import { waitFor } from '@trawl/testing';
import { expect, test } from 'vitest';
import {
  at,
  beginOn,
  claim,
  collect,
  ended,
  failureOf,
  fetchOn,
  keyOf,
  link,
  ok,
  owedBy,
  processed,
  stepOf,
  testCrawl,
} from './test-run.ts';

const { context, state, start } = testCrawl();

test('1. admission looks at all states: leaving queued makes no URL admissible again', async () => {
  const run = await start(['a/1', 'a/2', 'a/3', 'a/4', 'b/open']);
  const session = await beginOn(run, 'a');
  const claims = await claim(run, session);
  const { owed } = await stepOf(run, session, [
    ended(at(claims, 0), 'fail', 'HTTP_404'),
    ended(at(claims, 1), 'skip', 'UNSUPPORTED_TYPE'),
    ok(at(claims, 2)),
    ok(at(claims, 3)),
  ]);
  await state.settle(run.runId, [processed(at(owed.process))]);
  const before = await run.view();
  await state.admit(
    run.runId,
    ['a/1', 'a/2', 'a/3', 'a/4'].map((name) => link(name)),
  );
  const after = await run.view();
  expect(after.queued).toEqual(before.queued);
  expect(after.task).toEqual(before.task);
});

test('2. a fetch or process job that was never added is owed again when its lease ends', async () => {
  const run = await start(['a/1'], { leaseMs: 20 });
  const owed = await waitFor(async () => {
    const healed = await state.heal(run.runId);
    return healed.kind === 'healed' && healed.owed.fetch.length > 0 && healed.owed;
  });
  const page = at(await fetchOn(run, await beginOn(run, 'a', owed)));
  const again = await waitFor(async () => {
    const healed = await state.heal(run.runId);
    return healed.kind === 'healed' && healed.owed.process[0];
  });
  expect(again).toEqual(page);
});

test('3. a session that finds the frontier dry looks once more as it closes', async () => {
  const run = await start(['a/1', 'b/open']);
  const session = await beginOn(run, 'a');
  await fetchOn(run, session);
  expect(await stepOf(run, session, [], 5)).toMatchObject({ whyNone: 'dry' });
  // Comes in between: the session is still open, so nobody is owed a new one.
  expect(owedBy(await state.admit(run.runId, [link('a/2')])).fetch).toEqual([]);
  expect((await state.close(session)).owed.fetch).toMatchObject([{ host: 'a.test' }]);
});

test('4. the end needs queued and fetched empty, no discovery, no relink and no pause, and comes in the same step', async () => {
  const run = await start([]);
  const session = await beginOn(run, 'a', owedBy(await state.admit(run.runId, [link('a/1')])));
  const page = at(await fetchOn(run, session));
  const settled = owedBy(await state.settle(run.runId, [processed(page, [], 1)]));
  expect(settled.finalize).toBe(false);
  expect((await state.discovered(run.runId)).finalize).toBe(false);
  await state.pause(run.runId);
  const relink = { ...at(settled.relink), url: page.key, links: [] };
  for await (const owed of state.relinked(run.runId, relink)) expect(owed.finalize).toBe(false);
  expect(await state.resume(run.runId)).toMatchObject({ owed: { finalize: true } });
});

test('5. the page budget is taken at claim and given back on failure; the rest is dropped when processed is at the limit', async () => {
  const run = await start(['a/1', 'a/2', 'a/3', 'a/4'], { maxPages: 2 });
  const session = await beginOn(run, 'a');
  const claims = await claim(run, session);
  expect(claims).toHaveLength(2);
  const { owed, claims: more } = await stepOf(
    run,
    session,
    [ok(at(claims, 0)), ended(at(claims, 1), 'fail', 'HTTP_404')],
    5,
  );
  expect(more).toHaveLength(1);
  expect((await run.view()).dropped).toEqual([]);
  await state.settle(run.runId, [processed(at(owed.process), ['a/5'])]);
  const last = at((await stepOf(run, session, more.map(ok))).owed.process);
  await state.settle(run.runId, [processed(last, ['a/6'])]);
  expect(await state.progress(run.runId)).toMatchObject({
    status: 'finalizing',
    processed: 2,
    failed: 1,
    queued: 0,
    beyond: 3,
  });
});

test('6. attempts belong to the URL: they outlive its session, and waiting or pausing uses none', async () => {
  const run = await start(['a/1'], { maxRetries: 2 });
  const session = await beginOn(run, 'a');
  const first = at(await claim(run, session));
  await stepOf(run, session, [
    { key: first.key, token: first.token, kind: 'retry', afterMs: 0, failure: failureOf('HTTP_503') },
  ]);
  const next = await beginOn(run, 'a', (await state.close(session)).owed);
  await state.park(next, 1000);
  await state.pause(run.runId);
  const last = await beginOn(run, 'a', owedBy(await state.resume(run.runId)));
  const again = at(await claim(run, last));
  expect(again.attempts).toBe(1);
  await stepOf(run, last, [{ key: again.key, token: again.token, kind: 'unused' }]);
  expect(at(await claim(run, last)).attempts).toBe(1);
});

test('7. who settles shows the token: a worker thought dead that comes back changes nothing', async () => {
  const run = await start(['a/1'], { leaseMs: 20 });
  const dead = await beginOn(run, 'a');
  const old = at(await claim(run, dead));
  const owed = await waitFor(async () => {
    const healed = await state.heal(run.runId);
    return healed.kind === 'healed' && healed.owed.fetch.length > 0 && healed.owed;
  });
  const now = at(await claim(run, await beginOn(run, 'a', owed)));
  expect(now.token).not.toBe(old.token);
  const before = await run.view();
  await stepOf(run, dead, [ended(old, 'fail', 'HTTP_404')], 5);
  expect(await run.view()).toEqual(before);
});

test('8. a page is processed together with its links, so the run can’t end in between', async () => {
  const run = await start(['a/1']);
  const page = at(await fetchOn(run, await beginOn(run, 'a')));
  expect(owedBy(await state.settle(run.runId, [processed(page, ['a/2'])])).finalize).toBe(false);
  expect(await run.view()).toMatchObject({ status: 'running', processed: [keyOf('a/1')], queued: [keyOf('a/2')] });
});

test('9. depth is the shortest way known, and a processed page that falls sends its links again', async () => {
  const run = await start(['a/1', 'b/open'], { maxDepth: 2 });
  const session = await beginOn(run, 'a');
  await state.settle(run.runId, [processed(at(await fetchOn(run, session)), ['a/2'])]);
  await state.settle(run.runId, [processed(at(await fetchOn(run, session)), ['a/3'], 1)]);
  // At depth 2 its links are too deep.
  await state.settle(run.runId, [processed(at(await fetchOn(run, session)), ['a/4'], 2)]);
  expect((await run.view()).task).not.toHaveProperty(keyOf('a/4'));
  const { relink } = owedBy(await state.admit(run.runId, [link('a/2')]));
  const [next] = await collect(state.relinked(run.runId, { ...at(relink), url: keyOf('a/2'), links: [link('a/3')] }));
  await collect(state.relinked(run.runId, { ...at(next?.relink ?? []), url: keyOf('a/3'), links: [link('a/4')] }));
  expect((await run.view()).task[keyOf('a/4')]).toMatch(/^2 /);
});

test('10. a redirected URL is skipped, its target admitted as deep as it was, and fetched once however many lead there', async () => {
  const run = await start(['a/1', 'a/2', 'a/3']);
  const session = await beginOn(run, 'a');
  const claims = await claim(run, session, 2);
  await stepOf(
    run,
    session,
    claims.map(({ key, token }) => ({
      key,
      token,
      kind: 'redirect',
      target: link('a/3'),
      failure: failureOf('REDIRECTED'),
    })),
  );
  const view = await run.view();
  expect(view.skipped).toEqual([keyOf('a/1'), keyOf('a/2')]);
  expect(view.queued).toEqual([keyOf('a/3')]);
  const back = at(await claim(run, session));
  await stepOf(run, session, [
    { key: back.key, token: back.token, kind: 'redirect', target: link('a/1'), failure: failureOf('REDIRECTED') },
  ]);
  expect(await run.view()).toMatchObject({ failed: [keyOf('a/3')], errors: { [keyOf('a/3')]: 'REDIRECT_LOOP' } });
});

test('11. the step that holds back sets a flag, and the step that makes room clears it and opens sessions', async () => {
  const run = await start(['a/1', 'a/2', 'b/1'], { high: 1, low: 0 });
  const onA = await beginOn(run, 'a');
  const page = at(await fetchOn(run, onA, 1));
  expect(await stepOf(run, onA, [], 1)).toMatchObject({ whyNone: 'held' });
  await state.close(onA);
  await state.close(await beginOn(run, 'b'));
  expect(await state.why(run.runId)).toMatchObject({ held: true, hosts: [{ session: 'none' }, { session: 'none' }] });
  const owed = owedBy(await state.settle(run.runId, [processed(page)]));
  expect(owed.fetch.map((f) => f.host).sort()).toEqual(['a.test', 'b.test']);
  expect(await state.why(run.runId)).toMatchObject({ held: false });
});

test('12. every key of a run has a time to live while it is looked after, and a shorter one at its end', async () => {
  const run = await start(['a/1', 'a/2']);
  const session = await beginOn(run, 'a');
  const { key, token } = at(await claim(run, session));
  await stepOf(run, session, [{ key, token, kind: 'retry', afterMs: 60_000, failure: failureOf('HTTP_503') }]);
  await state.heal(run.runId);
  const ttls = async () => {
    const keys = await context.redis.keys(`${context.prefix}crawl:{${run.runId}}:*`);
    return Promise.all(keys.map((name) => context.redis.pttl(name)));
  };
  expect(Math.min(...(await ttls()))).toBeGreaterThan(3600_000);
  await state.cancel(run.runId);
  await state.finish(run.runId);
  expect(Math.min(...(await ttls()))).toBeGreaterThan(0);
  expect(Math.max(...(await ttls()))).toBeLessThanOrEqual(3600_000);
});
