/** For tests of the search: pages whose chunks are given as texts, saved and indexed. */
import { createHash } from 'node:crypto';
import type { RunId, SourceId } from '@trawl/contracts';
import type { Db } from '../db.ts';
import { finalizeRun } from '../finalize-run.ts';
import { sealRun } from '../run-status.ts';
import { savePages } from '../save-pages.ts';
import { addRun, ending, page } from '../testing/store.ts';
import type { OutcomeRow, PageToSave } from '../types.ts';
import { indexSource } from './index-source.ts';
import { type SearchOptions, type SearchResult, searchSource } from './search-source.ts';

export interface GivenPage {
  readonly name: string;
  readonly title?: string | null;
  readonly language?: string | null;
  readonly chunks: readonly (string | { readonly headings: readonly string[]; readonly text: string })[];
  readonly over?: Partial<PageToSave>;
}

export function pageOf({ name, title = `Title of ${name}`, language = 'en', chunks, over }: GivenPage): PageToSave {
  const cut = chunks.map((chunk, index) => {
    const { headings, text } = typeof chunk === 'string' ? { headings: [], text: chunk } : chunk;
    const id = createHash('sha256').update(text).digest('hex').slice(0, 16);
    return { id, index, text, headingPath: headings, tokens: 3, start: 0, end: text.length, overlap: 0 };
  });
  const text = cut.map((chunk) => chunk.text).join('\n\n');
  return page(name, { title, language, text, markdown: text, chunks: cut, ...over });
}

/** A run of the source that sees exactly these pages, up to its end. */
export async function crawl(
  db: Db,
  given: readonly GivenPage[],
  o: { sourceId?: SourceId; outcomes?: readonly OutcomeRow[] } = {},
): Promise<{ runId: RunId; sourceId: SourceId }> {
  const run = await addRun(db, o.sourceId ?? null);
  await save(db, run, given);
  await sealRun(db, run.runId);
  const names = given.filter((one) => !one.over?.skipped).map((one) => one.name);
  await finalizeRun(db, run.runId, ending(names, { outcomes: o.outcomes ?? [] }));
  return run;
}

export async function save(
  db: Db,
  run: { runId: RunId; sourceId: SourceId },
  given: readonly GivenPage[],
): Promise<void> {
  const saved = await savePages(db, run, given.map(pageOf));
  if (saved.kind !== 'saved') throw new Error(saved.kind);
}

export async function indexedCrawl(db: Db, given: readonly GivenPage[]): Promise<SourceId> {
  const { sourceId } = await crawl(db, given);
  await indexSource(db, sourceId);
  return sourceId;
}

export async function search(
  db: Db,
  sourceId: SourceId,
  q: string,
  o: Partial<SearchOptions> = {},
): Promise<Extract<SearchResult, { kind: 'found' }>> {
  const result = await searchSource(db, sourceId, { q, limit: 10, perPage: 3, mode: 'text', ...o });
  if (result.kind !== 'found') throw new Error(result.kind);
  return result;
}

/** The names of the pages that were found, best first. */
export async function names(db: Db, sourceId: SourceId, q: string, o: Partial<SearchOptions> = {}): Promise<string[]> {
  const { items } = await search(db, sourceId, q, o);
  return items.map((item) => item.url.replace('https://example.com/', ''));
}
