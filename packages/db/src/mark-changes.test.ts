/** What the end of a run tells its source: `finalizeRun`, as far as it is about the pages of the source. */
import type { RunId, SourceId } from '@trawl/contracts';
import { describe, expect, it } from 'vitest';
import { deleteRun } from './delete-run.ts';
import { finalizeRun } from './finalize-run.ts';
import { sealRun } from './run-status.ts';
import { getRun } from './runs.ts';
import { savePages } from './save-pages.ts';
import { addRun, ending, key, outcome, page, pagesOf, useStore, waiters } from './testing/store.ts';
import type { FinalizeRunOptions, OutcomeRow } from './types.ts';

const store = useStore();

type WasToFind = NonNullable<FinalizeRunOptions['wasToFind']>;
const ALL: WasToFind = () => () => true;

interface Seen {
  /** What the run kept: text by name. */
  readonly kept?: Record<string, string>;
  /** Names that answered 404. */
  readonly missing?: readonly string[];
  readonly outcomes?: readonly OutcomeRow[];
  readonly wasToFind?: WasToFind;
}

/** A whole run of a source. */
async function crawl(sourceId: SourceId | null, { kept = {}, missing = [], outcomes = [], wasToFind }: Seen) {
  const run = await addRun(store.db, sourceId);
  const pages = Object.entries(kept).map(([name, text]) => page(name, { text }));
  while (pages.length > 0) await savePages(store.db, run, pages.splice(0, 100));
  await sealRun(store.db, run.runId);
  const end = ending(Object.keys(kept), { outcomes: [...missing.map((name) => outcome(name)), ...outcomes] });
  await finalizeRun(store.db, run.runId, { ...end, ...(wasToFind && { wasToFind }) });
  return run;
}

/** What the source says of each of its pages: `[change, when, whether it is gone]`; times as text, to the last digit. */
async function changes(sourceId: SourceId): Promise<Record<string, unknown>> {
  const rows = await store.database.sql`
    SELECT key, change, changed_at::text, gone_at::text FROM pages WHERE source_id = ${sourceId}`;
  return Object.fromEntries(
    rows.map(({ key: k, change, changed_at, gone_at }) => {
      if (gone_at !== null && gone_at !== changed_at) throw new Error(`${k} went at ${gone_at}, told at ${changed_at}`);
      if ((change === 'gone') !== (gone_at !== null)) throw new Error(`${k} is ${change}, and gone at ${gone_at}`);
      return [k.replace('example.com/', ''), [change, changed_at]];
    }),
  );
}

async function endOf(runId: RunId): Promise<string> {
  const [row] = await store.database.sql`SELECT finished_at::text FROM runs WHERE id = ${runId}`;
  if (!row?.finished_at) throw new Error('the run is not finished');
  return row.finished_at;
}

const counts = async (runId: RunId) => {
  const { new: fresh, changed, unchanged, gone } = (await getRun(store.db, runId))?.stats ?? {};
  return { new: fresh, changed, unchanged, gone };
};

const changeOf = async (runId: RunId, name: string) =>
  (await pagesOf(store.db, runId)).find(({ url }) => url.endsWith(`/${name}`))?.change;

