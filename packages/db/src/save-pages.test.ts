import { randomBytes } from 'node:crypto';
import { newRunId, newSourceId, type UrlKey } from '@trawl/contracts';
import { describe, expect, it } from 'vitest';
import { blobRefsOf } from './delete-pages.ts';
import { deleteRun } from './delete-run.ts';
import { finalizeRun } from './finalize-run.ts';
import { keyHash } from './key-hash.ts';
import { readLinks } from './read-links.ts';
import { getPage } from './read-pages.ts';
import { sealRun, setRunStatus } from './run-status.ts';
import { forgetAnswers, savePages } from './save-pages.ts';
import { addRun, ending, key, page, pagesOf, useStore, waiters } from './testing/store.ts';
import type { ChunkToSave } from './types.ts';

const store = useStore(12);

const chunksOf = (...texts: string[]): ChunkToSave[] =>
  texts.map((text, index) => ({
    id: `c${index}`,
    index,
    text,
    headingPath: [],
    tokens: 1,
    start: 0,
    end: text.length,
    overlap: 0,
  }));

async function detail(run: Awaited<ReturnType<typeof addRun>>, name: string) {
  const item = (await pagesOf(store.db, run.runId)).find((p) => p.url.endsWith(`/${name}`));
  const found = item && (await getPage(store.db, item.id));
  if (!found) throw new Error(`${name} is not there`);
  return found;
}

