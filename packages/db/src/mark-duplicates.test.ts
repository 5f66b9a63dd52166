import type { RunId, SourceId, UrlKey } from '@trawl/contracts';
import { describe, expect, it } from 'vitest';
import { deleteRun } from './delete-run.ts';
import { finalizeRun } from './finalize-run.ts';
import { type ComparedPage, findDuplicates } from './mark-duplicates.ts';
import { sealRun } from './run-status.ts';
import { savePages } from './save-pages.ts';
import { saveUnchanged } from './save-unchanged.ts';
import { addRun, ending, key, outcome, page, pagesOf, useStore } from './testing/store.ts';
import type { ComparePages, PageToSave } from './types.ts';

/** Page `id` says what nobody else says, unless told otherwise; `canonical` is the id of the page it names. */
function compared(
  id: number,
  over: { canonical?: number; content?: string; simhash?: bigint | null } = {},
): ComparedPage {
  return {
    id,
    keyHash: `key ${id}`,
    canonicalHash: over.canonical === undefined ? null : `key ${over.canonical}`,
    contentHash: over.content ?? `content ${id}`,
    simhash: over.simhash ?? null,
  };
}

const found = (pages: readonly ComparedPage[], nearBits = 3) => Object.fromEntries(findDuplicates(pages, nearBits));

/** So many pages, each naming the next as its original. */
const chain = (length: number) =>
  Array.from({ length }, (_, i) => compared(i + 1, i + 1 < length ? { canonical: i + 2 } : {}));

