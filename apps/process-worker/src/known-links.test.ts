import { newRunId, type UrlKey } from '@trawl/contracts';
import { expect, it } from 'vitest';
import { createKnownLinks } from './known-links.ts';

const key = (n: number): UrlKey => `https://a.test/${n}` as UrlKey;

it('knows a link by a way as short as the one it was sent for, not by a shorter one', () => {
  const known = createKnownLinks()(newRunId());
  known.add(key(1), 3);
  expect([2, 3, 4].map((depth) => known.has(key(1), depth))).toEqual([false, true, true]);
  known.add(key(1), 5);
  expect(known.has(key(1), 3)).toBe(true);
  known.add(key(1), 1);
  expect(known.has(key(1), 1)).toBe(true);
});

it('keeps runs apart', () => {
  const of = createKnownLinks();
  const [one, other] = [newRunId(), newRunId()];
  of(one).add(key(1), 1);
  expect(of(one).has(key(1), 1)).toBe(true);
  expect(of(other).has(key(1), 1)).toBe(false);
});

it('forgets rather than grow without end', () => {
  const known = createKnownLinks()(newRunId());
  for (let n = 0; n < 200_001; n++) known.add(key(n), 1);
  expect(known.has(key(0), 1)).toBe(false);
  expect(known.has(key(200_000), 1)).toBe(true);
});