describe('the end of a run', () => {
  it('makes all pages of a first run new, at the time the run ends', async () => {
    const run = await crawl(null, { kept: { a: '1', b: '1' }, missing: ['c'] });
    const at = await endOf(run.runId);
    expect(await changes(run.sourceId)).toEqual({ a: ['new', at], b: ['new', at] });
    expect(await counts(run.runId)).toEqual({ new: 2, changed: 0, unchanged: 0, gone: 0 });
  });

  it('says nothing of pages before it has come', async () => {
    const run = await addRun(store.db);
    await savePages(store.db, run, [page('a')]);
    expect(await changes(run.sourceId)).toEqual({ a: [null, null] });
  });

  it('tells new, changed and unchanged pages apart; what is unchanged keeps its time', async () => {
    const first = await crawl(null, { kept: { same: '1', other: '1' } });
    const second = await crawl(first.sourceId, { kept: { same: '1', other: '2', fresh: '1' } });
    const [before, after] = [await endOf(first.runId), await endOf(second.runId)];
    expect(await changes(first.sourceId)).toEqual({
      same: ['new', before],
      other: ['changed', after],
      fresh: ['new', after],
    });
    expect(await counts(second.runId)).toEqual({ new: 1, changed: 1, unchanged: 1, gone: 0 });
    const third = await crawl(first.sourceId, { kept: { same: '1', other: '2', fresh: '1' } });
    expect(await counts(third.runId)).toEqual({ new: 0, changed: 0, unchanged: 3, gone: 0 });
    expect((await changes(first.sourceId)).other).toEqual(['changed', after]);
  });

  it('comes later than every run before it, be they a millisecond apart or the clock set back', async () => {
    const first = await crawl(null, { kept: { a: '0' } });
    const ends = [await endOf(first.runId)];
    for (let i = 1; i <= 5; i++) {
      const run = await crawl(first.sourceId, { kept: { a: String(i) } });
      ends.push(await endOf(run.runId));
      expect((await changes(first.sourceId)).a).toEqual(['changed', ends.at(-1)]);
    }
    const [ahead] = await store.database.sql`
      UPDATE pages SET changed_at = now() + interval '1 hour' WHERE source_id = ${first.sourceId}
      RETURNING changed_at::text`;
    ends.push(ahead?.changed_at);
    for (const kept of [{ a: '6' }, { a: '7' }]) ends.push(await endOf((await crawl(first.sourceId, { kept })).runId));
    const times = ends.map((end) => Date.parse(end));
    expect(new Set(times).size).toBe(ends.length);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect((await changes(first.sourceId)).a).toEqual(['changed', ends.at(-1)]);
  });

  it('has whole milliseconds, as what reads it compares them', async () => {
    const run = await crawl(null, { kept: { a: '1' } });
    const [row] = await store.database.sql`
      SELECT changed_at = date_trunc('milliseconds', changed_at) AS whole FROM pages WHERE source_id = ${run.sourceId}`;
    expect(row?.whole).toBe(true);
    expect((await getRun(store.db, run.runId))?.finishedAt).toBe(new Date(await endOf(run.runId)).toISOString());
  });

  it('comes one after the other where two runs of a source end together, and waits for no other source', async () => {
    const { sourceId } = await crawl(null, { kept: { a: '1', b: '1' } });
    const runs = await Promise.all(
      ['a', 'b'].map(async (name) => {
        const run = await addRun(store.db, sourceId);
        await savePages(store.db, run, [page(name, { text: '2' })]);
        await sealRun(store.db, run.runId);
        return { ...run, name };
      }),
    );
    let ending2: Promise<unknown> = Promise.resolve();
    await store.database.sql.begin(async (tx) => {
      await tx`SELECT FROM sources WHERE id = ${sourceId} FOR NO KEY UPDATE`;
      ending2 = Promise.all(runs.map(({ runId, name }) => finalizeRun(store.db, runId, ending([name]))));
      await waiters(store, 2);
      const elsewhere = await crawl(null, { kept: { a: '1' } });
      expect(await counts(elsewhere.runId)).toMatchObject({ new: 1 });
    });
    await ending2;
    const [a, b] = await Promise.all(runs.map(({ runId }) => endOf(runId)));
    expect(a).not.toBe(b);
    expect(await changes(sourceId)).toEqual({ a: ['changed', a], b: ['changed', b] });
  });

  it('lets runs be added to the source and pages be saved meanwhile', async () => {
    const { sourceId } = await crawl(null, { kept: { a: '1' } });
    await store.database.sql.begin(async (tx) => {
      await tx`SELECT FROM sources WHERE id = ${sourceId} FOR NO KEY UPDATE`;
      const run = await addRun(store.db, sourceId);
      expect(await savePages(store.db, run, [page('b')])).toEqual({ kind: 'saved' });
    });
  });

  it('tells nothing twice when it is written again', async () => {
    const { sourceId } = await crawl(null, { kept: { a: '1', b: '1', c: '1' } });
    const run = await crawl(sourceId, { kept: { a: '2' }, missing: ['b'], wasToFind: ALL });
    const [told, counted] = [await changes(sourceId), await counts(run.runId)];
    expect(counted).toEqual({ new: 0, changed: 1, unchanged: 0, gone: 2 });
    await finalizeRun(store.db, run.runId, { ...ending(['a']), wasToFind: ALL });
    expect([await changes(sourceId), await counts(run.runId)]).toEqual([told, counted]);
  });
});