describe('the original of a page', () => {
  it.each<[string, ComparedPage[], Record<number, number>]>([
    ['nobody, for pages that say different things', [compared(1), compared(2), compared(3, { simhash: 0n })], {}],
    ['nobody, where there is no page', [], {}],
    ['the page it names', [compared(1, { canonical: 2 }), compared(2)], { 1: 2 }],
    ['the page it names, be that the older', [compared(1), compared(2, { canonical: 1 })], { 2: 1 }],
    ['nobody, for one that names itself', [compared(1, { canonical: 1 })], {}],
    ['nobody, for one that names a page nobody knows', [compared(1, { canonical: 9 }), compared(2)], {}],
    ['the last of a chain', chain(4), { 1: 4, 2: 4, 3: 4 }],
    [
      'the last that is known of a chain',
      [compared(1, { canonical: 2 }), compared(2, { canonical: 3 }), compared(3, { canonical: 9 })],
      { 1: 3, 2: 3 },
    ],
    ['the last of a chain that names itself', [compared(1, { canonical: 2 }), compared(2, { canonical: 2 })], { 1: 2 }],
    ['nobody, in a circle of two', [compared(1, { canonical: 2 }), compared(2, { canonical: 1 })], {}],
    [
      'nobody, in a circle of three',
      [compared(1, { canonical: 2 }), compared(2, { canonical: 3 }), compared(3, { canonical: 1 })],
      {},
    ],
    [
      'nobody, for one that leads into a circle',
      [compared(1, { canonical: 2 }), compared(2, { canonical: 3 }), compared(3, { canonical: 2 })],
      {},
    ],
    [
      'by content, in a circle',
      [compared(1, { canonical: 2, content: 'x' }), compared(2, { canonical: 1, content: 'x' })],
      { 2: 1 },
    ],
    [
      'the first with the same content',
      [compared(3, { content: 'x' }), compared(1, { content: 'x' }), compared(2, { content: 'x' }), compared(4)],
      { 2: 1, 3: 1 },
    ],
    [
      'the page it names rather than one with the same content',
      [compared(1, { content: 'x' }), compared(2, { content: 'x', canonical: 3 }), compared(3)],
      { 2: 3 },
    ],
    [
      'not one that has an original itself',
      [compared(1, { content: 'x', canonical: 3 }), compared(2, { content: 'x' }), compared(3)],
      { 1: 3 },
    ],
    [
      'what the page it names is a copy of',
      [compared(1, { content: 'x' }), compared(2, { content: 'x' }), compared(3, { canonical: 2 })],
      { 2: 1, 3: 1 },
    ],
    [
      'the first of nearly the same text, up to three bits',
      [compared(1, { simhash: 0n }), compared(2, { simhash: 0b111n }), compared(3, { simhash: 0b1111n })],
      { 2: 1 },
    ],
    [
      'of nearly the same text on either side of zero',
      [compared(1, { simhash: -1n }), compared(2, { simhash: 2n ** 63n - 1n }), compared(3, { simhash: -2n })],
      { 2: 1, 3: 1 },
    ],
    ['nobody, for texts too short for a simhash', [compared(1, { simhash: null }), compared(2, { simhash: null })], {}],
    [
      'near to the original, not to a copy that is near',
      [compared(1, { simhash: 0n }), compared(2, { simhash: 0b111n }), compared(3, { simhash: 0b111111n })],
      { 2: 1 },
    ],
    [
      'the first of the same content, and through it the first of nearly the same text',
      [
        compared(1, { simhash: 0n }),
        compared(2, { simhash: 1n, content: 'x' }),
        compared(3, { simhash: 1n, content: 'x' }),
      ],
      { 2: 1, 3: 1 },
    ],
    [
      'one page in the end, by name, content and text',
      [
        compared(1, { simhash: 0n }),
        compared(2, { simhash: 1n, content: 'x' }),
        compared(3, { simhash: 1n, content: 'x' }),
        compared(4, { canonical: 3 }),
        compared(5, { canonical: 4 }),
      ],
      { 2: 1, 3: 1, 4: 1, 5: 1 },
    ],
    [
      'not one near to it that has named another',
      [compared(1, { simhash: 0n, canonical: 3 }), compared(2, { simhash: 1n }), compared(3, { simhash: ~0n })],
      { 1: 3 },
    ],
  ])('is %s', (_, pages, originals) => {
    expect(found(pages)).toEqual(originals);
    expect(found(pages.toReversed())).toEqual(originals);
  });

  it('is not looked for by text with 0 bits', () => {
    const pages = [compared(1, { simhash: 5n }), compared(2, { simhash: 5n }), compared(3, { content: 'content 1' })];
    expect(found(pages, 0)).toEqual({ 3: 1 });
    expect(found(pages, 1)).toEqual({ 2: 1, 3: 1 });
  });

  it('is looked for through eight pages, and not without end', () => {
    expect(found(chain(9))).toEqual({ 1: 9, 2: 9, 3: 9, 4: 9, 5: 9, 6: 9, 7: 9, 8: 9 });
    const long = found(chain(30));
    expect(long[29]).toBe(30);
    expect(long[1]).toBeUndefined();
  });

  it('is never a duplicate itself, and is known, in 300 random sites', () => {
    let state = 1;
    const random = (below: number): number => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return Math.floor((state / 2 ** 32) * below);
    };
    for (let site = 0; site < 300; site++) {
      const size = 2 + random(25);
      const pages = Array.from({ length: size }, (_, i) =>
        compared(i + 1, {
          ...(random(2) ? { canonical: 1 + random(size + 2) } : {}),
          content: `content ${random(size)}`,
          simhash: random(3) ? BigInt.asIntN(64, 1n << BigInt(random(64))) : null,
        }),
      );
      const originals = findDuplicates(pages, random(4));
      for (const [id, original] of originals) {
        expect(originals.has(original), `${original}, the original of ${id} in site ${site}`).toBe(false);
        expect(original).not.toBe(id);
        expect(pages.some((p) => p.id === original)).toBe(true);
      }
      // What says the same and names nobody is either the original or a duplicate.
      const plain = pages.filter((p) => p.canonicalHash === null && !originals.has(p.id));
      expect(new Set(plain.map((p) => p.contentHash)).size).toBe(plain.length);
    }
  });
});

const store = useStore();

const compare: ComparePages = {
  nearDuplicateBits: 3,
  keyOf: (url) => (URL.canParse(url) ? (url.replace('https://', '') as UrlKey) : null),
};

