/** Which format is made of what: reads just as much of each page as the format shows, and hands it to the one that writes it. */
import { assertNever, type PageChange } from '@trawl/contracts';
import { type ExportContents, type ExportedSet, type ExportPage, exportPages } from '@trawl/db';
import {
  type ExportedSite,
  type ExportFormat,
  exportCsv,
  exportJsonl,
  exportLlms,
  exportLlmsFull,
  exportMarkdown,
  exportParquet,
  exportWarc,
  exportZip,
  type WarcAnswer,
} from '@trawl/exports';
import type { ApiDeps } from '../deps.ts';
import { collectGarbage } from './collect-garbage.ts';
import { readAnswer, readAsItCame, shotPath } from './kept-answers.ts';

export interface ExportRequest {
  readonly format: ExportFormat;
  readonly of: ExportedSet;
  readonly site: ExportedSite;
  readonly fileName: string;
  readonly duplicates: boolean;
  readonly changes: readonly PageChange[] | undefined;
}

type Pieces = AsyncGenerator<Uint8Array, void, undefined>;

export function exportPieces(deps: ApiDeps, request: ExportRequest): Pieces {
  const { format, of, site, duplicates, changes } = request;
  const read = (contents: ExportContents) => tidied(exportPages(deps.db, of, { contents, duplicates, changes }));
  switch (format) {
    case 'jsonl':
      return exportJsonl(withKept(deps, read('everything')));
    case 'markdown':
      return exportMarkdown(read('markdown'));
    case 'zip':
      return exportZip(read('markdown'), site);
    case 'csv':
      return exportCsv(read('markdown'));
    case 'parquet':
      return exportParquet(read('everything'), collectGarbage);
    case 'warc':
      return exportWarc(answers(deps, read('answer')), {
        fileName: request.fileName,
        software: deps.settings.userAgent,
        createdAt: new Date(),
      });
    case 'llms':
      return exportLlms(read('metadata'), site);
    case 'llms-full':
      return exportLlmsFull(read('markdown'), site);
    default:
      return assertNever(format);
  }
}

type Parts = AsyncIterable<readonly ExportPage[]>;

/** Of up to half a megabyte each; what is made of them on the way out is ten times as much, and lies around until it is collected. */
const PARTS_BETWEEN_COLLECTIONS = 16;

async function* tidied(parts: Parts) {
  let read = 0;
  for await (const pages of parts) {
    read += 1;
    if (read % PARTS_BETWEEN_COLLECTIONS === 0) collectGarbage();
    yield pages;
  }
}

/** As `GET` of a page shows it; one page at a time, since what is kept of it may be far larger than its texts. */
async function* withKept(deps: ApiDeps, parts: Parts) {
  for await (const pages of parts) {
    for (const page of pages) {
      const html = page.rawRef === null ? null : await readAsItCame(deps, page.rawRef, page.contentType);
      yield [{ ...page, html, screenshot: shotPath(page) }];
    }
  }
}

async function* answers(deps: ApiDeps, parts: Parts): AsyncGenerator<WarcAnswer> {
  for await (const pages of parts) {
    for (const page of pages) {
      const answer = page.rawRef === null ? null : await readAnswer(deps, page.rawRef);
      if (answer) yield { ...answer, url: page.finalUrl ?? page.url, fetchedAt: new Date(page.storedAt) };
    }
  }
}
