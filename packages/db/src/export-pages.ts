/**
 * Reads the pages of a run or of a source from the first to the last, for exports: in parts of bounded size, in a fixed order, and without
 * a transaction or a connection that lasts from one part to the next, so that a reader may take as long as it likes.
 */
import type { Page, PageChange, PageSummary, RunId, SourceId } from '@trawl/contracts';
import { eq, sql } from 'drizzle-orm';
import type { Db } from './db.ts';
import { toSummary } from './read-pages.ts';
import { pages, runPages } from './schema.ts';
import type { ChunkToSave, PageLink } from './types.ts';

/** A run's pages as it saw them, or those of a source that are there now, as the last run that kept each saw it. */
export type ExportedSet = { readonly runId: RunId } | { readonly sourceId: SourceId };

/** What is read of each page. What is left out is null or empty. */
export type ExportContents = 'everything' | 'markdown' | 'metadata' | 'answer';

export interface ExportPagesOptions {
  readonly contents: ExportContents;
  /** False leaves out pages whose content another page has; known once the run is over. */
  readonly duplicates?: boolean | undefined;
  /** Only pages that were found so. */
  readonly changes?: readonly PageChange[] | undefined;
  readonly mostRows?: number;
  /** Of texts, in one part; a page that has more is a part of its own. */
  readonly mostBytes?: number;
}

export type ExportPage = PageSummary &
  Pick<Page, 'markdown' | 'text' | 'links' | 'chunks' | 'metadata'> & {
    /** As its metadata says: of the whole page, what chunks repeat of each other not counted. */
    readonly tokenCount: number;
    /** The blob with the answer as it came. */
    readonly rawRef: string | null;
    /** The blob with a picture of it. */
    readonly shotRef: string | null;
    /** When what is stored was last fetched, or found to be the same: by this run or a later one. */
    readonly storedAt: string;
  };

/** So many are looked up at once, to know their sizes: three numbers of each. */
const PLACES_AT_ONCE = 2000;
const MOST_ROWS = 100;
/** Some ten times as much is held while a part is turned into objects and out again. */
const MOST_BYTES = 512 * 1024;

/**
 * In the order in which the run's rows, or the source's pages, were made. What is added meanwhile may be missed, what is deleted is left
 * out. Stop reading to stop the queries: none is made ahead.
 */
export async function* exportPages(
  db: Db,
  of: ExportedSet,
  options: ExportPagesOptions,
): AsyncGenerator<readonly ExportPage[], void, undefined> {
  let after = 0;
  for (;;) {
    const places = await readPlaces(db, of, after, options);
    for (const part of partsOf(places, options.mostRows ?? MOST_ROWS, options.mostBytes ?? MOST_BYTES)) {
      const read = await readPart(db, part, options.contents);
      if (read.length > 0) yield read;
    }
    const last = places.at(-1);
    if (!last || places.length < PLACES_AT_ONCE) return;
    after = 'runId' in of ? last.seenId : last.pageId;
  }
}

/** Whether a source keeps the answer of any page it has. */
export async function keepsAnswers(db: Db, sourceId: SourceId): Promise<boolean> {
  const rows = await db.sql`
    SELECT FROM pages WHERE source_id = ${sourceId} AND raw_ref IS NOT NULL AND gone_at IS NULL LIMIT 1`;
  return rows.length > 0;
}

interface Place {
  /** The row in `run_pages`, the one in `pages`, and how much its texts are. */
  readonly seenId: number;
  readonly pageId: number;
  readonly bytes: number;
}

