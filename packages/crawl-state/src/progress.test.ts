import { newRunId } from '@trawl/contracts';
import { expect, test } from 'vitest';
import { at, beginOn, claim, ended, fetchOn, link, processed, stepOf, testCrawl } from './test-run.ts';

const { state, start } = testCrawl();

test('every number is the size of a set at one moment', async () => {
  const run = await start(['a/1', 'a/2', 'a/3', 'a/4', 'b/1'], { maxUrls: 5 });
  const session = await beginOn(run, 'a');
  const pages = await fetchOn(run, session, 2);
  await state.settle(run.runId, [processed(at(pages), ['a/5', 'a/6'])]);
  const claims = await claim(run, session, 2);
  await stepOf(run, session, [
    ended(at(claims, 0), 'fail', 'HTTP_404'),
    ended(at(claims, 1), 'skip', 'UNSUPPORTED_TYPE'),
  ]);
  expect(await state.progress(run.runId)).toMatchObject({
    ...{ status: 'running', final: null, discovering: false, currentDepth: 0 },
    ...{ queued: 1, fetched: 1, processed: 1, failed: 1, skipped: 1, beyond: 2 },
  });
});

test('an ended run says what it will be', async () => {
  const run = await start(['a/1']);
  await state.cancel(run.runId);
  expect(await state.progress(run.runId)).toMatchObject({ status: 'finalizing', final: 'cancelled', skipped: 1 });
});

test('past 20,000 the URLs beyond the limit are a good estimate, and a repeat does not raise it', async () => {
  const run = await start(['a/1'], { maxUrls: 1 });
  const send = async () => {
    for (let from = 0; from < 24_000; from += 2000) {
      await state.admit(
        run.runId,
        Array.from({ length: 2000 }, (_, i) => link(`a/beyond-${from + i}`)),
      );
    }
    return (await state.progress(run.runId))?.beyond ?? 0;
  };
  const first = await send();
  expect(Math.abs(first - 24_000)).toBeLessThan(24_000 * 0.03);
  expect(await send()).toBe(first);
});

test('nothing is known of a run that never was', async () => {
  expect(await state.progress(newRunId())).toBeNull();
});
