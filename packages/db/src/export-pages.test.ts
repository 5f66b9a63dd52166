import type { PageChange } from '@trawl/contracts';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type ExportedSet,
  type ExportPage,
  type ExportPagesOptions,
  exportPages,
  keepsAnswers,
} from './export-pages.ts';
import { finalizeRun } from './finalize-run.ts';
import { getPage } from './read-pages.ts';
import { sealRun } from './run-status.ts';
import { savePages } from './save-pages.ts';
import { addRun, ending, outcome, page, useStore } from './testing/store.ts';

const store = useStore();
type Run = Awaited<ReturnType<typeof addRun>>;
let first: Run;
let second: Run;

/** The first run sees a–d; the second sees a as it was, b changed, e new (and the same as b), and d missing. c is not met. */
beforeAll(async () => {
  first = await addRun(store.db);
  await savePages(
    store.db,
    first,
    ['a', 'b', 'c', 'd'].map((name) => page(name, { metadata: { tokenCount: 3 } })),
  );
  await sealRun(store.db, first.runId);
  await finalizeRun(store.db, first.runId, ending(['a', 'b', 'c', 'd']));
  second = await addRun(store.db, first.sourceId);
  await savePages(store.db, second, [
    page('a', { metadata: { tokenCount: 3 } }),
    page('b', { text: 'other' }),
    page('e', { text: 'other' }),
  ]);
  await sealRun(store.db, second.runId);
  await finalizeRun(store.db, second.runId, ending(['a', 'b', 'e'], { outcomes: [outcome('d')] }));
});

async function parts(of: ExportedSet, options: Partial<ExportPagesOptions> = {}): Promise<(readonly ExportPage[])[]> {
  const all: (readonly ExportPage[])[] = [];
  for await (const part of exportPages(store.db, of, { contents: 'everything', ...options })) all.push(part);
  return all;
}
const names = (pages: readonly ExportPage[]) => pages.map(({ url }) => url.replace('https://example.com/', '')).sort();

describe('the pages of an export', () => {
  it.each([1, 2, 3, 100])(
    'are those of a run that were processed, each once and whole, in parts of %i',
    async (mostRows) => {
      const read = await parts({ runId: second.runId }, { mostRows });
      expect(names(read.flat())).toEqual(['a', 'b', 'e']);
      for (const part of read) expect(part.length).toBeLessThanOrEqual(mostRows);
      for (const one of read.flat()) expect(one).toMatchObject({ ...(await getPage(store.db, one.id)) });
    },
  );

  it('are those of a source that are there, as the last run that kept them saw them', async () => {
    const read = (await parts({ sourceId: first.sourceId }, { mostRows: 2 })).flat();
    expect(names(read)).toEqual(['a', 'b', 'c', 'e']);
    expect(new Map(read.map(({ url, change }) => [url.at(-1), change]))).toEqual(
      new Map([
        ['a', 'unchanged'],
        ['b', 'changed'],
        ['c', 'new'],
        ['e', 'new'],
      ]),
    );
  });

  it.each<[readonly PageChange[], string[]]>([
    [['new'], ['c', 'e']],
    [
      ['changed', 'unchanged'],
      ['a', 'b'],
    ],
    [[], []],
  ])('are chosen by change %j', async (changes, expected) => {
    expect(names((await parts({ sourceId: first.sourceId }, { changes })).flat())).toEqual(expected);
  });

  it('are without duplicates where they are not wanted', async () => {
    const all = (await parts({ runId: second.runId })).flat();
    const copies = all.filter(({ duplicateOf }) => duplicateOf !== null);
    expect(copies).toHaveLength(1);
    const rest = (await parts({ runId: second.runId }, { duplicates: false })).flat();
    expect(names(rest)).toEqual(names(all.filter((one) => !copies.includes(one))));
  });

  it('have only what was asked for', async () => {
    const [everything, markdown, metadata, answer] = await Promise.all(
      (['everything', 'markdown', 'metadata', 'answer'] as const).map(
        async (contents) => (await parts({ runId: first.runId }, { contents })).flat()[0],
      ),
    );
    const nothing = { text: null, links: [], chunks: [] };
    expect(markdown).toEqual({ ...everything, ...nothing });
    expect(metadata).toEqual({ ...everything, ...nothing, markdown: null });
    expect(answer).toEqual({ ...everything, ...nothing, markdown: null, tokenCount: 0, metadata: {} });
    expect(everything?.tokenCount).toBe(3);
  });

  it('come in parts of bounded size, a large page alone', async () => {
    const run = await addRun(store.db);
    const sizes = [10, 10, 10, 50_000, 10, 400, 400, 400];
    for (const [n, size] of sizes.entries()) {
      await savePages(store.db, run, [
        page(`size-${n}`, { text: `${n} ${'x'.repeat(size)}`, markdown: null, links: [], chunks: [] }),
      ]);
    }
    const read = await parts({ runId: run.runId }, { mostBytes: 1000 });
    expect(read.map((part) => part.length)).toEqual([3, 1, 3, 1]);
  });

  it('are not read any further once nobody asks', async () => {
    const pages = exportPages(store.db, { runId: first.runId }, { contents: 'metadata', mostRows: 1 });
    expect((await pages.next()).value).toHaveLength(1);
    await pages.return();
    expect(await pages.next()).toEqual({ done: true, value: undefined });
  });

  it('of a run or source without any are none', async () => {
    const run = await addRun(store.db);
    expect(await parts({ runId: run.runId })).toEqual([]);
    expect(await parts({ sourceId: run.sourceId })).toEqual([]);
    expect(await keepsAnswers(store.db, run.sourceId)).toBe(false);
  });
});