async function readPlaces(
  db: Db,
  of: ExportedSet,
  after: number,
  options: ExportPagesOptions,
): Promise<readonly Place[]> {
  const { contents, changes, duplicates = true } = options;
  const columns = db.sql`run_pages.id AS seen_id, pages.id AS page_id, ${bytesOf(db, contents)} AS bytes`;
  const wanted = db.sql`run_pages.outcome = 'processed'
    AND (${duplicates} OR run_pages.duplicate_of IS NULL)
    AND (${changes === undefined} OR run_pages.change = ANY (ARRAY(SELECT json_array_elements_text(${JSON.stringify(changes ?? [])}::json))))`;
  const rows: readonly { seen_id: string; page_id: string; bytes: string }[] =
    'runId' in of
      ? await db.sql`
          SELECT ${columns} FROM run_pages JOIN pages ON pages.id = run_pages.page_id
          WHERE run_pages.run_id = ${of.runId} AND run_pages.id > ${after} AND ${wanted}
          ORDER BY run_pages.id LIMIT ${PLACES_AT_ONCE}`
      : await db.sql`
          SELECT ${columns} FROM pages
          CROSS JOIN LATERAL (
            SELECT * FROM run_pages AS seen WHERE seen.page_id = pages.id AND seen.outcome = 'processed'
            ORDER BY seen.id DESC LIMIT 1
          ) AS run_pages
          WHERE pages.source_id = ${of.sourceId} AND pages.gone_at IS NULL AND pages.id > ${after} AND ${wanted}
          ORDER BY pages.id LIMIT ${PLACES_AT_ONCE}`;
  return rows.map((row) => ({ seenId: Number(row.seen_id), pageId: Number(row.page_id), bytes: Number(row.bytes) }));
}

/** Texts tell their length without being read; JSON has to be, on the server, which is still far less than sending it. */
function bytesOf(db: Db, contents: ExportContents) {
  if (contents === 'answer') return db.sql`0`;
  if (contents === 'metadata') return db.sql`octet_length(pages.metadata::text)`;
  const markdown = db.sql`coalesce(octet_length(pages.markdown), 0)::bigint + octet_length(pages.metadata::text)`;
  if (contents === 'markdown') return markdown;
  return db.sql`${markdown} + octet_length(pages.text) + octet_length(pages.links::text) + octet_length(pages.chunks::text)`;
}

function* partsOf(places: readonly Place[], mostRows: number, mostBytes: number): Generator<readonly Place[]> {
  let part: Place[] = [];
  let bytes = 0;
  for (const place of places) {
    if (part.length > 0 && (part.length === mostRows || bytes + place.bytes > mostBytes)) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push(place);
    bytes += place.bytes;
  }
  if (part.length > 0) yield part;
}

async function readPart(db: Db, part: readonly Place[], contents: ExportContents): Promise<ExportPage[]> {
  const hasMarkdown = contents === 'everything' || contents === 'markdown';
  const all = contents === 'everything';
  const nothing = sql<null>`NULL`;
  const rows = await db.orm
    .select({
      seen: runPages,
      id: pages.id,
      rawRef: pages.rawRef,
      shotRef: pages.shotRef,
      storedAt: pages.crawledAt,
      markdown: hasMarkdown ? pages.markdown : nothing,
      metadata: contents === 'answer' ? nothing : pages.metadata,
      text: all ? pages.text : nothing,
      links: all ? pages.links : nothing,
      chunks: all ? pages.chunks : nothing,
    })
    .from(runPages)
    .innerJoin(pages, eq(pages.id, runPages.pageId))
    .where(
      // One parameter, so that one statement serves parts of every length.
      sql`${runPages.id} IN (SELECT wanted.seen_id::bigint FROM json_array_elements_text(${JSON.stringify(part.map(({ seenId }) => seenId))}::json) AS wanted(seen_id))`,
    );
  const byId = new Map(rows.map((row) => [row.seen.id, row]));
  return part.flatMap(({ seenId }) => {
    const row = byId.get(seenId);
    return row ? [toExportPage(row)] : [];
  });
}

interface ExportRow {
  readonly seen: typeof runPages.$inferSelect;
  readonly id: number;
  readonly rawRef: string | null;
  readonly shotRef: string | null;
  readonly storedAt: Date;
  readonly markdown: string | null;
  readonly metadata: unknown;
  readonly text: string | null;
  readonly links: unknown;
  readonly chunks: ChunkToSave[] | null;
}

function toExportPage(row: ExportRow): ExportPage {
  const chunks = row.chunks ?? [];
  const metadata = (row.metadata ?? {}) as Record<string, unknown>;
  return {
    ...toSummary(row.seen),
    markdown: row.markdown,
    text: row.text,
    // Both were written by savePages, from values of these types.
    links: (row.links ?? []) as PageLink[],
    metadata,
    chunks: chunks.map((chunk) => ({ ...chunk, id: `${row.id}.${chunk.id}`, headingPath: [...chunk.headingPath] })),
    tokenCount: typeof metadata.tokenCount === 'number' ? metadata.tokenCount : 0,
    rawRef: row.rawRef,
    shotRef: row.shotRef,
    storedAt: row.storedAt.toISOString(),
  };
}