describe('savePages', () => {
  it('keeps every field of a page', async () => {
    const run = await addRun(store.db);
    expect(await savePages(store.db, run, [page('a')])).toEqual({ kind: 'saved' });
    expect(await detail(run, 'a')).toEqual({
      id: expect.stringMatching(/^page_\d+$/),
      url: 'https://example.com/a',
      finalUrl: 'https://example.com/a',
      depth: 1,
      parentUrl: 'https://example.com/',
      outcome: 'processed',
      httpStatus: 200,
      contentType: 'text/html',
      title: 'Title of a',
      language: 'en',
      bytes: 1234,
      elapsedMs: 12,
      rendered: false,
      change: 'new',
      contentHash: 'hash of text of a',
      duplicateOf: null,
      crawledAt: '2026-01-02T03:04:05.678Z',
      error: null,
      markdown: '# text of a',
      text: 'text of a',
      links: [{ url: 'https://example.com/next', text: 'next', rel: '' }],
      metadata: { description: 'a page' },
      chunks: [
        {
          id: expect.stringMatching(/^\d+\.c0$/),
          index: 0,
          text: 'text of a',
          headingPath: ['Top', 'Below'],
          tokens: 3,
          start: 0,
          end: 9,
          overlap: 0,
        },
      ],
      rawRef: null,
      shotRef: null,
    });
  });

  it('tells new, unchanged and changed pages of a source apart, by what the run found first', async () => {
    const first = await addRun(store.db);
    await savePages(store.db, first, [page('same'), page('other')]);
    await sealRun(store.db, first.runId);
    await finalizeRun(store.db, first.runId, ending(['same', 'other']));
    const second = await addRun(store.db, first.sourceId);
    const again = [page('same'), page('other', { text: 'rewritten' }), page('fresh')];
    await savePages(store.db, second, again);
    await savePages(store.db, second, again);
    await savePages(store.db, second, [page('fresh', { text: 'and rewritten' })]);
    const changes = (await pagesOf(store.db, second.runId)).map((p) => [p.title, p.change]);
    expect(Object.fromEntries(changes)).toEqual({
      'Title of same': 'unchanged',
      'Title of other': 'changed',
      'Title of fresh': 'new',
    });
    expect((await pagesOf(store.db, first.runId)).map((p) => p.change)).toEqual(['new', 'new']);
    expect(await detail(second, 'other')).toMatchObject({ text: 'rewritten', markdown: '# rewritten' });
  });

  it('replaces chunks when content, cut or outputs change, and leaves nothing of a longer version', async () => {
    const run = await addRun(store.db);
    await savePages(store.db, run, [page('a', { chunks: chunksOf('one', 'two', 'three') })]);
    expect((await detail(run, 'a')).chunks.map((c) => c.text)).toEqual(['one', 'two', 'three']);
    await savePages(store.db, run, [page('a', { chunks: chunksOf('one two', 'three') })]);
    expect((await detail(run, 'a')).chunks.map((c) => c.text)).toEqual(['one two', 'three']);
    await savePages(store.db, run, [page('a', { text: 'short', chunks: [] })]);
    expect((await detail(run, 'a')).chunks).toEqual([]);
    await savePages(store.db, run, [page('a', { text: 'short', chunks: [], markdown: null })]);
    expect(await detail(run, 'a')).toMatchObject({ text: 'short', markdown: null });
    const left = await store.database.sql`
      SELECT FROM chunks JOIN run_pages USING (page_id) WHERE run_id = ${run.runId}`;
    expect(left).toHaveLength(0);
  });

  it('does not write content and chunks again that are there already', async () => {
    const run = await addRun(store.db);
    // Long enough to be kept out of line, and random, so that no compression makes it short.
    const text = randomBytes(30_000).toString('hex');
    const long = (title: string) => page('a', { title, text, markdown: text, chunks: chunksOf(text) });
    await savePages(store.db, run, [long('first')]);
    // Postgres 17 and later say which out-of-line value a column refers to.
    const stored = () => store.database.sql`
      SELECT pg_column_toast_chunk_id(markdown) AS markdown, pg_column_toast_chunk_id(pages.text) AS text,
        pg_column_toast_chunk_id(chunks) AS chunks
      FROM pages JOIN run_pages ON page_id = pages.id WHERE run_id = ${run.runId}`;
    const before = await stored();
    expect(Object.values(before[0] ?? {}).filter((id) => id !== null)).toHaveLength(3);
    for (let i = 0; i < 5; i++) await savePages(store.db, run, [long(`title ${i}`)]);
    expect(await stored()).toEqual(before);
    expect(await detail(run, 'a')).toMatchObject({ title: 'title 4', text });
  });

  it('takes the later of two pages with one key, and the smaller depth of two saves', async () => {
    const run = await addRun(store.db);
    await savePages(store.db, run, [page('a', { title: 'first' }), page('a', { title: 'second', depth: 3 })]);
    await savePages(store.db, run, [page('a', { title: 'third', depth: 5, parentUrl: 'https://example.com/far' })]);
    expect(await pagesOf(store.db, run.runId)).toMatchObject([
      { title: 'third', depth: 3, parentUrl: 'https://example.com/' },
    ]);
  });

  it('strips U+0000 and half surrogate pairs, in text and JSON', async () => {
    const run = await addRun(store.db);
    const dirty = 'a\u0000b\ud83dc "\\u0000" 😀';
    const clean = 'ab\ufffdc "\\u0000" 😀';
    await savePages(store.db, run, [
      page('nul', {
        title: dirty,
        text: dirty,
        markdown: dirty,
        metadata: { 'k\u0000': dirty },
        links: [{ url: 'https://example.com/', text: dirty, rel: dirty }],
        chunks: [{ id: 'c0', index: 0, text: dirty, headingPath: [dirty], tokens: 1, start: 0, end: 1, overlap: 0 }],
      }),
    ]);
    expect(await detail(run, 'nul')).toMatchObject({
      title: clean,
      text: clean,
      markdown: clean,
      metadata: { k: clean },
      links: [{ text: clean, rel: clean }],
      chunks: [{ text: clean, headingPath: [clean] }],
    });
  });

  it('tells keys of 8,192 characters apart that differ in the last one', async () => {
    const run = await addRun(store.db);
    const long = Array.from({ length: 8191 }, (_, i) => String.fromCharCode(97 + ((i * i + i) % 26))).join('');
    const keys = ['x', 'y'].map((last) => (long + last) as UrlKey);
    const saves = keys.map((k) =>
      page('long', { key: k, url: `https://${k}`, finalUrl: `https://${k}`, parentUrl: `https://${k}` }),
    );
    await savePages(store.db, run, saves);
    await savePages(store.db, run, saves);
    expect(await pagesOf(store.db, run.runId)).toHaveLength(2);
    expect((await readLinks(store.db, run.runId, keys)).size).toBe(2);
  });

  it('saves nothing for a run that is not there or has another source', async () => {
    const run = await addRun(store.db);
    expect(await savePages(store.db, { ...run, runId: newRunId() }, [page('a')])).toEqual({ kind: 'no-run' });
    expect(await savePages(store.db, { ...run, sourceId: newSourceId() }, [page('a')])).toEqual({ kind: 'no-run' });
    expect(await pagesOf(store.db, run.runId)).toEqual([]);
  });

  it('has no row twice and no mixed chunks when 8 connections save overlapping pages of two runs', async () => {
    const first = await addRun(store.db);
    const second = await addRun(store.db, first.sourceId);
    const names = Array.from({ length: 24 }, (_, i) => `page-${i}`);
    const worker = async (number: number) => {
      const run = number % 2 ? first : second;
      for (let round = 0; round < 12; round++) {
        const from = (number * 5 + round * 7) % names.length;
        const batch = Array.from({ length: 16 }, (_, i) => names[(from + i) % names.length] ?? '').toReversed();
        const version = `${number}-${round}`;
        const chunks = chunksOf(...Array<string>(1 + ((number + round) % 6)).fill(version));
        const pages = batch.map((name) => page(name, { text: version, chunks }));
        expect(await savePages(store.db, run, pages)).toEqual({ kind: 'saved' });
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, number) => worker(number)));
    for (const run of [first, second]) {
      const items = await pagesOf(store.db, run.runId);
      expect(items.map((p) => p.url).sort()).toEqual(names.map((name) => `https://example.com/${name}`).sort());
      for (const item of items) {
        const saved = await getPage(store.db, item.id);
        const [number = 0, round = 0] = saved?.text?.split('-').map(Number) ?? [];
        expect(saved?.chunks.map((c) => c.text)).toEqual(Array(1 + ((number + round) % 6)).fill(saved?.text));
      }
    }
    const [count] = await store.database.sql`SELECT count(*)::int FROM pages WHERE source_id = ${first.sourceId}`;
    expect(count?.count).toBe(names.length);
  });
});