const naming = (url: string) => ({ metadata: { canonicalUrl: url } });

async function crawl(
  sourceId: SourceId | null,
  pages: readonly PageToSave[],
  o: { compare?: ComparePages; missing?: readonly string[] } = { compare },
) {
  const run = await addRun(store.db, sourceId);
  // One by one: the first to be saved is the original.
  for (const one of pages) await savePages(store.db, run, [one]);
  await finish(run.runId, pages.map(nameOf), o);
  return run;
}

async function finish(
  runId: RunId,
  processed: readonly string[],
  o: { compare?: ComparePages; missing?: readonly string[] } = { compare },
) {
  await sealRun(store.db, runId);
  const end = ending(processed, { outcomes: (o.missing ?? []).map((name) => outcome(name)) });
  await finalizeRun(store.db, runId, { ...end, ...(o.compare && { compare: o.compare }) });
}

const nameOf = ({ url }: { url: string }): string => url.replace('https://example.com/', '');

/** The names of a run's duplicates with those of their originals, as far as the run itself saw them; else their ids. */
async function duplicatesOf(runId: RunId) {
  const rows = await pagesOf(store.db, runId);
  const names = new Map(rows.map((row) => [row.id, nameOf(row)]));
  return Object.fromEntries(
    rows.flatMap((row) =>
      row.duplicateOf === null ? [] : [[nameOf(row), names.get(row.duplicateOf) ?? row.duplicateOf]],
    ),
  );
}

async function idOf(runId: RunId, name: string) {
  const row = (await pagesOf(store.db, runId)).find((p) => nameOf(p) === name);
  if (!row) throw new Error(`the run did not see ${name}`);
  return row.id;
}

