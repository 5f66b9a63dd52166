/**
 * A search in one source: by words, by meaning, or by both. Puts the parts together and cuts the list; reads the index as it is and never
 * brings it up to date. What it costs is bounded: by a time for every statement, and by how many matches are ranked.
 */
import type { SearchMode, SourceId } from '@trawl/contracts';
import type postgres from 'postgres';
import { pageId } from '../cursor.ts';
import type { Db } from '../db.ts';
import { type Highlight, highlight } from './highlights.ts';
import { type EmbeddingStatus, type IndexStatus, readEmbeddingStatus, readIndexStatus } from './index-status.ts';
import { parseSearchCursor, type SearchIdentity, searchCursor } from './search-cursor.ts';
import { type Asked, readQuery, searchText } from './search-text.ts';
import { byScore, type Hit, type HitPosition, type SearchFilters } from './search-types.ts';
import { searchVectors } from './search-vectors.ts';

type Tx = postgres.ISql;

/** A person waits. */
const STATEMENT_TIMEOUT_MS = 5000;
/** Of a search by meaning, and of both parts of one by both: so many of the best, and no more. */
const MOST_NEAREST = 200;
/** Reciprocal rank fusion: the larger, the less the first places count for. 60 is what it was published with. */
const FUSION = 60;

export interface SearchOptions extends SearchFilters {
  readonly q: string;
  readonly limit: number;
  readonly cursor?: string | undefined;
  /** Most chunks of one page. */
  readonly perPage: number;
  readonly mode: SearchMode;
  /** The query's embedding; without one only `text` can be searched. */
  readonly vector?: readonly number[] | undefined;
}

interface SearchItem {
  readonly pageId: string;
  readonly url: string;
  readonly title: string | null;
  readonly language: string | null;
  readonly chunkId: string;
  readonly index: number;
  readonly headingPath: readonly string[];
  readonly tokens: number;
  readonly text: string;
  readonly score: number;
  readonly highlights: readonly Highlight[];
}

export type SearchResult =
  | {
      readonly kind: 'found';
      readonly items: readonly SearchItem[];
      readonly nextCursor: string | null;
      readonly index: IndexStatus & { readonly embeddings: EmbeddingStatus | null };
    }
  | { readonly kind: 'bad-cursor' }
  | { readonly kind: 'too-slow' };

/** In which mode the search was that gave out this cursor; null: it is of another search, or none. */
export function modeOfCursor(cursor: string, search: SearchIdentity): SearchMode | null {
  return parseSearchCursor(cursor, search)?.mode ?? null;
}

export async function searchSource(db: Db, sourceId: SourceId, o: SearchOptions): Promise<SearchResult> {
  const identity = { ...o, sourceId };
  const position = o.cursor === undefined ? undefined : parseSearchCursor(o.cursor, identity);
  if (position === null || (position && position.mode !== o.mode)) return { kind: 'bad-cursor' };
  try {
    // One view of the index for all statements.
    return await db.sql.begin('isolation level repeatable read read only', async (tx) => {
      // A plan for any query would be one for none: what a word is worth, only the word says.
      await tx`SET LOCAL plan_cache_mode = force_custom_plan`;
      await tx`SELECT set_config('statement_timeout', ${String(STATEMENT_TIMEOUT_MS)}, true)`;
      const asked = await readQuery(tx, sourceId, o.q);
      const hits = await findHits(tx, sourceId, asked, { ...o, after: position?.after });
      const shown = hits.slice(0, o.limit);
      const last = hits.length > o.limit ? shown.at(-1) : undefined;
      return {
        kind: 'found',
        items: await describeHits(tx, shown, asked),
        nextCursor: last ? searchCursor(identity, o.mode, last) : null,
        index: {
          ...(await readIndexStatus(tx, sourceId)),
          embeddings: o.vector ? await readEmbeddingStatus(tx, sourceId) : null,
        },
      };
    });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === '57014') return { kind: 'too-slow' };
    throw error;
  }
}

interface Wanted extends SearchOptions {
  readonly after: HitPosition | undefined;
}

/** One more than wanted where there are more. */
async function findHits(tx: Tx, sourceId: SourceId, asked: Asked, o: Wanted): Promise<Hit[]> {
  if (o.mode === 'text' || o.vector === undefined) return searchText(tx, sourceId, asked, { ...o, limit: o.limit + 1 });
  const best = { limit: MOST_NEAREST, language: o.language, path: o.path };
  const near = await searchVectors(tx, sourceId, o.vector, best);
  if (o.mode === 'semantic') return cut(near, o);
  const worded = await searchText(tx, sourceId, asked, { ...best, perPage: MOST_NEAREST });
  return cut(fuse([worded, near]), o);
}

/** Each list gives its hits 1 / (60 + place): what both have near the top comes first, however differently they score. */
export function fuse(lists: readonly (readonly Hit[])[]): Hit[] {
  const fused = new Map<string, Hit>();
  for (const list of lists) {
    for (const [place, hit] of list.entries()) {
      const name = `${hit.pageId} ${hit.chunkId}`;
      const score = (fused.get(name)?.score ?? 0) + 1 / (FUSION + place + 1);
      fused.set(name, { ...hit, score });
    }
  }
  return [...fused.values()];
}

function cut(hits: readonly Hit[], { perPage, after, limit }: Wanted): Hit[] {
  const ofPage = new Map<number, number>();
  return [...hits]
    .sort(byScore)
    .filter((hit) => {
      const nth = (ofPage.get(hit.pageId) ?? 0) + 1;
      ofPage.set(hit.pageId, nth);
      return nth <= perPage;
    })
    .filter((hit) => after === undefined || byScore(after, hit) < 0)
    .slice(0, limit + 1);
}

interface HitRow {
  readonly page_id: string;
  readonly chunk_id: string;
  readonly seen_id: string;
  readonly url: string;
  readonly title: string | null;
  readonly language: string | null;
  readonly config: string;
  readonly index: number;
  readonly headingPath: string[];
  readonly tokens: number;
  readonly text: string;
}

async function describeHits(tx: Tx, hits: readonly Hit[], asked: Asked): Promise<SearchItem[]> {
  if (hits.length === 0) return [];
  const wanted = hits.map((hit, nth) => ({ page_id: hit.pageId, chunk_id: hit.chunkId, nth }));
  const rows = await tx<(HitRow & { nth: number })[]>`
    SELECT wanted.nth, chunk.page_id, chunk.chunk_id, seen.id AS seen_id, page.url, page.title, page.language, page.config,
      chunk.index, chunk.heading_path AS "headingPath", chunk.tokens, chunk.text
    FROM json_to_recordset(${JSON.stringify(wanted)}::json) AS wanted(page_id bigint, chunk_id text, nth int)
    JOIN search_chunks AS chunk USING (page_id, chunk_id)
    JOIN search_pages AS page USING (page_id)
    CROSS JOIN LATERAL (SELECT id FROM run_pages WHERE run_pages.page_id = wanted.page_id ORDER BY id DESC LIMIT 1) AS seen
    ORDER BY wanted.nth`;
  const highlights = await highlight(tx, rows, asked);
  return rows.map((row, at) => ({
    pageId: pageId(Number(row.seen_id)),
    url: row.url,
    title: row.title,
    language: row.language,
    chunkId: `${row.page_id}.${row.chunk_id}`,
    index: row.index,
    headingPath: row.headingPath,
    tokens: row.tokens,
    text: row.text,
    score: hits[row.nth]?.score ?? 0,
    highlights: highlights[at] ?? [],
  }));
}