describe('sealRun against savePages', () => {
  it('lets no save succeed after it returned, and keeps each that did before, in 50 races', async () => {
    for (let race = 0; race < 50; race++) {
      const run = await addRun(store.db);
      let isSealed = false;
      let saved = 0;
      const worker = async (number: number) => {
        for (let i = 0; ; i++) {
          const startedAfterSeal = isSealed;
          const { kind } = await savePages(store.db, run, [page(`${number}-${i}`), page(`${number}-${i}-b`)]);
          if (kind === 'sealed') return;
          expect({ kind, startedAfterSeal }).toEqual({ kind: 'saved', startedAfterSeal: false });
          saved += 2;
        }
      };
      const seal = async () => {
        for (let i = 0; i < race % 7; i++) await setRunStatus(store.db, run.runId, 'running');
        await sealRun(store.db, run.runId);
        isSealed = true;
        const [rows] = await store.db.sql<{ count: number }[]>`
          SELECT count(*)::int AS count FROM run_pages WHERE run_id = ${run.runId}`;
        return rows?.count;
      };
      const [atSeal] = await Promise.all([seal(), ...Array.from({ length: 6 }, (_, number) => worker(number))]);
      expect(await pagesOf(store.db, run.runId)).toHaveLength(saved);
      expect(atSeal).toBe(saved);
    }
  });

  it('waits for a save that is under way, while changes of status do not', async () => {
    const run = await addRun(store.db);
    await savePages(store.db, run, [page('a')]);
    let sealed: Promise<unknown> = Promise.resolve();
    await store.database.sql.begin(async (tx) => {
      // A save stopped half-way: it has the run, and can't have the page.
      await tx`SELECT FROM pages WHERE source_id = ${run.sourceId} FOR UPDATE`;
      const saving = savePages(store.db, run, [page('a', { title: 'held up' })]);
      await waiters(store, 1);
      expect(await setRunStatus(store.db, run.runId, 'paused')).toBe(true);
      sealed = Promise.all([saving, sealRun(store.db, run.runId)]);
      await waiters(store, 2);
    });
    expect(await sealed).toMatchObject([{ kind: 'saved' }, { status: 'finalizing' }]);
    expect(await pagesOf(store.db, run.runId)).toMatchObject([{ title: 'held up' }]);
  });

  it('finds no run when it was deleted meanwhile', async () => {
    const run = await addRun(store.db);
    await deleteRun(store.db, run.runId);
    expect(await savePages(store.db, run, [page('a')])).toEqual({ kind: 'no-run' });
  });
});

describe('readLinks', () => {
  it('gives the links of processed pages of this run only', async () => {
    const run = await addRun(store.db);
    const other = await addRun(store.db, run.sourceId);
    await savePages(store.db, run, [page('a')]);
    await savePages(store.db, other, [page('b')]);
    const known = { url: 'https://example.com/a', links: page('a').links, nofollow: false, canonicalUrl: null };
    expect(await readLinks(store.db, run.runId, [key('a'), key('b'), key('c')])).toEqual(new Map([[key('a'), known]]));
    expect(await readLinks(store.db, run.runId, [])).toEqual(new Map());
  });

  it('says what the page itself asks of its links', async () => {
    const run = await addRun(store.db);
    const metadata = { canonicalUrl: 'https://example.com/real', robots: { noindex: false, nofollow: true } };
    await savePages(store.db, run, [page('a', { metadata })]);
    expect((await readLinks(store.db, run.runId, [key('a')])).get(key('a'))).toMatchObject({
      nofollow: true,
      canonicalUrl: 'https://example.com/real',
    });
  });
});

