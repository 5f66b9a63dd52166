import { describe, expect, test } from 'vitest';
import { bodyKey } from './keys.ts';
import { withoutDeadlines } from './model/run-view.ts';
import type { SettledPage } from './settle.ts';
import { at, beginOn, failureOf, fetchOn, keyOf, processed, testCrawl } from './test-run.ts';

const { context, state, start } = testCrawl();

async function onePage(limits = {}) {
  const run = await start(['a/1', 'b/open'], limits);
  const session = await beginOn(run, 'a');
  return { run, session, page: at(await fetchOn(run, session)) };
}

test('ok admits the links, then the page is processed, in one step', async () => {
  const { run, page } = await onePage();
  const settled = await state.settle(run.runId, [
    { ...processed(page, ['c/1', 'a/2']), refused: { asset: 2 } } as SettledPage,
  ]);
  expect(settled).toMatchObject({ kind: 'settled', done: new Set([keyOf('a/1')]), owed: { finalize: false } });
  const view = await run.view();
  expect(view.processed).toEqual([keyOf('a/1')]);
  expect(view.queued).toEqual(['a/2', 'b/open', 'c/1'].map(keyOf));
  expect(await state.progress(run.runId)).toMatchObject({ processed: 1, queued: 3, refused: { asset: 2 } });
});

const kinds: Record<string, (page: { key: ReturnType<typeof keyOf>; token: string }) => SettledPage> = {
  ok: (page) => processed({ ...page, body: '' }, ['a/2']),
  gone: ({ key, token }) => ({ key, token, kind: 'gone' }),
  failed: ({ key, token }) => ({ key, token, kind: 'failed', failure: failureOf('PROCESS_FAILED') }),
};

test.each(Object.entries(kinds))('%s changes nothing with a wrong token, nor when repeated', async (_, make) => {
  const { run, page } = await onePage();
  const before = withoutDeadlines(await run.view());
  const refused = await state.settle(run.runId, [make({ key: page.key, token: '999' })]);
  expect(refused).toMatchObject({ kind: 'settled', done: new Set(), owed: { fetch: [], relink: [] } });
  expect(withoutDeadlines(await run.view())).toEqual(before);
  await state.settle(run.runId, [make(page)]);
  const after = withoutDeadlines(await run.view());
  expect(after).not.toEqual(before);
  expect(await state.settle(run.runId, [make(page)])).toMatchObject({ done: new Set(), owed: { fetch: [] } });
  expect(withoutDeadlines(await run.view())).toEqual(after);
});

test.each(Object.entries(kinds))('%s is over when the run is', async (_, make) => {
  const { run, page } = await onePage();
  await state.cancel(run.runId);
  const before = await run.view();
  expect(await state.settle(run.runId, [make(page)])).toEqual({ kind: 'over' });
  expect(await run.view()).toEqual(before);
});

describe('a page whose body is gone', () => {
  test('is fetched again, with a new token', async () => {
    const { run, session, page } = await onePage();
    await state.settle(run.runId, [{ key: page.key, token: page.token, kind: 'gone' }]);
    const again = at(await fetchOn(run, session));
    expect(again.key).toBe(page.key);
    expect(again.token).not.toBe(page.token);
  });

  test('fails once it was lost more than maxLost times', async () => {
    const { run, page } = await onePage({ maxLost: 0 });
    await state.settle(run.runId, [{ key: page.key, token: page.token, kind: 'gone' }]);
    expect(await run.view()).toMatchObject({ failed: [keyOf('a/1')], errors: { [keyOf('a/1')]: 'LOST' } });
  });
});

test('the last page owes the finalization, once', async () => {
  const run = await start(['a/1']);
  const page = at(await fetchOn(run, await beginOn(run, 'a')));
  expect(await state.settle(run.runId, [processed(page)])).toMatchObject({ owed: { finalize: true } });
  expect(await state.settle(run.runId, [processed(page)])).toEqual({ kind: 'over' });
  expect((await run.view()).status).toBe('finalizing');
});

test('a body in Redis goes with its page, not with a settlement that does not count', async () => {
  const { run, page } = await onePage();
  const body = bodyKey(context.prefix, run.runId, page.token);
  await state.settle(run.runId, [{ ...processed(page), token: '999' }]);
  expect(await context.redis.exists(body)).toBe(1);
  await state.settle(run.runId, [processed(page)]);
  expect(await context.redis.exists(body)).toBe(0);
});
