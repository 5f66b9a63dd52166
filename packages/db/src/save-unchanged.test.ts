import { newRunId, newSourceId, type SourceId } from '@trawl/contracts';
import type postgres from 'postgres';
import { describe, expect, it } from 'vitest';
import { deleteRun } from './delete-run.ts';
import { finalizeRun } from './finalize-run.ts';
import { sealRun } from './run-status.ts';
import { savePages } from './save-pages.ts';
import { saveUnchanged } from './save-unchanged.ts';
import { addRun, ending, key, outcome, page, pagesOf, useStore, waiters } from './testing/store.ts';
import type { PageToSave, UnchangedPage } from './types.ts';

const store = useStore(12);

type Run = Awaited<ReturnType<typeof addRun>>;

const ASKED_AT = new Date('2026-05-06T07:08:09.012Z');

const same = (name: string, over: Partial<UnchangedPage> = {}): UnchangedPage => ({
  key: key(name),
  depth: 2,
  parentUrl: 'https://example.com/parent',
  httpStatus: 304,
  elapsedMs: 7.6,
  crawledAt: ASKED_AT,
  etag: null,
  lastModified: null,
  ...over,
});

/** A run that ended with these pages, and the one after it. */
async function knownBefore(pages: readonly PageToSave[], missing: readonly string[] = []) {
  const earlier = await addRun(store.db);
  await savePages(store.db, earlier, pages);
  await finish(
    earlier,
    pages.map((p) => p.key.replace('example.com/', '')),
    [],
  );
  if (missing.length > 0) await finish(await addRun(store.db, earlier.sourceId), [], missing);
  return { earlier, run: await addRun(store.db, earlier.sourceId) };
}

async function finish(run: Run, processed: readonly string[], missing: readonly string[] = []) {
  await sealRun(store.db, run.runId);
  await finalizeRun(store.db, run.runId, ending(processed, { outcomes: missing.map((name) => outcome(name)) }));
}

/** All that is kept of a source's page. */
async function kept(sourceId: SourceId, name: string) {
  const [row] = await store.database.sql`SELECT * FROM pages WHERE source_id = ${sourceId} AND key = ${key(name)}`;
  if (!row) throw new Error(`${name} is not there`);
  return row;
}

async function savedKeys(run: Run, pages: readonly UnchangedPage[]) {
  const result = await saveUnchanged(store.db, run, pages);
  if (result.kind !== 'saved') throw new Error(result.kind);
  return [...result.pages.keys()].sort();
}