const NOINDEX = { code: 'ROBOTS_NOINDEX', message: 'It asks not to be kept.', retryable: false, attempts: 1 } as const;

/** A run to which a page said that it is not to be kept: it is read for its links. */
async function crawlNoindex(sourceId: SourceId, name: string) {
  const run = await addRun(store.db, sourceId);
  await savePages(store.db, run, [page(name, { title: null, text: '', markdown: null, chunks: [], skipped: NOINDEX })]);
  await sealRun(store.db, run.runId);
  const skipped = outcome(name, { outcome: 'skipped', httpStatus: 200, error: NOINDEX });
  await finalizeRun(store.db, run.runId, ending([], { outcomes: [skipped] }));
  return run;
}

describe('a known page that is no longer there', () => {
  it('is gone, and what it was is kept', async () => {
    const { sourceId } = await crawl(null, { kept: { a: '1', b: '1', c: '1' } });
    const before = await changes(sourceId);
    const run = await crawl(sourceId, {
      kept: { c: '1' },
      missing: ['a'],
      outcomes: [outcome('b', { httpStatus: 410 })],
    });
    const at = await endOf(run.runId);
    expect(await changes(sourceId)).toEqual({ a: ['gone', at], b: ['gone', at], c: before.c });
    expect(await counts(run.runId)).toEqual({ new: 0, changed: 0, unchanged: 1, gone: 2 });
    expect(await changeOf(run.runId, 'a')).toBe('gone');
    const [kept] = await store.database.sql`
      SELECT text, title FROM pages WHERE source_id = ${sourceId} AND key = ${key('a')}`;
    expect(kept).toEqual({ text: '1', title: 'Title of a' });
  });

  it.each([301, 308])('but for good somewhere else (%i) is gone', async (httpStatus) => {
    const { sourceId } = await crawl(null, { kept: { a: '1' } });
    const error = { code: 'REDIRECTED', message: 'It redirects.', retryable: false, attempts: 1 } as const;
    const run = await crawl(sourceId, { outcomes: [outcome('a', { outcome: 'skipped', httpStatus, error })] });
    expect(await changes(sourceId)).toEqual({ a: ['gone', await endOf(run.runId)] });
  });

  it('is not taken for gone with a page that the run met and could not read: that may have led there', async () => {
    const { sourceId } = await crawl(null, { kept: { hub: '1', a: '1' } });
    const before = await changes(sourceId);
    const error = { code: 'REDIRECTED', message: 'It redirects.', retryable: false, attempts: 1 } as const;
    const login = outcome('hub', { outcome: 'skipped', httpStatus: 302, error });
    await crawl(sourceId, { outcomes: [login], wasToFind: ALL });
    expect(await changes(sourceId)).toEqual(before);
  });

  it('is not judged by a run that looks in another way than the one that found it', async () => {
    const { sourceId } = await crawl(null, { kept: { start: '1', a: '1' } });
    const before = await changes(sourceId);
    await store.database
      .sql`UPDATE runs SET config = jsonb_set(config, '{maxDepth}', '7') WHERE source_id = ${sourceId}`;
    await crawl(sourceId, { kept: { start: '1' }, wasToFind: ALL });
    expect(await changes(sourceId)).toEqual(before);
  });

  it.each([302, 307, 401, 403, 429, 500, 503, null])('may be there again after %s, and stays', async (httpStatus) => {
    const { sourceId } = await crawl(null, { kept: { a: '1' } });
    const before = await changes(sourceId);
    const run = await crawl(sourceId, { outcomes: [outcome('a', { httpStatus })], wasToFind: ALL });
    expect(await changes(sourceId)).toEqual(before);
    expect(await counts(run.runId)).toMatchObject({ gone: 0 });
    expect(await changeOf(run.runId, 'a')).toBeNull();
  });

  it('to be kept is gone, and new when it is', async () => {
    const { sourceId } = await crawl(null, { kept: { a: '1' } });
    const run = await crawlNoindex(sourceId, 'a');
    expect(await changes(sourceId)).toEqual({ a: ['gone', await endOf(run.runId)] });
    expect(await counts(run.runId)).toEqual({ new: 0, changed: 0, unchanged: 0, gone: 1 });
    const back = await crawl(sourceId, { kept: { a: '1' } });
    expect(await changes(sourceId)).toEqual({ a: ['new', await endOf(back.runId)] });
    const [row] = await store.database.sql`SELECT text, title FROM pages WHERE source_id = ${sourceId}`;
    expect(row).toEqual({ text: '1', title: 'Title of a' });
  });

  it('to be kept is not gone a second time', async () => {
    const { sourceId } = await crawl(null, { kept: { a: '1' } });
    await crawlNoindex(sourceId, 'a');
    const before = await changes(sourceId);
    const again = await crawlNoindex(sourceId, 'a');
    expect(await changes(sourceId)).toEqual(before);
    expect(await counts(again.runId)).toMatchObject({ gone: 0 });
  });

  it('is not gone a second time', async () => {
    const { sourceId } = await crawl(null, { kept: { a: '1' } });
    await crawl(sourceId, { missing: ['a'] });
    const before = await changes(sourceId);
    const again = await crawl(sourceId, { missing: ['a'], wasToFind: ALL });
    expect(await changes(sourceId)).toEqual(before);
    expect(await counts(again.runId)).toMatchObject({ gone: 0 });
    expect(await changeOf(again.runId, 'a')).toBeNull();
  });

  it('is new when it is back, be it as it was', async () => {
    const { sourceId } = await crawl(null, { kept: { a: '1' } });
    await crawl(sourceId, { missing: ['a'] });
    const back = await crawl(sourceId, { kept: { a: '1' } });
    expect(await changes(sourceId)).toEqual({ a: ['new', await endOf(back.runId)] });
    expect(await counts(back.runId)).toEqual({ new: 1, changed: 0, unchanged: 0, gone: 0 });
    const after = await crawl(sourceId, { kept: { a: '1' } });
    expect(await counts(after.runId)).toMatchObject({ new: 0, unchanged: 1 });
    const gone = await crawl(sourceId, { missing: ['a'] });
    expect(await changes(sourceId)).toEqual({ a: ['gone', await endOf(gone.runId)] });
  });

  it('is gone for its own source only', async () => {
    const { sourceId } = await crawl(null, { kept: { a: '1' } });
    const other = await crawl(null, { missing: ['a'] });
    expect(await counts(other.runId)).toMatchObject({ gone: 0 });
    expect((await changes(sourceId)).a).toMatchObject(['new', expect.anything()]);
  });
});

