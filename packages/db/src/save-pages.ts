/**
 * Saves processed pages of a run: content, what the run saw, chunks. Safe to repeat and to race. Does not decide whether
 * a page counts as processed (crawl-state does, afterwards); finalization removes rows that never did.
 *
 * One statement, hence one round trip and one transaction. What holds it together:
 * - The run's row is locked FOR KEY SHARE before anything is written. Sealing takes FOR UPDATE, so it waits for saves under
 *   way, and a save that comes later finds the run sealed. Changes of status need a weaker lock and wait for nobody.
 * - Rows are written in the order of their key hashes, so two workers with the same pages wait for each other in one direction.
 * - All parts see the database as it was when the statement began, a save they waited for not included. So what was told of a
 *   page comes from the upsert itself; it changes only at the end of a run.
 */
import { hash, randomUUID } from 'node:crypto';
import type { RunId, SourceId, UrlKey } from '@trawl/contracts';
import type { Db } from './db.ts';
import { keyHash } from './key-hash.ts';
import { storableJson, storableText } from './storable.ts';
import type { PageToSave, ReleasedAnswer, SavePagesResult } from './types.ts';

export async function savePages(
  db: Db,
  run: { readonly runId: RunId; readonly sourceId: SourceId },
  pages: readonly PageToSave[],
): Promise<SavePagesResult> {
  const { pageRows, bodies } = rowsOf(pages);
  // A page can't hold what was random after it was fetched.
  const separator = `\u001e${randomUUID()}\u001e`;
  const answer = await db.sql<{ sealed: boolean; released: ReleasedAnswer[] | null }[]>`
    WITH run AS MATERIALIZED (
      SELECT sealed FROM runs WHERE id = ${run.runId} AND source_id = ${run.sourceId} FOR KEY SHARE
    ),
    bodies AS MATERIALIZED (
      SELECT string_to_array(${bodies.join(separator)}, ${separator}) AS at
    ),
    input AS MATERIALIZED (
      SELECT page.*, bodies.at[markdown_at] AS markdown, bodies.at[text_at] AS text,
        bodies.at[links_at]::json AS links, bodies.at[metadata_at]::json AS metadata, bodies.at[chunks_at]::json AS chunks
      FROM run, bodies, json_to_recordset(${storableJson(pageRows)}::json) AS page(
        key_hash uuid, key text, url text, final_url text, depth int, parent_url text, http_status int,
        content_type text, title text, language text, bytes bigint, elapsed_ms int, content_hash text, body_hash text, etag text, last_modified text, simhash bigint, raw_ref text, shot_ref text, rendered boolean, rendition uuid,
        markdown_at int, text_at int, links_at int, metadata_at int, chunks_at int, crawled_at timestamptz, error jsonb)
      WHERE NOT run.sealed
      ORDER BY page.key_hash
    ),
    saved AS (
      INSERT INTO pages AS old (
        source_id, key_hash, key, url, final_url, title, language, content_type, http_status, bytes, content_hash,
        body_hash, etag, last_modified, simhash, raw_ref, shot_ref, rendered, rendition, markdown, text, links, metadata, chunks, first_seen_at, crawled_at, last_run_id)
      SELECT ${run.sourceId}, key_hash, key, url, final_url, title, language, content_type, http_status, bytes, content_hash,
        body_hash, etag, last_modified, simhash, raw_ref, shot_ref, rendered, rendition, markdown, text, links, metadata, chunks, crawled_at, crawled_at, ${run.runId}
      FROM input
      ON CONFLICT (source_id, key_hash) DO UPDATE SET
        url = excluded.url, final_url = excluded.final_url, title = excluded.title, language = excluded.language,
        content_type = excluded.content_type, http_status = excluded.http_status, bytes = excluded.bytes,
        content_hash = excluded.content_hash,
        body_hash = excluded.body_hash, etag = excluded.etag, last_modified = excluded.last_modified, simhash = excluded.simhash,
        -- One that is no longer kept is named to the caller, who deletes it and then says so.
        raw_ref = coalesce(excluded.raw_ref, old.raw_ref), shot_ref = coalesce(excluded.shot_ref, old.shot_ref),
        rendered = excluded.rendered, rendition = excluded.rendition,
        -- A value taken from the old row stays where it is in TOAST; an equal new one would be written again.
        markdown = CASE WHEN old.rendition = excluded.rendition THEN old.markdown ELSE excluded.markdown END,
        text = CASE WHEN old.rendition = excluded.rendition THEN old.text ELSE excluded.text END,
        chunks = CASE WHEN old.rendition = excluded.rendition THEN old.chunks ELSE excluded.chunks END,
        links = excluded.links, metadata = excluded.metadata,
        crawled_at = excluded.crawled_at, last_run_id = excluded.last_run_id
      RETURNING id, key_hash, content_hash, told_hash, raw_ref, shot_ref
    ),
    seen AS (
      INSERT INTO run_pages AS first (
        run_id, page_id, key_hash, key, url, final_url, depth, parent_url, outcome, http_status, content_type, title,
        language, bytes, elapsed_ms, rendered, content_hash, crawled_at, error, change)
      SELECT ${run.runId}, saved.id, input.key_hash, input.key, input.url, input.final_url, input.depth, input.parent_url,
        CASE WHEN input.error IS NULL THEN 'processed' ELSE 'skipped' END, input.http_status, input.content_type, input.title, input.language, input.bytes, input.elapsed_ms, input.rendered,
        input.content_hash, input.crawled_at, input.error,
        CASE WHEN input.error IS NOT NULL THEN NULL
             WHEN saved.told_hash IS NULL THEN 'new'
             WHEN saved.told_hash = saved.content_hash THEN 'unchanged'
             ELSE 'changed' END
      FROM input JOIN saved USING (key_hash)
      -- The first answer about change stays.
      ON CONFLICT (run_id, key_hash) DO UPDATE SET
        page_id = excluded.page_id, url = excluded.url, final_url = excluded.final_url,
        depth = least(first.depth, excluded.depth),
        parent_url = CASE WHEN excluded.depth < first.depth THEN excluded.parent_url ELSE first.parent_url END,
        outcome = excluded.outcome, http_status = excluded.http_status, content_type = excluded.content_type,
        title = excluded.title, language = excluded.language, bytes = excluded.bytes, elapsed_ms = excluded.elapsed_ms,
        rendered = excluded.rendered, content_hash = excluded.content_hash, crawled_at = excluded.crawled_at, error = excluded.error
    )
    SELECT sealed, (
      SELECT json_agg(json_build_object('keyHash', key_hash,
        'rawRef', CASE WHEN input.raw_ref IS NULL THEN saved.raw_ref END,
        'shotRef', CASE WHEN input.shot_ref IS NULL THEN saved.shot_ref END))
      FROM saved JOIN input USING (key_hash)
      WHERE (input.raw_ref IS NULL AND saved.raw_ref IS NOT NULL) OR (input.shot_ref IS NULL AND saved.shot_ref IS NOT NULL)
    ) AS released FROM run`;
  const row = answer[0];
  if (!row) return { kind: 'no-run' };
  if (row.sealed) return { kind: 'sealed' };
  return row.released === null ? { kind: 'saved' } : { kind: 'saved', released: row.released };
}

