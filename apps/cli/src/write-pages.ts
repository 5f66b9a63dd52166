/**
 * Writes a run as files: one markdown file per processed page, an index for people and one for programs. Reads the pages
 * through what it is handed; does not know where they come from, nor whether the run went well. One-file formats are
 * `write-export.ts`.
 */
import { readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Page, PageSummary } from '@trawl/contracts';
import { createFileNamer, renderPageFile } from '@trawl/exports';
import { makeDirectory, type OutputPlace } from './output-place.ts';
import { type RunFiles, renderIndex, type UnwrittenPage, type WrittenPage, type WrittenRun } from './page-files.ts';

/** What a run saw, in an order that does not depend on the one in which it was crawled. */
export interface ListedRun {
  readonly processed: readonly PageSummary[];
  readonly failed: readonly UnwrittenPage[];
  readonly skipped: readonly UnwrittenPage[];
}

/** Enough to hide the latency of a request to this machine; more only makes the API queue. */
const READS_AT_ONCE = 8;

/** Whether files may be written there: a directory with something in it needs the person's word for it. */
export async function checkOutputDirectory(directory: string, isForced: boolean): Promise<OutputPlace> {
  try {
    const names = await readdir(directory);
    if (names.length === 0 || isForced) return { kind: 'usable' };
    return {
      kind: 'refused',
      message: `${directory} is not empty: give another --output, or --force to write into it.`,
    };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return { kind: 'usable' };
    if (code === 'ENOTDIR')
      return { kind: 'refused', message: `${directory} is not a directory: give another --output.` };
    if (code === 'EACCES') return { kind: 'refused', message: `${directory} may not be read by this user.` };
    throw error;
  }
}

export async function listRun(pages: AsyncIterable<PageSummary>): Promise<ListedRun> {
  const processed: PageSummary[] = [];
  const failed: UnwrittenPage[] = [];
  const skipped: UnwrittenPage[] = [];
  for await (const page of pages) {
    if (page.outcome === 'processed') processed.push(page);
    else (page.outcome === 'failed' ? failed : skipped).push(unwritten(page));
  }
  // Names depend on their order where they collide; pages come in the order they were crawled, which changes.
  processed.sort(byDepthAndUrl);
  failed.sort(byDepthAndUrl);
  skipped.sort(byDepthAndUrl);
  return { processed, failed, skipped };
}

export interface PageReader {
  page(pageId: string): Promise<Page>;
  /** The picture that a page says it has. */
  screenshot(path: string): Promise<Uint8Array>;
}

export async function writePages(
  directory: string,
  run: RunFiles,
  { processed, failed, skipped }: ListedRun,
  reader: PageReader,
): Promise<WrittenRun> {
  const nameFile = createFileNamer(new URL(run.startUrl).host);
  const named = processed.map((page) => ({ page, file: nameFile(page.url) }));

  await makeDirectory(directory);
  const pictures = new Map<string, string>();
  await forEachAtOnce(READS_AT_ONCE, named, async ({ page: { id }, file }) => {
    const path = join(directory, file);
    await makeDirectory(dirname(path));
    const page = await reader.page(id);
    await writeFile(path, renderPageFile(page));
    if (page.screenshot === null) return;
    const picture = file.replace(/\.md$/, '.png');
    await writeFile(join(directory, picture), await reader.screenshot(page.screenshot));
    pictures.set(file, picture);
  });
  const pages = named.map(({ page, file }) => writtenPage(page, file, pictures.get(file) ?? null));
  const written = { pages, failed, skipped };
  const machineReadable = { ...run, counts: countsOf(written), ...written };
  await writeFile(join(directory, 'index.json'), `${JSON.stringify(machineReadable, null, 2)}\n`);
  await writeFile(join(directory, 'index.md'), renderIndex(run, written));
  return written;
}

function writtenPage(page: PageSummary, file: string, screenshot: string | null): WrittenPage {
  const { url, title, depth, httpStatus, duplicateOf, crawledAt } = page;
  return { url, title, file, ...(screenshot !== null && { screenshot }), depth, httpStatus, duplicateOf, crawledAt };
}

function unwritten(page: PageSummary): UnwrittenPage {
  const { url, depth, httpStatus, finalUrl, parentUrl, error } = page;
  const code = error?.code ?? 'UNKNOWN';
  return { url, code, message: error?.message ?? 'no reason was given', depth, httpStatus, finalUrl, parentUrl };
}

function countsOf({ pages, failed, skipped }: WrittenRun): { pages: number; failed: number; skipped: number } {
  return { pages: pages.length, failed: failed.length, skipped: skipped.length };
}

interface Place {
  readonly depth: number;
  readonly url: string;
}

function byDepthAndUrl(a: Place, b: Place): number {
  if (a.depth !== b.depth) return a.depth - b.depth;
  return a.url < b.url ? -1 : a.url > b.url ? 1 : 0;
}

async function forEachAtOnce<T>(atOnce: number, items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  const lane = async (): Promise<void> => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, lane));
}
