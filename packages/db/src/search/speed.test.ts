import { performance } from 'node:perf_hooks';
import { expect, it } from 'vitest';
import { savePages } from '../save-pages.ts';
import { addRun, useStore } from '../testing/store.ts';
import { indexSource } from './index-source.ts';
import { pageOf, search } from './search-fixture.ts';

const store = useStore();

/** Words as texts have them: few of them often, most of them seldom. */
function textOf(seed: number, words: number): string {
  let state = seed + 1;
  const random = () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
  return Array.from({ length: words }, () => `word${Math.floor(20_000 * random() ** 4)}`).join(' ');
}

it('indexes 10,000 chunks and finds among them in bounded time', async () => {
  const run = await addRun(store.db);
  for (let from = 0; from < 2000; from += 100) {
    const pages = Array.from({ length: 100 }, (_, n) => {
      const chunks = Array.from({ length: 5 }, (_, m) => textOf((from + n) * 5 + m, 150));
      return pageOf({ name: `p${from + n}`, chunks });
    });
    await savePages(store.db, run, pages);
  }
  expect(await indexSource(store.db, run.sourceId)).toMatchObject({ kind: 'done', chunks: 10_000 });
  for (const q of ['word0', 'word19000', 'word0 word1 word2', '"word0 word1"', 'word17 -word0', '-word0', '字']) {
    await search(store.db, run.sourceId, q);
    const from = performance.now();
    await search(store.db, run.sourceId, q);
    expect(performance.now() - from, q).toBeLessThan(4000);
  }
  // A small source beside it pays nothing for its neighbour.
  const small = await addRun(store.db);
  await savePages(store.db, small, [pageOf({ name: 'small', chunks: ['word0 alone'] })]);
  await indexSource(store.db, small.sourceId);
  await search(store.db, small.sourceId, 'word0');
  const smallAt = performance.now();
  expect((await search(store.db, small.sourceId, 'word0')).items).toHaveLength(1);
  expect(performance.now() - smallAt).toBeLessThan(4000);
}, 120_000);