/** Says that answers and pictures are no longer kept. Those that were kept anew meanwhile, under another reference, stay. */
export async function forgetAnswers(db: Db, sourceId: SourceId, released: readonly ReleasedAnswer[]): Promise<void> {
  if (released.length === 0) return;
  await db.sql`
    WITH locked AS MATERIALIZED (
      SELECT pages.id, pages.raw_ref = gone."rawRef" AS is_raw_gone, pages.shot_ref = gone."shotRef" AS is_shot_gone FROM pages
      JOIN json_to_recordset(${JSON.stringify(released)}::json) AS gone("keyHash" uuid, "rawRef" text, "shotRef" text)
        ON pages.key_hash = gone."keyHash"
      WHERE pages.source_id = ${sourceId}
      ORDER BY pages.key_hash
      FOR NO KEY UPDATE OF pages
    )
    UPDATE pages SET raw_ref = CASE WHEN is_raw_gone THEN NULL ELSE raw_ref END,
      shot_ref = CASE WHEN is_shot_gone THEN NULL ELSE shot_ref END
    FROM locked WHERE pages.id = locked.id AND (is_raw_gone OR is_shot_gone)`;
}

/**
 * The statement's inputs. Long texts go beside the JSON, as one text with separators. Encoding a page's 18 KB of texts cost
 * Node about ten times as much as elements of an array, and more as JSON; Postgres would have to undo it as well.
 * A key that comes twice counts as it came last: an upsert can't touch a row twice.
 */
function rowsOf(pages: readonly PageToSave[]) {
  const byKey = new Map<UrlKey, PageToSave>(pages.map((page) => [page.key, page]));
  const pageRows: unknown[] = [];
  const bodies: string[] = [];
  /** Where the text will be found: arrays of Postgres begin at 1. */
  const place = (text: string): number => bodies.push(storableText(text));
  for (const page of byKey.values()) {
    const key_hash = keyHash(page.key);
    pageRows.push({
      key_hash,
      key: page.key,
      url: page.url,
      final_url: page.finalUrl,
      depth: page.depth,
      parent_url: page.parentUrl,
      http_status: page.httpStatus,
      content_type: page.contentType,
      title: page.title,
      language: page.language,
      bytes: page.bytes,
      elapsed_ms: Math.round(page.elapsedMs),
      rendered: page.rendered ?? false,
      content_hash: page.contentHash,
      // What is not kept must not be known by these: a run that does not count it would leave a page without text that seems unchanged.
      ...(page.skipped
        ? { body_hash: null, etag: null, last_modified: null }
        : { body_hash: page.bodyHash ?? null, etag: page.etag ?? null, last_modified: page.lastModified ?? null }),
      // As text: JSON has no whole numbers of this size.
      simhash: page.simhash?.toString() ?? null,
      raw_ref: page.skipped ? null : (page.rawRef ?? null),
      shot_ref: page.skipped ? null : (page.shotRef ?? null),
      rendition: renditionOf(page),
      markdown_at: page.markdown === null ? null : place(page.markdown),
      text_at: place(page.text),
      links_at: bodies.push(storableJson(page.links)),
      metadata_at: bodies.push(storableJson(page.metadata)),
      chunks_at: bodies.push(storableJson(page.chunks)),
      crawled_at: page.crawledAt,
      error: page.skipped ?? null,
    });
  }
  return { pageRows, bodies };
}

/** Two saves with one rendition store the same markdown, text and chunks: same content, same choice of outputs, same cuts. */
function renditionOf(page: PageToSave): string {
  const cuts = page.chunks.map((chunk) => chunk.text.length).join();
  return hash('sha256', `${page.contentHash} ${page.markdown?.length ?? -1} ${page.text.length} ${cuts}`, 'hex').slice(
    0,
    32,
  );
}
