import { newRunId } from '@trawl/contracts';
import { expect, test } from 'vitest';
import { bodyKey } from './keys.ts';
import { withoutDeadlines } from './model/run-view.ts';
import { at, beginOn, fetchOn, INFO, keyOf, link, processed, SETTINGS, testCrawl } from './test-run.ts';

const { context, state, start } = testCrawl();

async function twoPages() {
  const run = await start(['a/1', 'a/2', 'b/open']);
  return { run, pages: await fetchOn(run, await beginOn(run, 'a')) };
}

test('gives the first execution its pages with bodies, settings and what the fetch knew', async () => {
  const { run, pages } = await twoPages();
  const begun = await state.beginPages(run.runId, 'first', pages);
  expect(begun).toMatchObject({ kind: 'begun', settings: SETTINGS });
  const first = begun.kind === 'begun' ? at(begun.pages) : null;
  expect(first).toMatchObject({ key: keyOf('a/1'), url: 'https://a.test/1', depth: 0, parentUrl: null, info: INFO });
  expect(String(first?.bytes)).toBe('body');
});

test('gives another execution nothing of them, and the same one all of them again', async () => {
  const { run, pages } = await twoPages();
  await state.beginPages(run.runId, 'first', pages.slice(0, 1));
  const second = await state.beginPages(run.runId, 'second', pages);
  expect(second.kind === 'begun' && second.pages.map((p) => p.key)).toEqual([keyOf('a/2')]);
  expect(await state.beginPages(run.runId, 'third', pages)).toEqual({ kind: 'none' });
  const before = withoutDeadlines(await run.view());
  expect(await state.beginPages(run.runId, 'first', pages.slice(0, 1))).toMatchObject({ kind: 'begun' });
  expect(withoutDeadlines(await run.view())).toEqual(before);
});

test('gives nothing for a wrong token, a settled page, a run that ended or one that never was', async () => {
  const { run, pages } = await twoPages();
  const page = at(pages);
  expect(await state.beginPages(run.runId, 'e', [{ ...page, token: '999' }])).toEqual({ kind: 'none' });
  await state.settle(run.runId, [processed(page)]);
  expect(await state.beginPages(run.runId, 'e', [page])).toEqual({ kind: 'none' });
  await state.cancel(run.runId);
  expect(await state.beginPages(run.runId, 'e', pages)).toEqual({ kind: 'none' });
  expect(await state.beginPages(newRunId(), 'e', pages)).toEqual({ kind: 'none' });
});

test('says that a body is gone, so the page can be fetched again', async () => {
  const { run, pages } = await twoPages();
  await context.redis.del(bodyKey(context.prefix, run.runId, at(pages).token));
  const begun = await state.beginPages(run.runId, 'e', pages);
  expect(begun.kind === 'begun' && begun.pages.map((p) => p.bytes === null)).toEqual([true, false]);
});

test('knows the page that linked here, and the depth as it is now', async () => {
  const run = await start(['a/1', 'c/1']);
  const parent = { key: keyOf('a/1'), url: 'https://a.test/1?as=found' };
  const admitted = await state.admit(run.runId, [link('b/1')], parent);
  const owed = admitted.kind === 'admitted' ? admitted.owed : run.owed;
  const pages = await fetchOn(run, await beginOn(run, 'b', owed));
  const linked = await state.beginPages(run.runId, 'e', pages);
  expect(linked).toMatchObject({ pages: [{ depth: 1, parentUrl: 'https://a.test/1?as=found' }] });
  await state.admit(run.runId, [link('b/1')]);
  expect(await state.beginPages(run.runId, 'e', pages)).toMatchObject({ pages: [{ depth: 0 }] });
});

test('renewing prolongs the lease of its own pages only', async () => {
  const { run, pages } = await twoPages();
  const begun = await state.beginPages(run.runId, 'first', pages);
  const held = begun.kind === 'begun' ? begun.pages : [];
  const before = await run.view();
  await state.renewPages(run.runId, 'other', held);
  expect(await run.view()).toEqual(before);
  await state.renewPages(run.runId, 'first', held);
  expect(withoutDeadlines(await run.view())).toEqual(withoutDeadlines(before));
});
