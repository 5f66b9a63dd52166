import type { UrlErrorCode } from '@trawl/contracts';
import { expect, test } from 'vitest';
import { runKey } from './keys.ts';
import { at, beginOn, claim, ended, failureOf, keyOf, link, ok, stepOf, testCrawl } from './test-run.ts';

const { context, state, start } = testCrawl();
const BOTH = { outcomes: ['failed', 'skipped'], limit: 100 } as const;

test('errors are grouped by code, host and outcome, with the URLs that were asked for', async () => {
  const run = await start(['a/1', 'a/2', 'a/3', 'a/4', 'a/5', 'b/1', 'b/2']);
  const a = await beginOn(run, 'a');
  const [c1, c2, c3, c4, c5] = await claim(run, a);
  if (!(c1 && c2 && c3 && c4 && c5)) throw new Error('five were waiting');
  const target = link('a/6', { url: 'http://www.a.test/6' });
  await stepOf(run, a, [
    ended(c1, 'fail', 'HTTP_404'),
    ended(c2, 'fail', 'HTTP_404'),
    { key: c3.key, token: c3.token, kind: 'redirect', target, failure: failureOf('REDIRECTED') },
    { key: c4.key, token: c4.token, kind: 'retry', afterMs: 60_000, failure: failureOf('HTTP_503') },
    ok(c5),
  ]);
  const b = await beginOn(run, 'b');
  await stepOf(
    run,
    b,
    (await claim(run, b)).map((c) => ended(c, 'fail', 'HTTP_404')),
  );
  const [moved] = await claim(run, a);
  if (!moved) throw new Error('the target was waiting');
  await stepOf(run, a, [ended(moved, 'skip', 'UNSUPPORTED_TYPE')]);

  const { groups, ...rest } = await state.errors(run.runId, BOTH);
  expect(rest).toEqual({ total: 6, truncated: false });
  const common = { retryable: false };
  expect(groups.map(({ examples: _, ...group }) => group)).toEqual([
    { code: 'HTTP_404', host: 'a.test', outcome: 'failed', count: 2, message: 'HTTP_404', ...common },
    { code: 'HTTP_404', host: 'b.test', outcome: 'failed', count: 2, message: 'HTTP_404', ...common },
    { code: 'REDIRECTED', host: 'a.test', outcome: 'skipped', count: 1, message: 'REDIRECTED', ...common },
    { code: 'UNSUPPORTED_TYPE', host: 'a.test', outcome: 'skipped', count: 1, message: 'UNSUPPORTED_TYPE', ...common },
  ]);
  expect([...at(groups).examples].sort()).toEqual([keyOf('a/1'), keyOf('a/2')]);
  expect(at(groups, 3).examples).toEqual(['http://www.a.test/6']);

  expect(await state.errors(run.runId, { outcomes: ['skipped'], limit: 1 })).toMatchObject({
    total: 2,
    groups: [{ code: 'REDIRECTED' }],
    truncated: true,
  });
});

test('every one of many errors is counted once, though they come in batches and while more come in', async () => {
  const run = await start(['a/1']);
  const names = Array.from({ length: 5000 }, (_, i) => `${'abc'[i % 3]}/${i}`);
  const key = (name: 'urls:failed' | 'errors') => runKey(context.prefix, run.runId, name);
  const add = async (some: readonly string[], code: UrlErrorCode): Promise<void> => {
    await context.redis.sadd(key('urls:failed'), ...some.map(keyOf));
    await context.redis.hset(
      key('errors'),
      Object.fromEntries(some.map((name) => [keyOf(name), JSON.stringify(failureOf(code))])),
    );
  };
  await add(names, 'HTTP_404');
  // The hash grows to another size meanwhile, which is when a scan may repeat itself.
  const later = Array.from({ length: 20_000 }, (_, i) => `d/${i}`);
  const [seen] = await Promise.all([state.errors(run.runId, BOTH), add(later, 'HTTP_410')]);
  const counts = new Map(seen.groups.map((group) => [group.host, group.count]));
  expect([counts.get('a.test'), counts.get('b.test'), counts.get('c.test')]).toEqual([1667, 1667, 1666]);
  expect(counts.get('d.test') ?? 0).toBeLessThanOrEqual(20_000);
  expect(seen.groups.map((group) => group.examples.length)).toEqual(seen.groups.map(() => 3));

  const { total, groups } = await state.errors(run.runId, { outcomes: ['failed'], limit: 1 });
  expect(total).toBe(25_000);
  expect(groups).toMatchObject([{ code: 'HTTP_410', host: 'd.test', count: 20_000 }]);
});

test('a run without errors has none, and neither has one that Redis does not know', async () => {
  const run = await start(['a/1']);
  const nothing = { total: 0, groups: [], truncated: false };
  expect(await state.errors(run.runId, BOTH)).toEqual(nothing);
  await state.remove(run.runId);
  expect(await state.errors(run.runId, BOTH)).toEqual(nothing);
});
