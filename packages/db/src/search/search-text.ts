/**
 * Finds chunks of a source by their words, best first. Each configuration in the source has its own reading of the query, and its own
 * chunks. What the parser of Postgres finds no words in (Chinese, Japanese …, or stop words only) is looked for as it stands.
 */
import type { SourceId } from '@trawl/contracts';
import type postgres from 'postgres';
import { containing } from '../read-pages.ts';
import { primaryLanguage } from './languages.ts';
import { searchable } from './plain-text.ts';
import type { Hit, HitPosition, SearchFilters } from './search-types.ts';

type Tx = postgres.ISql;

/** Of more matches than this, so many are ranked and the rest is not looked at: ranking is the cost of a search. */
const MOST_RANKED = 50_000;
/** ts_rank_cd: divided by the logarithm of the length (1), and brought between 0 and 1 (32). */
const NORMALIZATION = 1 | 32;
const MOST_TERMS = 10;

/** Scripts that put no spaces between words, or write endings to them that no dictionary of Postgres knows. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** How a query is asked, of the chunks of each configuration: as words, or as parts of the text. */
export interface Asked {
  readonly words: readonly { readonly config: string; readonly query: string }[];
  readonly parts: { readonly configs: readonly string[]; readonly terms: readonly string[] };
}

export async function readQuery(tx: Tx, sourceId: SourceId, q: string): Promise<Asked> {
  // Not DISTINCT, which would read every page of the source.
  const rows = await tx<{ config: string; query: string; nodes: number }[]>`
    WITH RECURSIVE present AS (
      (SELECT config FROM search_pages WHERE source_id = ${sourceId} ORDER BY config LIMIT 1)
      UNION ALL
      SELECT (SELECT config FROM search_pages WHERE source_id = ${sourceId} AND config > present.config ORDER BY config LIMIT 1)
      FROM present WHERE present.config IS NOT NULL
    ), asked AS (
      SELECT config, websearch_to_tsquery(('pg_catalog.' || config)::regconfig, ${searchable(q)}) AS query
      FROM present WHERE config IS NOT NULL
    )
    SELECT config, query::text, numnode(query) AS nodes FROM asked`;
  const isWorded = (row: { nodes: number }) => row.nodes > 0 && !UNSPACED.test(q);
  const terms = termsOf(q);
  return {
    words: rows.filter(isWorded).map(({ config, query }) => ({ config, query })),
    parts: { configs: terms.length === 0 ? [] : rows.filter((row) => !isWorded(row)).map((row) => row.config), terms },
  };
}

const termsOf = (q: string): string[] =>
  [...new Set(q.replaceAll('"', ' ').toLowerCase().split(/\s+/u))].filter((term) => term !== '').slice(0, MOST_TERMS);

export interface TextSearch extends SearchFilters {
  readonly limit: number;
  readonly after?: HitPosition | undefined;
  /** Most chunks of one page. */
  readonly perPage: number;
}

export async function searchText(tx: Tx, sourceId: SourceId, asked: Asked, o: TextSearch): Promise<Hit[]> {
  const lists = asked.words.map((words) => wordHits(tx, sourceId, words, o));
  if (asked.parts.configs.length > 0) lists.push(partHits(tx, sourceId, asked.parts, o));
  if (lists.length === 0) return [];
  const hits = lists.reduce((all, one) => tx`${all} UNION ALL ${one}`);
  const after = o.after
    ? tx`AND (score < ${o.after.score}::float8
        OR (score = ${o.after.score}::float8 AND (page_id, index) > (${o.after.pageId}::bigint, ${o.after.index}::int)))`
    : tx``;
  const rows = await tx<{ page_id: string; chunk_id: string; index: number; score: number }[]>`
    SELECT page_id, chunk_id, index, score FROM (
      SELECT hits.*, row_number() OVER (PARTITION BY page_id ORDER BY score DESC, index) AS nth FROM (${hits}) AS hits
    ) AS ranked
    WHERE nth <= ${o.perPage} ${after}
    ORDER BY score DESC, page_id, index
    LIMIT ${o.limit}`;
  return rows.map((row) => ({
    pageId: Number(row.page_id),
    chunkId: row.chunk_id,
    index: row.index,
    score: Number(row.score),
  }));
}

function wordHits(tx: Tx, sourceId: SourceId, { config, query }: Asked['words'][number], filters: SearchFilters) {
  return tx`
    (SELECT chunk.page_id, chunk.chunk_id, chunk.index,
      ts_rank_cd(chunk.document, ${query}::tsquery, ${NORMALIZATION}::int)::float8 AS score
    FROM search_chunks AS chunk ${onlyPages(tx, filters)}
    WHERE chunk.document @@ (${query}::tsquery && ${tag(sourceId, config)}::tsquery)
    LIMIT ${MOST_RANKED})`;
}

/** All terms, anywhere in the chunk, its headings or its title. A title counts for most, then headings, then how often. */
function partHits(tx: Tx, sourceId: SourceId, asked: Asked['parts'], filters: SearchFilters) {
  const tags = asked.configs.map((config) => tag(sourceId, config)).join(' | ');
  const all = asked.terms
    .map(
      (term) =>
        tx`(body ILIKE ${containing(term)} OR above ILIKE ${containing(term)} OR title ILIKE ${containing(term)})`,
    )
    .reduce((sofar, one) => tx`${sofar} AND ${one}`);
  const score = asked.terms
    .map(
      (term) => tx`(CASE WHEN title ILIKE ${containing(term)} THEN 1.0 ELSE 0 END
        + CASE WHEN above ILIKE ${containing(term)} THEN 0.4 ELSE 0 END
        + 0.1 * least(5, (length(body) - length(replace(lower(body), ${term}, ''))) / ${[...term].length}::int))`,
    )
    .reduce((sofar, one) => tx`${sofar} + ${one}`);
  return tx`
    SELECT page_id, chunk_id, index, ((${score}) / (1 + (${score})))::float8 AS score FROM (
      SELECT chunk.page_id, chunk.chunk_id, chunk.index, chunk.text AS body, chunk.heading_path::text AS above, page.title
      FROM search_chunks AS chunk JOIN search_pages AS page USING (page_id)
      WHERE chunk.document @@ ${tags}::tsquery ${pageFilters(tx, filters)}
      LIMIT ${MOST_RANKED}
    ) AS candidates
    WHERE ${all}`;
}

const onlyPages = (tx: Tx, filters: SearchFilters) =>
  filters.language === undefined && filters.path === undefined
    ? tx``
    : tx`JOIN search_pages AS page ON page.page_id = chunk.page_id ${pageFilters(tx, filters)}`;

/** For a join with `search_pages AS page`. */
export function pageFilters(tx: Tx, { language, path }: SearchFilters) {
  const primary = language === undefined ? undefined : (primaryLanguage(language) ?? language);
  const ofLanguage =
    primary === undefined ? tx`` : tx`AND lower(split_part(replace(page.language, '_', '-'), '-', 1)) = ${primary}`;
  return path === undefined ? ofLanguage : tx`${ofLanguage} AND starts_with(page.path, ${path})`;
}

/** The word that only chunks of this source and configuration have. Neither part holds a quote. */
const tag = (sourceId: SourceId, config: string): string => `'${sourceId} ${config}'`;
