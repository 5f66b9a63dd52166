import { expect, test } from 'vitest';
import { at, beginOn, claim, collect, failureOf, keyOf, stepOf, testCrawl } from './test-run.ts';

const { state, start } = testCrawl();
const failure = failureOf('HOST_UNAVAILABLE');

async function all(owed: AsyncIterable<{ finalize: boolean }>): Promise<boolean[]> {
  const finalize: boolean[] = [];
  for await (const part of owed) finalize.push(part.finalize);
  return finalize;
}

test('fails what waits on the host, with the attempts each URL had, and nothing elsewhere', async () => {
  const run = await start(['a/1', 'a/2', 'a/3', 'b/open'], { maxRetries: 5 });
  const session = await beginOn(run, 'a');
  const { key, token } = at(await claim(run, session, 1));
  await stepOf(run, session, [{ key, token, kind: 'retry', afterMs: 60_000, failure: failureOf('HTTP_503') }]);
  await all(state.giveUp(session, failure));
  const view = await run.view();
  expect(view).toMatchObject({ failed: [keyOf('a/1'), keyOf('a/2'), keyOf('a/3')], queued: [keyOf('b/open')] });
  const ended = (await collect(state.finishedUrls(run.runId, 'failed'))).flat();
  const attempts = ended.map((url) => [url.key, url.failure?.error.attempts, url.failure?.error.code]);
  expect(attempts.sort()).toEqual([
    [keyOf('a/1'), 1, 'HOST_UNAVAILABLE'],
    [keyOf('a/2'), 0, 'HOST_UNAVAILABLE'],
    [keyOf('a/3'), 0, 'HOST_UNAVAILABLE'],
  ]);
});

test('leaves what is in flight to its holder', async () => {
  const run = await start(['a/1', 'a/2', 'b/open']);
  const session = await beginOn(run, 'a');
  const held = at(await claim(run, session, 1));
  await all(state.giveUp(session, failure));
  expect(await run.view()).toMatchObject({ failed: [keyOf('a/2')], queued: [held.key, keyOf('b/open')] });
});

test('takes a long list in parts', async () => {
  const names = Array.from({ length: 2000 }, (_, i) => `a/${i}`);
  const run = await start(names, { templateQuota: 5000 });
  const session = await beginOn(run, 'a');
  expect(await all(state.giveUp(session, failure))).toHaveLength(2);
  expect((await state.progress(run.runId))?.failed).toBe(2000);
});

test('ends the run when nothing else is left', async () => {
  const run = await start(['a/1']);
  const session = await beginOn(run, 'a');
  await state.discovered(run.runId);
  expect(await all(state.giveUp(session, failure))).toEqual([true]);
  expect(await state.progress(run.runId)).toMatchObject({ status: 'finalizing', failed: 1 });
});

test('changes nothing for one who has lost the session', async () => {
  const run = await start(['a/1', 'b/open']);
  const session = await beginOn(run, 'a');
  expect(await all(state.giveUp({ ...session, exec: 'another' }, failure))).toEqual([false]);
  expect((await run.view()).failed).toEqual([]);
});
