import { type SourceChange, type SourceId, sourceChangesSchema } from '@trawl/contracts';
import { describe, expect, it } from 'vitest';
import { deleteRun } from './delete-run.ts';
import { finalizeRun } from './finalize-run.ts';
import { getPage } from './read-pages.ts';
import { sealRun } from './run-status.ts';
import { savePages } from './save-pages.ts';
import { listChanges } from './source-changes.ts';
import { addRun, ending, outcome, page, useStore } from './testing/store.ts';

const store = useStore();

/** A whole run: what it kept, by name and text, and what answered 404. */
async function crawl(sourceId: SourceId | null, kept: Record<string, string>, missing: readonly string[] = []) {
  const run = await addRun(store.db, sourceId);
  const pages = Object.entries(kept).map(([name, text]) => page(name, { text }));
  if (pages.length > 0) await savePages(store.db, run, pages);
  await sealRun(store.db, run.runId);
  const outcomes = missing.map((name) => outcome(name));
  await finalizeRun(store.db, run.runId, ending(Object.keys(kept), { outcomes }));
  return run;
}

async function listed(sourceId: SourceId, o: { since?: string | null; limit?: number; cursor?: string | null } = {}) {
  const part = await listChanges(store.db, sourceId, {
    limit: o.limit ?? 100,
    ...(o.since ? { since: new Date(o.since) } : {}),
    ...(o.cursor ? { cursor: o.cursor } : {}),
  });
  if (part.kind !== 'listed') throw new Error(part.kind);
  const { kind: _, ...answer } = part;
  expect(sourceChangesSchema.parse(answer)).toEqual(answer);
  return part;
}

const brief = (items: readonly SourceChange[]) =>
  items.map(({ change, url }) => `${change} ${url.replace('https://example.com/', '')}`);

/** Part by part, calling `between` after the first. */
async function walk(sourceId: SourceId, limit: number, since: string | null, between = async () => {}) {
  const items: SourceChange[] = [];
  let part = await listed(sourceId, { since, limit });
  items.push(...part.items);
  await between();
  while (part.nextCursor !== null) {
    expect(part.asOf).toBe(since);
    part = await listed(sourceId, { since, limit, cursor: part.nextCursor });
    items.push(...part.items);
  }
  return { items, asOf: part.asOf };
}

describe('the changes of a source', () => {
  it('are all of its pages at first, and then what each run found', async () => {
    const { sourceId } = await crawl(null, { a: '1', b: '1', c: '1' });
    const first = await listed(sourceId);
    expect(brief(first.items).sort()).toEqual(['new a', 'new b', 'new c']);
    expect(first.asOf).toBe(first.items[0]?.changedAt);

    await crawl(sourceId, { a: '1', b: '2', d: '1' }, ['c']);
    const second = await listed(sourceId, { since: first.asOf });
    expect(brief(second.items).sort()).toEqual(['changed b', 'gone c', 'new d']);
    expect(Date.parse(second.asOf ?? '')).toBeGreaterThan(Date.parse(first.asOf ?? ''));

    expect(await listed(sourceId, { since: second.asOf })).toEqual({
      kind: 'listed',
      items: [],
      nextCursor: null,
      asOf: second.asOf,
    });
  });

  it('hold a page that came and went once, as what it is now', async () => {
    const { sourceId } = await crawl(null, { a: '1' });
    const { asOf } = await listed(sourceId);
    await crawl(sourceId, { a: '2', b: '1' });
    await crawl(sourceId, { a: '3' }, ['b']);
    expect(brief((await listed(sourceId, { since: asOf })).items).sort()).toEqual(['changed a', 'gone b']);
    await crawl(sourceId, { b: '1' });
    expect(brief((await listed(sourceId, { since: asOf })).items)).toEqual(['changed a', 'new b']);
  });

  it('are nothing, and of no time, for a source without runs that ended', async () => {
    const run = await addRun(store.db);
    await savePages(store.db, run, [page('a')]);
    expect(await listed(run.sourceId)).toMatchObject({ items: [], nextCursor: null, asOf: null });
    const since = '2026-01-01T00:00:00.000Z';
    expect(await listed(run.sourceId, { since })).toMatchObject({ items: [], asOf: since });
  });

  it('tell where to read the page, and by which run it was found, until that is deleted', async () => {
    const { sourceId, runId } = await crawl(null, { a: '1' });
    const [item] = (await listed(sourceId)).items;
    expect(await getPage(store.db, item?.pageId ?? '')).toMatchObject({ url: 'https://example.com/a', text: '1' });
    expect(item).toMatchObject({ key: 'example.com/a', title: 'Title of a', contentHash: 'hash of 1' });
    expect(item?.runId).toBe(runId);
    const second = await crawl(sourceId, { a: '1', b: '1' });
    expect((await listed(sourceId)).items.map((change) => change.runId)).toEqual([runId, second.runId]);
    await deleteRun(store.db, runId);
    expect((await listed(sourceId)).items.map((change) => change.runId)).toEqual([null, second.runId]);
  });

  it.each([1, 2, 3, 7, 8, 9])('come each exactly once in parts of %i', async (limit) => {
    const { sourceId } = await crawl(null, { a: '1', b: '1', c: '1', d: '1', e: '1' });
    await crawl(sourceId, { a: '2', f: '1', g: '1', h: '1' }, ['b']);
    const { items, asOf } = await walk(sourceId, limit, null);
    expect(brief(items).sort()).toEqual(
      ['changed a', 'gone b', 'new c', 'new d', 'new e', 'new f', 'new g', 'new h'].sort(),
    );
    expect(items.map((item) => item.changedAt)).toEqual(items.map((item) => item.changedAt).sort());
    expect(asOf).toBe(items.at(-1)?.changedAt);
  });

  it.each([1, 2])('miss nothing when a run ends between two parts of %i', async (limit) => {
    const { sourceId } = await crawl(null, { a: '1', b: '1', c: '1', d: '1' });
    const start = await listed(sourceId);
    await crawl(sourceId, { a: '2', b: '2', c: '2', d: '2' });
    const mirror = new Map(start.items.map((item) => [item.key, item.contentHash]));
    const { items, asOf } = await walk(sourceId, limit, start.asOf, async () => {
      await crawl(sourceId, { a: '3', b: '3', e: '1' }, ['d']);
    });
    for (const item of items) {
      if (item.change === 'gone') mirror.delete(item.key);
      else mirror.set(item.key, item.contentHash);
    }
    expect(Object.fromEntries(mirror)).toEqual({
      'example.com/a': 'hash of 3',
      'example.com/b': 'hash of 3',
      'example.com/c': 'hash of 2',
      'example.com/e': 'hash of 1',
    });
    expect((await listed(sourceId, { since: asOf })).items).toEqual([]);
    // Told twice only where it changed twice: once before the run ended, once after.
    const told = items.map((item) => `${item.key} ${item.changedAt}`);
    expect(new Set(told).size).toBe(told.length);
    expect(items).toHaveLength(
      5 + items.filter((item) => items.some((o) => o.key === item.key && o !== item)).length / 2,
    );
  });

  it.each(['', 'x', Buffer.from('change 1 x').toString('base64url'), Buffer.from('page 1').toString('base64url')])(
    'have no cursor %j',
    async (cursor) => {
      const { sourceId } = await addRun(store.db);
      expect(await listChanges(store.db, sourceId, { limit: 3, cursor })).toEqual({ kind: 'bad-cursor' });
    },
  );
});
