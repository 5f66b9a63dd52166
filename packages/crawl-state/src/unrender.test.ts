/** Pages that wait for a browser: how they come to its lane, and what becomes of them where nobody renders. */
import { expect, test } from 'vitest';
import type { PageRef } from './owed.ts';
import type { SettledPage } from './settle.ts';
import {
  at,
  beginOn,
  claim,
  collect,
  failureOf,
  fetchOn,
  keyOf,
  link,
  owedBy,
  processed,
  stepOf,
  type TestRun,
  testCrawl,
} from './test-run.ts';

const { state, start } = testCrawl();
const failure = failureOf('RENDER_UNAVAILABLE');
const LANE = 'a.test#render';

function okOf(page: PageRef): SettledPage & { kind: 'ok' } {
  const settled = processed(page);
  if (settled.kind !== 'ok') throw new Error(settled.kind);
  return settled;
}

/** Both pages of it are in the lane of browsers: one was never started, the other came back as a shell. */
async function startWithShells(): Promise<TestRun> {
  const run = await start(['a/1', 'a/2', 'b/open']);
  const session = await beginOn(run, 'a');
  const { key, token } = at(await claim(run, session, 1));
  const { owed } = await stepOf(run, session, [{ key, token, kind: 'render' }]);
  expect(owed.fetch.map(({ host }) => host)).toEqual([LANE]);
  const page = at(await fetchOn(run, session));
  const settled = await state.settle(run.runId, [{ key: page.key, token: page.token, kind: 'render', template: 't' }]);
  // The lane has its session already.
  expect(owedBy(settled).fetch).toEqual([]);
  return run;
}

test('a page that is to be rendered waits in a lane of its own, with its budget and attempts given back', async () => {
  const run = await startWithShells();
  const view = await run.view();
  expect(view.frontier[LANE]).toEqual({ [keyOf('a/1')]: 0, [keyOf('a/2')]: 0 });
  expect(view).toMatchObject({ fetched: [], page: {}, inflight: {}, render: { t: '1 0 0 0' } });
});

test('a retry of such a page waits in the same lane', async () => {
  const run = await startWithShells();
  const offered = at(Object.entries((await run.view()).sess).filter(([host]) => host === LANE));
  const session = { runId: run.runId, host: LANE, sid: String(offered[1]).split(' ')[0] ?? '', exec: 'browser' };
  expect((await state.begin(session)).kind).toBe('begun');
  const claims = await claim(run, session);
  expect(claims.map(({ key }) => key)).toEqual([keyOf('a/1'), keyOf('a/2')]);
  await stepOf(
    run,
    session,
    claims.map(({ key, token }) => ({
      key,
      token,
      kind: 'retry',
      afterMs: 60_000,
      failure: failureOf('RENDER_TIMEOUT'),
    })),
  );
  expect(Object.keys((await run.view()).delayed)).toEqual([LANE]);
});

test('a shorter way to such a page is noticed in its lane', async () => {
  const run = await start(['a/open', 'b/open'], { maxDepth: 5 });
  await state.admit(run.runId, [link('a/deep')], { key: keyOf('a/open'), url: keyOf('a/open') });
  const session = await beginOn(run, 'a');
  const deep = at((await claim(run, session)).filter(({ key }) => key === keyOf('a/deep')));
  await stepOf(run, session, [{ key: deep.key, token: deep.token, kind: 'render' }]);
  expect((await run.view()).frontier[LANE]).toEqual({ [deep.key]: 1 });
  await state.admit(run.runId, [link('a/deep')]);
  expect((await run.view()).frontier[LANE]).toEqual({ [deep.key]: 0 });
});

test('a run that renders everything has all its pages there', async () => {
  const run = await start(['a/1', 'a/2'], { rendersAll: 1 });
  expect(run.owed.fetch.map(({ host }) => host)).toEqual([LANE]);
  expect(Object.keys((await run.view()).frontier)).toEqual([LANE]);
});

test('without anybody who renders they go on without a browser, and their host is opened', async () => {
  const run = await startWithShells();
  const session = await beginOn(run, 'b');
  await state.close(session);
  const parts = await collect(state.unrender(run.runId, failure));
  expect(parts).toMatchObject([{ unrendered: 2, failed: 0 }]);
  const view = await run.view();
  expect(Object.keys(view.frontier).sort()).toEqual(['a.test', 'b.test']);
  expect(Object.keys(view.sess).sort()).toEqual(['a.test', 'b.test']);
  expect(await collect(state.unrender(run.runId, failure))).toMatchObject([{ unrendered: 0, failed: 0 }]);
});

test('of a run that wants nothing else they fail, in parts, and it ends', async () => {
  const names = Array.from({ length: 2500 }, (_, i) => `a/${i}`);
  const run = await start(names, { rendersAll: 1, templateQuota: 5000 });
  const parts = await collect(state.unrender(run.runId, failure));
  expect(parts.map(({ failed }) => failed)).toEqual([1000, 1000, 500]);
  expect(parts.map(({ owed }) => owed.finalize)).toEqual([false, false, true]);
  expect(await state.progress(run.runId)).toMatchObject({ status: 'finalizing', failed: 2500, queued: 0 });
});

test('what is learned of templates is told with claims and with pages, and decides', async () => {
  const run = await start(['a/1', 'a/2', 'b/open']);
  const session = await beginOn(run, 'a');
  const [page] = await fetchOn(run, session, 1);
  if (!page) throw new Error('nothing was fetched');
  await state.settle(run.runId, [{ ...okOf(page), render: { template: 't', as: 'gain' } }]);
  const reply = await stepOf(run, session, [], 1);
  expect(reply.rendering.get('t')).toEqual({ shells: 0, gains: 1, idles: 0, statics: 0 });
});
