/**
 * What went wrong in a run that is over, grouped by code and host. One statement that Postgres may do on disk: it sends
 * the groups that are shown, not the rows. While a run lives its failures are not here: Redis has them.
 */
import type { ErrorGroup, RunId } from '@trawl/contracts';
import type { Db } from './db.ts';

interface ErrorsAsked {
  readonly outcomes: readonly ErrorGroup['outcome'][];
  /** Most groups that are listed; all are counted. */
  readonly limit: number;
}

interface GroupedErrors {
  /** URLs of all groups, listed or not. */
  readonly total: number;
  /** Most frequent first, then by code, host and outcome. */
  readonly groups: readonly ErrorGroup[];
  readonly truncated: boolean;
}

type Row = Omit<ErrorGroup, 'examples'> & {
  readonly examples: string;
  readonly total: number;
  readonly groups: number;
};

/**
 * The host is what `hostKey` of @trawl/url makes of the URL, which is stored as the URL parser wrote it: lower case, no
 * credentials, IPv6 in brackets. A test of the API compares the two. It is made of what lies between `//` and `/` after a
 * first grouping by that: done for each of a million rows, the expressions took most of the time.
 *
 * Numbers of rows are collected, not URLs: eight bytes for each row of a group, of which three are looked up in the end.
 */
export async function groupErrors(db: Db, runId: RunId, asked: ErrorsAsked): Promise<GroupedErrors> {
  const rows = await db.sql<Row[]>`
    WITH by_authority AS (
      SELECT outcome, (error ->> 'code') COLLATE "C" AS code, split_part(url, '/', 3) COLLATE "C" AS authority,
        count(*) AS count, (array_agg(id))[1:3] AS ids
      FROM run_pages
      WHERE run_id = ${runId} AND error IS NOT NULL
        AND outcome IN (SELECT json_array_elements_text(${JSON.stringify(asked.outcomes)}::json))
      GROUP BY 1, 2, 3
    ),
    named AS (
      SELECT outcome, code, count, ids, regexp_replace(
        regexp_replace(substring(authority from '^([[][^]]*[]]|[^:]*)'), '([^.])[.]$', '\\1'),
        '^(?:www[.](?=[^.].*[.]))+', '') AS host
      FROM by_authority
    ),
    grouped AS (
      SELECT outcome, code, host, sum(count) AS count,
        (array_remove(array_agg(ids[1]) || array_agg(ids[2]) || array_agg(ids[3]), NULL))[1:3] AS ids
      FROM named GROUP BY outcome, code, host
    ),
    listed AS (
      SELECT *, sum(count) OVER () AS total, count(*) OVER () AS groups FROM grouped
      ORDER BY count DESC, code COLLATE "C", host COLLATE "C", outcome COLLATE "C"
      LIMIT ${asked.limit}
    )
    SELECT listed.outcome, code, host, count::float8 AS count, total::float8 AS total, groups::int AS groups,
      (first.error ->> 'retryable')::boolean AS retryable, first.error ->> 'message' AS message,
      (SELECT json_agg(url ORDER BY id) FROM run_pages WHERE id = ANY (ids))::text AS examples
    FROM listed JOIN run_pages AS first ON first.id = ids[1]
    ORDER BY count DESC, code COLLATE "C", host COLLATE "C", listed.outcome COLLATE "C"`;
  return {
    total: rows[0]?.total ?? 0,
    groups: rows.map(({ code, host, outcome, count, retryable, message, examples }) => ({
      code,
      host,
      outcome,
      count,
      retryable,
      message,
      examples: JSON.parse(examples) as string[],
    })),
    truncated: (rows[0]?.groups ?? 0) > rows.length,
  };
}
