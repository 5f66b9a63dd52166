import { type PageSummary, pageSummarySchema } from '@trawl/contracts';
import { beforeAll, describe, expect, it } from 'vitest';
import { finalizeRun } from './finalize-run.ts';
import { getPage } from './read-pages.ts';
import { sealRun } from './run-status.ts';
import { savePages } from './save-pages.ts';
import { type ListSourcePagesOptions, listSourcePages } from './source-pages.ts';
import { addRun, ending, outcome, page, useStore } from './testing/store.ts';

const store = useStore();
type Run = Awaited<ReturnType<typeof addRun>>;
let first: Run;
let second: Run;

/** The first run sees a–d; the second sees a as it was, b changed, e new, and d missing. c is not met. */
beforeAll(async () => {
  first = await addRun(store.db);
  await savePages(
    store.db,
    first,
    ['a', 'b', 'c', 'd'].map((name) => page(name)),
  );
  await sealRun(store.db, first.runId);
  await finalizeRun(store.db, first.runId, ending(['a', 'b', 'c', 'd']));
  second = await addRun(store.db, first.sourceId);
  await savePages(store.db, second, [page('a'), page('b', { text: 'other', title: '100% new_' }), page('e')]);
  await sealRun(store.db, second.runId);
  await finalizeRun(store.db, second.runId, ending(['a', 'b', 'e'], { outcomes: [outcome('d')] }));
  const other = await addRun(store.db);
  await savePages(store.db, other, [page('a'), page('z')]);
});

async function all(options: Partial<ListSourcePagesOptions> = {}): Promise<PageSummary[]> {
  const items: PageSummary[] = [];
  let cursor: string | undefined;
  do {
    const part = await listSourcePages(store.db, first.sourceId, { limit: 2, ...options, cursor });
    if (part.kind !== 'listed') throw new Error(part.kind);
    items.push(...part.items);
    cursor = part.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return items;
}
const names = (items: readonly PageSummary[]) =>
  items.map((item) => item.url.replace('https://example.com/', '')).sort();

describe('the pages of a source', () => {
  it.each([1, 2, 3, 4, 5])('are those that are there, each once, in parts of %i', async (limit) => {
    expect(names(await all({ limit }))).toEqual(['a', 'b', 'c', 'e']);
  });

  it('are shown as the last run that kept them saw them, under the id of that', async () => {
    const byName = new Map((await all()).map((item) => [item.url.replace('https://example.com/', ''), item]));
    expect(byName.get('a')?.change).toBe('unchanged');
    expect(byName.get('b')).toMatchObject({ change: 'changed', title: '100% new_' });
    expect(byName.get('c')?.change).toBe('new');
    for (const item of byName.values()) {
      expect(pageSummarySchema.strict().parse(item)).toEqual(item);
      expect(await getPage(store.db, item.id)).toMatchObject({ id: item.id, url: item.url, text: expect.any(String) });
    }
  });

  it('are filtered by what the last run found; those that are gone are listed only so', async () => {
    expect(names(await all({ change: 'unchanged' }))).toEqual(['a']);
    expect(names(await all({ change: 'changed' }))).toEqual(['b']);
    expect(names(await all({ change: 'new' }))).toEqual(['c', 'e']);
    const gone = await all({ change: 'gone' });
    expect(gone).toMatchObject([{ url: 'https://example.com/d', change: 'gone', outcome: 'processed' }]);
  });

  it.each([
    ['/A', ['a']],
    ['100%', ['b']],
    ['new_', ['b']],
    ['title of d', []],
  ])('are found by %j, literally, in URL or title', async (q, expected) => {
    expect(names(await all({ q }))).toEqual(expected);
  });

  it('do not hold one that was read for its links only', async () => {
    const run = await addRun(store.db);
    const skipped = { code: 'ROBOTS_NOINDEX', message: 'x', retryable: false, attempts: 1 } as const;
    await savePages(store.db, run, [page('kept'), page('noindex', { skipped })]);
    const listed = await listSourcePages(store.db, run.sourceId, { limit: 10 });
    expect(listed).toMatchObject({ kind: 'listed', items: [{ url: 'https://example.com/kept' }] });
  });

  it.each(['', 'x', Buffer.from('page 1').toString('base64url'), Buffer.from('source-page 1').toString('base64url')])(
    'have no cursor %j',
    async (cursor) => {
      expect(await listSourcePages(store.db, first.sourceId, { limit: 3, cursor })).toEqual({ kind: 'bad-cursor' });
    },
  );
});
