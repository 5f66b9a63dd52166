import { type PageSummary, pageSchema, pageSummarySchema } from '@trawl/contracts';
import { beforeAll, describe, expect, it } from 'vitest';
import { parsePageId } from './cursor.ts';
import { finalizeRun } from './finalize-run.ts';
import { getPage, listPages, runPagesSince } from './read-pages.ts';
import { sealRun } from './run-status.ts';
import { savePages } from './save-pages.ts';
import { addRun, ending, outcome, page, pagesOf, useStore } from './testing/store.ts';
import type { ListPagesOptions } from './types.ts';

const store = useStore();
const names = Array.from({ length: 11 }, (_, i) => `p${i}`);
let run: Awaited<ReturnType<typeof addRun>>;

beforeAll(async () => {
  run = await addRun(store.db);
  const other = await addRun(store.db, run.sourceId);
  for (const name of names) {
    await savePages(store.db, run, [page(name, name === 'p3' ? { title: '100% of snake_case \\ Things' } : {})]);
    await savePages(store.db, other, [page(name)]);
  }
  await sealRun(store.db, run.runId);
  const outcomes = [outcome('x'), outcome('y', { outcome: 'skipped' }), outcome('z')];
  await finalizeRun(store.db, run.runId, ending(names, { outcomes }));
});

async function all(options: Partial<ListPagesOptions>): Promise<PageSummary[]> {
  const items: PageSummary[] = [];
  let cursor: string | undefined;
  do {
    const part = await listPages(store.db, run.runId, { limit: 3, ...options, cursor });
    if (part.kind !== 'listed') throw new Error(part.kind);
    items.push(...part.items);
    cursor = part.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return items;
}

const urls = (items: readonly PageSummary[]) => items.map((item) => item.url.replace('https://example.com/', ''));

describe('listPages', () => {
  it.each([1, 2, 7, 13, 14, 15])('gives every row once in parts of %i', async (limit) => {
    expect(urls(await all({ limit })).sort()).toEqual([...names, 'x', 'y', 'z'].sort());
  });

  it('ends without a cursor when the last part is full', async () => {
    expect(await listPages(store.db, run.runId, { limit: 14 })).toMatchObject({ kind: 'listed', nextCursor: null });
  });

  it('filters by outcome', async () => {
    expect(urls(await all({ outcome: 'processed' }))).toEqual(names);
    expect(urls(await all({ outcome: 'failed' })).sort()).toEqual(['x', 'z']);
    expect(urls(await all({ outcome: 'skipped' }))).toEqual(['y']);
  });

  it.each([
    ['P1', ['p1', 'p10']],
    ['title of p2', ['p2']],
    ['100%', ['p3']],
    ['snake_case', ['p3']],
    ['\\', ['p3']],
    ['%', ['p3']],
    ['_', ['p3']],
    ['nothing\u0000 like it', []],
  ])('finds %j literally, in URL or title', async (q, expected) => {
    expect(urls(await all({ q }))).toEqual(expected);
  });

  it.each([
    '',
    'x',
    'page 1',
    '9',
    Buffer.from('page -1').toString('base64url'),
    Buffer.from('page 99999999999999999').toString('base64url'),
  ])('refuses the cursor %j', async (cursor) => {
    expect(await listPages(store.db, run.runId, { limit: 3, cursor })).toEqual({ kind: 'bad-cursor' });
  });

  it('gives exactly what the API promises', async () => {
    for (const item of await all({})) {
      expect(pageSummarySchema.strict().parse(item)).toEqual(item);
      const { rawRef, shotRef, ...whole } = (await getPage(store.db, item.id)) ?? { rawRef: null, shotRef: null };
      expect([rawRef, shotRef]).toEqual([null, null]);
      expect(pageSchema.omit({ html: true, screenshot: true }).strict().parse(whole)).toEqual(whole);
    }
  });
});

describe('getPage', () => {
  it.each([
    '',
    'page_',
    'page_0',
    'page_x',
    '1',
    'page_1 OR 1=1',
    'page_9007199254740991',
    'page_99999999999999999999',
  ])('finds nothing by %j', async (id) => {
    expect(await getPage(store.db, id)).toBeNull();
  });
});

it('gives the rows made after a page, for a live view', async () => {
  const items = await pagesOf(store.db, run.runId);
  expect(await runPagesSince(store.db, run.runId, 0, 100)).toEqual(items);
  expect(await runPagesSince(store.db, run.runId, parsePageId(items[4]?.id ?? '') ?? 0, 2)).toEqual(items.slice(5, 7));
});