describe('the duplicates of a run', () => {
  it('name its own rows: by canonical URL, content and text', async () => {
    const run = await crawl(null, [
      page('real', { simhash: 0n }),
      page('by-name', naming('https://example.com/real')),
      page('copy', { text: 'text of real', simhash: 0n }),
      page('near', { simhash: 0b11n }),
      page('far', { simhash: 0xffn }),
      page('unknown', naming('https://example.com/never-seen')),
      page('no-url', naming('not a URL')),
      page('itself', naming('https://example.com/itself')),
    ]);
    expect(await duplicatesOf(run.runId)).toEqual({ 'by-name': 'real', copy: 'real', near: 'real' });
  });

  it('are found by equal content only where nothing is said of how', async () => {
    const pages = [
      page('real', { simhash: 0n }),
      page('by-name', naming('https://example.com/real')),
      page('copy', { text: 'text of real' }),
      page('near', { simhash: 1n }),
    ];
    expect(await duplicatesOf((await crawl(null, pages, {})).runId)).toEqual({ copy: 'real' });
    const exact = { ...compare, nearDuplicateBits: 0 };
    expect(await duplicatesOf((await crawl(null, pages, { compare: exact })).runId)).toEqual({
      copy: 'real',
      'by-name': 'real',
    });
  });

  it('are told apart by all 64 bits of a simhash', async () => {
    const run = await crawl(null, [
      page('a', { simhash: -(2n ** 63n) }),
      page('b', { simhash: -(2n ** 63n) + 7n }),
      page('c', { simhash: 2n ** 63n - 1n }),
      page('d', { simhash: 2n ** 53n + 1n }),
    ]);
    expect(await duplicatesOf(run.runId)).toEqual({ b: 'a', d: 'a' });
  });

  it('name the row of this run rather than that of an earlier one', async () => {
    const first = await crawl(null, [page('a', { text: 'x' })]);
    const second = await crawl(first.sourceId, [page('b', { text: 'x' }), page('a', { text: 'x' })]);
    expect(await duplicatesOf(second.runId)).toEqual({ b: 'a' });
    expect(await duplicatesOf(first.runId)).toEqual({});
  });

  it('name the newest row of an original that this run did not see', async () => {
    const { sourceId } = await crawl(null, [page('a', { text: 'x' })]);
    const newest = await crawl(sourceId, [page('a', { text: 'x' })]);
    const run = await crawl(sourceId, [page('b', { text: 'x' }), page('c', naming('https://example.com/a'))]);
    const original = await idOf(newest.runId, 'a');
    expect(await duplicatesOf(run.runId)).toEqual({ b: original, c: original });
  });

  it('go by what the source knows now: an original that has changed or gone is none', async () => {
    const { sourceId } = await crawl(null, [page('a', { text: 'x' }), page('c', { text: 'y' })]);
    const changed = await crawl(sourceId, [page('a', { text: 'z' }), page('b', { text: 'x' })]);
    expect(await duplicatesOf(changed.runId)).toEqual({});
    const gone = await crawl(sourceId, [page('d', { text: 'y' }), page('e', naming('https://example.com/c'))], {
      compare,
      missing: ['c'],
    });
    expect(await duplicatesOf(gone.runId)).toEqual({});
  });

  it('are of one source only', async () => {
    await crawl(null, [page('a', { text: 'of two sources' })]);
    const other = await crawl(null, [page('b', { text: 'of two sources' })]);
    expect(await duplicatesOf(other.runId)).toEqual({});
  });

  it('are not among what failed or was skipped', async () => {
    const { sourceId } = await crawl(null, [page('a', { text: 'x' }), page('b', { text: 'x' })]);
    const run = await addRun(store.db, sourceId);
    await sealRun(store.db, run.runId);
    const outcomes = [outcome('b', { httpStatus: 503 }), outcome('c', { outcome: 'skipped', httpStatus: 301 })];
    await finalizeRun(store.db, run.runId, { ...ending([], { outcomes }), compare });
    expect(await duplicatesOf(run.runId)).toEqual({});
  });

  it('are found among pages that are unchanged too', async () => {
    const { sourceId } = await crawl(null, [page('a', { text: 'x' }), page('b', { text: 'x' })]);
    const run = await addRun(store.db, sourceId);
    const facts = { depth: 1, parentUrl: null, httpStatus: 304, elapsedMs: 1, crawledAt: null };
    await saveUnchanged(
      store.db,
      run,
      ['a', 'b'].map((name) => ({ key: key(name), ...facts, etag: null, lastModified: null })),
    );
    await finish(run.runId, ['a', 'b']);
    expect(await duplicatesOf(run.runId)).toEqual({ b: 'a' });
  });

  it('do not count what was saved and never processed', async () => {
    const run = await addRun(store.db);
    await savePages(store.db, run, [page('late', { text: 'x' })]);
    await savePages(store.db, run, [page('a', { text: 'x' })]);
    await finish(run.runId, ['a']);
    expect(await duplicatesOf(run.runId)).toEqual({});
  });

  it('name no page that can not be read when the newest run that saw the original is deleted', async () => {
    const { sourceId, runId } = await crawl(null, [page('a', { text: 'x' })]);
    const newest = await crawl(sourceId, [page('a', { text: 'x' })]);
    await deleteRun(store.db, newest.runId);
    const run = await crawl(sourceId, [page('b', { text: 'x' })]);
    expect(await duplicatesOf(run.runId)).toEqual({ b: await idOf(runId, 'a') });
  });

  it('come to one original of 5,500 pages', async () => {
    const names = Array.from({ length: 5500 }, (_, i) => `many-${i}`);
    const run = await addRun(store.db);
    for (let from = 0; from < names.length; from += 500) {
      const part = names.slice(from, from + 500).map((name, i) => page(name, { text: i < 490 ? 'equal' : name }));
      await savePages(store.db, run, part);
    }
    // As autovacuum does in its time.
    await store.database.sql`ANALYZE run_pages`;
    await finish(run.runId, names);
    const duplicates = await duplicatesOf(run.runId);
    expect(Object.keys(duplicates)).toHaveLength(11 * 490 - 1);
    expect(new Set(Object.values(duplicates)).size).toBe(1);
  });
});