describe('the picture that is kept of a page', () => {
  const shotOf = async (run: { readonly sourceId: string }) => {
    const [row] = await store.database.sql`SELECT shot_ref, raw_ref FROM pages WHERE source_id = ${run.sourceId}`;
    return [row?.shot_ref, row?.raw_ref];
  };

  it('is given back by a run that takes none, apart from the answer that is kept beside it', async () => {
    const run = await addRun(store.db);
    await savePages(store.db, run, [page('a', { rawRef: 'raw', shotRef: 'shot' })]);
    const next = await addRun(store.db, run.sourceId);
    const saved = await savePages(store.db, next, [page('a', { rawRef: 'raw' })]);
    expect(saved).toEqual({
      kind: 'saved',
      released: [{ keyHash: expect.any(String), rawRef: null, shotRef: 'shot' }],
    });
    expect(await shotOf(run)).toEqual(['shot', 'raw']);
    await forgetAnswers(store.db, run.sourceId, saved.kind === 'saved' ? (saved.released ?? []) : []);
    expect(await shotOf(run)).toEqual([null, 'raw']);
  });

  it('goes with the only run that saw the page', async () => {
    const run = await addRun(store.db);
    await savePages(store.db, run, [page('a', { rawRef: 'raw', shotRef: 'shot' }), page('b', { shotRef: 'other' })]);
    expect([...(await blobRefsOf(store.db, run.runId))].sort()).toEqual(['other', 'raw', 'shot']);
    expect([...((await deleteRun(store.db, run.runId))?.blobRefs ?? [])].sort()).toEqual(['other', 'raw', 'shot']);
  });
});

describe('the answer that is kept of a page', () => {
  const refOf = async (run: { readonly sourceId: string }, name: string) => {
    const [row] = await store.database.sql`
      SELECT raw_ref FROM pages WHERE source_id = ${run.sourceId} AND url = ${`https://example.com/${name}`}`;
    return row?.raw_ref as string | null;
  };

  it('is named with the page, and replaced by that of a later run', async () => {
    const run = await addRun(store.db);
    expect(await savePages(store.db, run, [page('a', { rawRef: 'one' }), page('b')])).toEqual({ kind: 'saved' });
    expect([await refOf(run, 'a'), await refOf(run, 'b')]).toEqual(['one', null]);
    const next = await addRun(store.db, run.sourceId);
    expect(await savePages(store.db, next, [page('a', { rawRef: 'two' }), page('b', { rawRef: 'b' })])).toEqual({
      kind: 'saved',
    });
    expect([await refOf(run, 'a'), await refOf(run, 'b')]).toEqual(['two', 'b']);
  });

  it('is given back by a run that keeps none, until it is forgotten', async () => {
    const run = await addRun(store.db);
    await savePages(store.db, run, [page('a', { rawRef: 'one' }), page('b', { rawRef: 'two' })]);
    const next = await addRun(store.db, run.sourceId);
    const first = await savePages(store.db, next, [page('a'), page('c')]);
    expect(first).toEqual({ kind: 'saved', released: [{ keyHash: expect.any(String), rawRef: 'one', shotRef: null }] });
    // A worker that died before it could delete it leaves it to the next.
    expect(await savePages(store.db, next, [page('a')])).toEqual(first);
    await forgetAnswers(store.db, run.sourceId, first.kind === 'saved' ? (first.released ?? []) : []);
    expect([await refOf(run, 'a'), await refOf(run, 'b')]).toEqual([null, 'two']);
    expect(await savePages(store.db, next, [page('a')])).toEqual({ kind: 'saved' });
  });

  it('is forgotten only under the reference it had', async () => {
    const run = await addRun(store.db);
    await savePages(store.db, run, [page('a', { rawRef: 'new' })]);
    await forgetAnswers(store.db, run.sourceId, [{ keyHash: keyHash(key('a')), rawRef: 'old', shotRef: null }]);
    expect(await refOf(run, 'a')).toBe('new');
    await forgetAnswers(store.db, run.sourceId, []);
  });

  it('is not kept of a page that is read for its links only', async () => {
    const run = await addRun(store.db);
    const skipped = { code: 'ROBOTS_NOINDEX', message: 'No.', retryable: false, attempts: 1 } as const;
    await savePages(store.db, run, [page('a', { rawRef: 'one', skipped })]);
    expect(await refOf(run, 'a')).toBeNull();
  });
});