describe('saveUnchanged', () => {
  it('has the run see the page as it is known', async () => {
    const { run } = await knownBefore([page('a', { finalUrl: 'https://example.com/a/' })]);
    expect(await savedKeys(run, [same('a')])).toEqual([key('a')]);
    expect(await pagesOf(store.db, run.runId)).toEqual([
      {
        id: expect.stringMatching(/^page_\d+$/),
        url: 'https://example.com/a',
        finalUrl: 'https://example.com/a/',
        depth: 2,
        parentUrl: 'https://example.com/parent',
        outcome: 'processed',
        httpStatus: 304,
        contentType: 'text/html',
        title: 'Title of a',
        language: 'en',
        bytes: 1234,
        elapsedMs: 8,
        rendered: false,
        change: 'unchanged',
        contentHash: 'hash of text of a',
        duplicateOf: null,
        crawledAt: ASKED_AT.toISOString(),
        error: null,
      },
    ]);
  });

  it('writes nothing of the content again', async () => {
    const { run } = await knownBefore([
      page('a', { bodyHash: 'body', simhash: 5n, etag: '"v1"', lastModified: 'then' }),
    ]);
    const before = await kept(run.sourceId, 'a');
    await saveUnchanged(store.db, run, [same('a')]);
    expect(await kept(run.sourceId, 'a')).toEqual({ ...before, crawled_at: ASKED_AT, last_run_id: run.runId });
    expect(before).toMatchObject({ markdown: '# text of a', text: 'text of a', etag: '"v1"', last_modified: 'then' });
    const chunks = await store.database.sql`SELECT text FROM chunks WHERE page_id = ${before.id}`;
    expect(chunks.map((chunk) => chunk.text)).toEqual(['text of a']);
  });

  it('keeps the time of a page that was not asked for', async () => {
    const { run } = await knownBefore([page('asked'), page('fresh')]);
    const { crawledAt } = page('fresh');
    await saveUnchanged(store.db, run, [same('asked'), same('fresh', { crawledAt: null })]);
    expect((await kept(run.sourceId, 'asked')).crawled_at).toEqual(ASKED_AT);
    expect((await kept(run.sourceId, 'fresh')).crawled_at).toEqual(crawledAt);
    const times = (await pagesOf(store.db, run.runId)).map((p) => [p.title, p.crawledAt]);
    expect(Object.fromEntries(times)).toEqual({
      'Title of asked': ASKED_AT.toISOString(),
      'Title of fresh': crawledAt.toISOString(),
    });
  });

  it.each([
    [{}, { etag: '"v1"', last_modified: 'then' }],
    [{ etag: '"v2"' }, { etag: '"v2"', last_modified: 'then' }],
    [{ lastModified: 'now' }, { etag: '"v1"', last_modified: 'now' }],
    [
      { etag: '"v2"', lastModified: 'now' },
      { etag: '"v2"', last_modified: 'now' },
    ],
  ])('takes over the validators that came: %j', async (came, expected) => {
    const { run } = await knownBefore([page('a', { etag: '"v1"', lastModified: 'then' })]);
    await saveUnchanged(store.db, run, [same('a', came)]);
    expect(await kept(run.sourceId, 'a')).toMatchObject(expected);
  });

  it('gives back where the page leads, and what it said', async () => {
    const links = [
      { url: 'https://example.com/x', text: 'x', rel: 'nofollow' },
      { url: 'https://example.com/y', text: 'y', rel: '' },
    ];
    const metadata = { canonicalUrl: 'https://example.com/real', robots: { noindex: false, nofollow: true } };
    const { run } = await knownBefore([page('a', { links, metadata }), page('b', { links: [], metadata: {} })]);
    expect(await saveUnchanged(store.db, run, [same('a'), same('b')])).toEqual({
      kind: 'saved',
      pages: new Map([
        [
          key('a'),
          {
            url: 'https://example.com/a',
            links,
            nofollow: true,
            canonicalUrl: 'https://example.com/real',
            contentHash: 'hash of text of a',
          },
        ],
        [
          key('b'),
          {
            url: 'https://example.com/b',
            links: [],
            nofollow: false,
            canonicalUrl: null,
            contentHash: 'hash of text of b',
          },
        ],
      ]),
    });
  });

  it('says nothing of pages that are not known, are gone or are of another source', async () => {
    await knownBefore([page('elsewhere')]);
    const { run } = await knownBefore([page('a'), page('gone')], ['gone']);
    expect(
      await savedKeys(
        run,
        ['a', 'gone', 'elsewhere', 'never'].map((name) => same(name)),
      ),
    ).toEqual([key('a')]);
    expect(await pagesOf(store.db, run.runId)).toHaveLength(1);
    expect(await savedKeys(run, [same('gone'), same('never')])).toEqual([]);
    expect(await savedKeys(run, [])).toEqual([]);
    expect((await kept(run.sourceId, 'gone')).gone_at).not.toBeNull();
  });

  it('saves nothing for a run that is sealed, deleted or of another source', async () => {
    const { run, earlier } = await knownBefore([page('a')]);
    const before = await kept(run.sourceId, 'a');
    const save = (of: Run) => saveUnchanged(store.db, of, [same('a', { etag: '"late"' })]);
    expect(await save({ ...run, runId: newRunId() })).toEqual({ kind: 'no-run' });
    expect(await save({ ...run, sourceId: newSourceId() })).toEqual({ kind: 'no-run' });
    expect(await save(earlier)).toEqual({ kind: 'sealed' });
    await sealRun(store.db, run.runId);
    expect(await save(run)).toEqual({ kind: 'sealed' });
    expect(await pagesOf(store.db, run.runId)).toEqual([]);
    await deleteRun(store.db, run.runId);
    expect(await save(run)).toEqual({ kind: 'no-run' });
    expect(await kept(run.sourceId, 'a')).toEqual(before);
  });

  it('says that the run is sealed also where no page is known', async () => {
    const run = await addRun(store.db);
    await sealRun(store.db, run.runId);
    expect(await saveUnchanged(store.db, run, [same('a')])).toEqual({ kind: 'sealed' });
  });

  it('gives the same row and the same answer when it is repeated', async () => {
    const { run } = await knownBefore([page('a'), page('b')]);
    const save = () => saveUnchanged(store.db, run, [same('a'), same('b')]);
    const first = await save();
    const rows = await pagesOf(store.db, run.runId);
    expect(await save()).toEqual(first);
    expect(await pagesOf(store.db, run.runId)).toEqual(rows);
  });

  it('takes the later of two pages with one key, and the smaller depth of two saves', async () => {
    const { run } = await knownBefore([page('a')]);
    const near = 'https://example.com/near';
    await saveUnchanged(store.db, run, [same('a', { depth: 1 }), same('a', { depth: 4 })]);
    expect(await pagesOf(store.db, run.runId)).toMatchObject([{ depth: 4, parentUrl: 'https://example.com/parent' }]);
    await saveUnchanged(store.db, run, [same('a', { depth: 3, parentUrl: near })]);
    expect(await pagesOf(store.db, run.runId)).toMatchObject([{ depth: 3, parentUrl: near }]);
    await saveUnchanged(store.db, run, [same('a', { depth: 5 }), same('a', { depth: 3 })]);
    expect(await pagesOf(store.db, run.runId)).toMatchObject([{ depth: 3, parentUrl: near }]);
  });

  it('leaves the run’s first word on a page that it saved as changed', async () => {
    const { run } = await knownBefore([page('a')]);
    await savePages(store.db, run, [page('a', { text: 'other', depth: 3 })]);
    await saveUnchanged(store.db, run, [same('a')]);
    expect(await pagesOf(store.db, run.runId)).toMatchObject([{ change: 'changed', depth: 2, httpStatus: 200 }]);
    expect(await kept(run.sourceId, 'a')).toMatchObject({ text: 'other' });
  });

  it('counts as unchanged at the end of the run, which leaves the time of the last change', async () => {
    const { run } = await knownBefore([page('a'), page('b')]);
    const before = await kept(run.sourceId, 'a');
    await saveUnchanged(store.db, run, [same('a'), same('b', { crawledAt: null })]);
    await finish(run, ['a', 'b']);
    const [row] = await store.database.sql`SELECT stats FROM runs WHERE id = ${run.runId}`;
    expect(row?.stats).toMatchObject({ new: 0, changed: 0, unchanged: 2, gone: 0, bytes: 2468 });
    const after = await kept(run.sourceId, 'a');
    expect([after.change, after.changed_at]).toEqual([before.change, before.changed_at]);
  });

  it('strips what Postgres refuses from validators and URLs', async () => {
    const { run } = await knownBefore([page('a')]);
    const dirty = { etag: '"v\u00002"', parentUrl: 'https://example.com/\ud83d' };
    await saveUnchanged(store.db, run, [same('a', dirty)]);
    expect((await kept(run.sourceId, 'a')).etag).toBe('"v2"');
    expect(await pagesOf(store.db, run.runId)).toMatchObject([{ parentUrl: 'https://example.com/\ufffd' }]);
  });
});