describe('a known page that a run did not meet', () => {
  it.each<[string, WasToFind | undefined]>([
    ['that says nothing of what it was to find', undefined],
    ['that can not tell what it was to find', () => null],
    ['that was not to find it', () => () => false],
  ])('stays for a run %s', async (_, wasToFind) => {
    const { sourceId } = await crawl(null, { kept: { a: '1' } });
    const before = await changes(sourceId);
    const run = await crawl(sourceId, { kept: { b: '1' }, ...(wasToFind && { wasToFind }) });
    expect((await changes(sourceId)).a).toEqual(before.a);
    expect(await counts(run.runId)).toMatchObject({ new: 1, gone: 0 });
  });

  it('is gone where the run was to find it, and only there', async () => {
    const { sourceId } = await crawl(null, { kept: { 'in/a': '1', 'in/b': '1', 'out/a': '1', 'in/met': '1' } });
    const before = await changes(sourceId);
    const asked: string[] = [];
    const wasToFind: WasToFind = () => (url) => {
      asked.push(url);
      return url.startsWith('https://example.com/in/');
    };
    const run = await crawl(sourceId, { kept: { 'in/met': '1' }, wasToFind });
    const at = await endOf(run.runId);
    expect(await changes(sourceId)).toEqual({ ...before, 'in/a': ['gone', at], 'in/b': ['gone', at] });
    expect(asked.sort()).toEqual(['in/a', 'in/b', 'out/a'].map((name) => `https://example.com/${name}`));
    expect(await counts(run.runId)).toEqual({ new: 0, changed: 0, unchanged: 1, gone: 2 });
    expect(await pagesOf(store.db, run.runId)).toHaveLength(1);
  });

  it('counts beside those that answered 404', async () => {
    const { sourceId } = await crawl(null, { kept: { a: '1', b: '1', c: '1', d: '1', e: '1' } });
    const run = await crawl(sourceId, { kept: { a: '1' }, missing: ['b', 'never-known'], wasToFind: ALL });
    expect(await counts(run.runId)).toEqual({ new: 0, changed: 0, unchanged: 1, gone: 4 });
  });

  it('is not gone a second time, and is new when it is back', async () => {
    const { sourceId } = await crawl(null, { kept: { a: '1' } });
    await crawl(sourceId, { wasToFind: ALL });
    const before = await changes(sourceId);
    const again = await crawl(sourceId, { wasToFind: ALL });
    expect(await changes(sourceId)).toEqual(before);
    expect(await counts(again.runId)).toMatchObject({ gone: 0 });
    const back = await crawl(sourceId, { kept: { a: '1' }, wasToFind: ALL });
    expect(await changes(sourceId)).toEqual({ a: ['new', await endOf(back.runId)] });
  });

  it('is asked about when all outcomes have been written', async () => {
    const { sourceId } = await crawl(null, { kept: { a: '1' } });
    const run = await addRun(store.db, sourceId);
    await sealRun(store.db, run.runId);
    const order: string[] = [];
    await finalizeRun(store.db, run.runId, {
      ...ending([]),
      outcomes: (async function* () {
        yield [outcome('x')];
        order.push('outcomes');
      })(),
      wasToFind: () => {
        order.push('wasToFind');
        return null;
      },
    });
    expect(order).toEqual(['outcomes', 'wasToFind']);
  });

  it('is one of 2,500 that are gone at once', async () => {
    const names = Array.from({ length: 2500 }, (_, i) => `page-${i}`);
    const { sourceId } = await crawl(null, { kept: Object.fromEntries(names.map((name) => [name, name])) });
    const run = await crawl(sourceId, { kept: { 'page-7': 'page-7' }, wasToFind: ALL });
    expect(await counts(run.runId)).toEqual({ new: 0, changed: 0, unchanged: 1, gone: 2499 });
    const told = Object.values(await changes(sourceId));
    expect(told.filter((entry) => Array.isArray(entry) && entry[0] === 'gone')).toHaveLength(2499);
  });

  it('of another source stays', async () => {
    const other = await crawl(null, { kept: { a: '1' } });
    const before = await changes(other.sourceId);
    await crawl((await crawl(null, { kept: { a: '1' } })).sourceId, { wasToFind: ALL });
    expect(await changes(other.sourceId)).toEqual(before);
  });
});

