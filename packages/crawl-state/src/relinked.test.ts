import { expect, test } from 'vitest';
import { MAX_LINKS_PER_CALL } from './admit.ts';
import { withoutDeadlines } from './model/run-view.ts';
import type { Owed, RelinkOwed } from './owed.ts';
import type { RelinkedPage } from './relinked.ts';
import { at, beginOn, collect, fetchOn, keyOf, link, processed, type TestRun, testCrawl } from './test-run.ts';

const { state, start } = testCrawl();

/** A processed page that was found by a shorter way: `a/2`, below `a/1`. `b` keeps the run open. */
async function fallen(limits = {}): Promise<{ run: TestRun; relink: RelinkOwed }> {
  const run = await start(['a/1', 'b/open'], limits);
  const session = await beginOn(run, 'a');
  await state.settle(run.runId, [processed(at(await fetchOn(run, session)), ['a/2'])]);
  await state.settle(run.runId, [processed(at(await fetchOn(run, session)), [], 1)]);
  const found = await state.admit(run.runId, [link('a/2')]);
  return { run, relink: at(found.kind === 'admitted' ? found.owed.relink : []) };
}

async function send(run: TestRun, page: Omit<RelinkedPage, 'url'>): Promise<Owed[]> {
  return collect(state.relinked(run.runId, { ...page, url: page.key }));
}

test('a processed page found by a shorter way owes its links again, at its depth now', async () => {
  const { run, relink } = await fallen();
  expect(relink).toMatchObject({ key: keyOf('a/2'), depth: 0 });
  await send(run, { ...relink, links: [link('c/1')] });
  const view = await run.view();
  expect(view.frontier['c.test']).toEqual({ [keyOf('c/1')]: 1 });
  expect(view.relink).toEqual({});
});

test('a wrong token or a repeat changes nothing', async () => {
  const { run, relink } = await fallen();
  const before = withoutDeadlines(await run.view());
  await send(run, { ...relink, token: '999', links: [link('c/1')] });
  expect(withoutDeadlines(await run.view())).toEqual(before);
  await send(run, { ...relink, links: [link('c/1')] });
  const after = withoutDeadlines(await run.view());
  expect(await send(run, { ...relink, links: [link('c/2')] })).toMatchObject([{ fetch: [], relink: [] }]);
  expect(withoutDeadlines(await run.view())).toEqual(after);
});

test('a long list goes in parts, and the entry goes with the last', async () => {
  const { run, relink } = await fallen();
  const links = Array.from({ length: MAX_LINKS_PER_CALL + 1 }, (_, i) => link(`c/${i}`));
  const seen: number[] = [];
  for await (const _ of state.relinked(run.runId, { ...relink, url: relink.key, links }))
    seen.push(Object.keys((await run.view()).relink).length);
  expect(seen).toEqual([1, 0]);
  expect(await state.progress(run.runId)).toMatchObject({ queued: MAX_LINKS_PER_CALL + 2 });
});

test('falling once more while it is linked makes the first job’s token old', async () => {
  const run = await start(['a/1', 'b/open']);
  const session = await beginOn(run, 'a');
  await state.settle(run.runId, [processed(at(await fetchOn(run, session)), ['a/2'])]);
  await state.settle(run.runId, [processed(at(await fetchOn(run, session)), ['a/3'], 1)]);
  await state.settle(run.runId, [processed(at(await fetchOn(run, session)), ['a/4'], 2)]);
  const falls = async (parent?: { key: ReturnType<typeof keyOf>; url: string }) => {
    const found = await state.admit(run.runId, [link('a/3')], parent);
    return at(found.kind === 'admitted' ? found.owed.relink : []);
  };
  const first = await falls({ key: keyOf('b/open'), url: 'https://b.test/open' });
  const second = await falls();
  await send(run, { ...first, links: [link('c/1')] });
  expect((await run.view()).task).not.toHaveProperty(keyOf('c/1'));
  await send(run, { ...second, links: [link('a/4')] });
  expect((await run.view()).task[keyOf('a/4')]).toMatch(/^1 /);
});

test('is over when the run is', async () => {
  const { run, relink } = await fallen();
  await state.cancel(run.runId);
  const before = await run.view();
  await send(run, { ...relink, links: [link('c/1')] });
  expect(await run.view()).toEqual(before);
});