describe('saveUnchanged against others', () => {
  it('has one row per page when two workers save the same at once', async () => {
    const { run } = await knownBefore([page('a'), page('b')]);
    const [first, second] = await Promise.all([
      saveUnchanged(store.db, run, [same('a'), same('b', { depth: 1 })]),
      saveUnchanged(store.db, run, [same('b'), same('a', { depth: 1 })]),
    ]);
    expect(first).toMatchObject({ kind: 'saved' });
    expect(second).toEqual(first);
    expect((await pagesOf(store.db, run.runId)).map((p) => [p.depth, p.change])).toEqual([
      [1, 'unchanged'],
      [1, 'unchanged'],
    ]);
  });

  it('neither waits in a circle nor loses a page when 8 workers of two runs save overlapping pages both ways', async () => {
    const names = Array.from({ length: 24 }, (_, i) => `page-${i}`);
    const { run: first } = await knownBefore(names.map((name) => page(name)));
    const second = await addRun(store.db, first.sourceId);
    const worker = async (number: number) => {
      const run = number % 2 ? first : second;
      for (let round = 0; round < 12; round++) {
        const from = (number * 5 + round * 7) % names.length;
        const batch = Array.from({ length: 16 }, (_, i) => names[(from + i) % names.length] ?? '');
        const ordered = round % 2 ? batch : batch.toReversed();
        if (number < 4)
          expect(
            await savedKeys(
              run,
              ordered.map((name) => same(name)),
            ),
          ).toHaveLength(16);
        else {
          const pages = ordered.map((name) => page(name, { text: `${name} by ${number}` }));
          expect(await savePages(store.db, run, pages)).toEqual({ kind: 'saved' });
        }
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, number) => worker(number)));
    for (const run of [first, second]) {
      const urls = (await pagesOf(store.db, run.runId)).map((p) => p.url);
      expect(urls.sort()).toEqual(names.map((name) => `https://example.com/${name}`).sort());
    }
  });

  /** Starts a save that has to wait for `change` of the page it is about. */
  async function whileWaiting(run: Run, change: (tx: postgres.TransactionSql) => Promise<unknown>) {
    const savings: ReturnType<typeof saveUnchanged>[] = [];
    await store.database.sql.begin(async (tx) => {
      await change(tx);
      savings.push(saveUnchanged(store.db, run, [same('a')]));
      await waiters(store, 1);
    });
    const [saved] = await Promise.all(savings);
    if (saved?.kind !== 'saved') throw new Error(saved?.kind);
    return saved.pages;
  }

  it('gives back the links of a version that was committed while it waited', async () => {
    const { run } = await knownBefore([page('a')]);
    const links = [{ url: 'https://example.com/newer', text: '', rel: '' }];
    const pages = await whileWaiting(
      run,
      (tx) => tx`UPDATE pages SET links = ${tx.json(links)}, content_hash = 'newer' WHERE source_id = ${run.sourceId}`,
    );
    expect(pages.get(key('a'))).toMatchObject({ links, contentHash: 'newer' });
    expect(await pagesOf(store.db, run.runId)).toMatchObject([{ contentHash: 'newer', change: 'changed' }]);
  });

  it.each<[string, (tx: postgres.TransactionSql, sourceId: SourceId) => Promise<unknown>]>([
    ['is gone', (tx, sourceId) => tx`UPDATE pages SET gone_at = now() WHERE source_id = ${sourceId}`],
    ['was deleted', (tx, sourceId) => tx`DELETE FROM pages WHERE source_id = ${sourceId}`],
  ])('no longer knows a page that %s when it has waited for it', async (_, change) => {
    const { run } = await knownBefore([page('a')]);
    expect(await whileWaiting(run, (tx) => change(tx, run.sourceId))).toEqual(new Map());
    expect(await pagesOf(store.db, run.runId)).toEqual([]);
  });

  it('is waited for by sealing', async () => {
    const { run } = await knownBefore([page('a')]);
    let sealed: Promise<unknown> = Promise.resolve();
    await store.database.sql.begin(async (tx) => {
      await tx`SELECT FROM pages WHERE source_id = ${run.sourceId} FOR UPDATE`;
      const saving = saveUnchanged(store.db, run, [same('a')]);
      await waiters(store, 1);
      sealed = Promise.all([saving, sealRun(store.db, run.runId)]);
      await waiters(store, 2);
    });
    expect(await sealed).toMatchObject([{ kind: 'saved' }, { status: 'finalizing' }]);
    expect(await pagesOf(store.db, run.runId)).toHaveLength(1);
  });

  it('never succeeds after sealing returned, and is kept where it did before, in 20 races', async () => {
    for (let race = 0; race < 20; race++) {
      const { run } = await knownBefore([page('a'), page('b')]);
      const saves = Promise.all(
        ['a', 'b', 'a', 'b'].map(async (name) => ({ name, ...(await saveUnchanged(store.db, run, [same(name)])) })),
      );
      const [results] = await Promise.all([saves, sealRun(store.db, run.runId)]);
      const saved = new Set(results.filter((r) => r.kind === 'saved').map((r) => `https://example.com/${r.name}`));
      expect(new Set((await pagesOf(store.db, run.runId)).map((p) => p.url))).toEqual(saved);
      expect(await saveUnchanged(store.db, run, [same('a')])).toEqual({ kind: 'sealed' });
    }
  });
});