describe('a change that was saved but not counted', () => {
  /** A run that ends with this page saved and not among the processed, as when it is cancelled in between. */
  async function crawlUncounted(sourceId: SourceId, name: string, text: string) {
    const run = await addRun(store.db, sourceId);
    await savePages(store.db, run, [page(name, { text })]);
    await sealRun(store.db, run.runId);
    await finalizeRun(store.db, run.runId, ending([]));
  }

  it('is told by the next run that sees it', async () => {
    const { sourceId } = await crawl(null, { kept: { a: '1' } });
    await crawlUncounted(sourceId, 'a', '2');
    const run = await crawl(sourceId, { kept: { a: '2' } });
    expect(await changes(sourceId)).toEqual({ a: ['changed', await endOf(run.runId)] });
  });

  it('leaves a page that is gone so, and the next run that sees it makes it new', async () => {
    const { sourceId } = await crawl(null, { kept: { a: '1' } });
    const gone = await crawl(sourceId, { missing: ['a'] });
    await crawlUncounted(sourceId, 'a', '1');
    expect(await changes(sourceId)).toEqual({ a: ['gone', await endOf(gone.runId)] });
    const run = await crawl(sourceId, { kept: { a: '1' } });
    expect(await changes(sourceId)).toEqual({ a: ['new', await endOf(run.runId)] });
  });

  it('is told by the run beside it when its own is deleted', async () => {
    const { sourceId } = await crawl(null, { kept: { x: '1' } });
    const first = await addRun(store.db, sourceId);
    await savePages(store.db, first, [page('a')]);
    const second = await addRun(store.db, sourceId);
    await savePages(store.db, second, [page('a')]);
    await deleteRun(store.db, first.runId);
    await sealRun(store.db, second.runId);
    await finalizeRun(store.db, second.runId, ending(['a']));
    expect((await changes(sourceId)).a).toEqual(['new', await endOf(second.runId)]);
  });
});
