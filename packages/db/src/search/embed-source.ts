/**
 * Gives the indexed chunks of a source their embeddings. What is embedded is never sent again: a chunk that is as it was keeps its
 * vector, and one that reads the same as another takes that one's. Never waits for a model that is away: it says so and ends.
 */
import { randomUUID } from 'node:crypto';
import type { SourceId } from '@trawl/contracts';
import type { Db } from '../db.ts';
import { againAfterDeadlock } from '../deadlock.ts';
import { storableJson } from '../storable.ts';
import { embedEach } from './embed-each.ts';
import { embeddingInput } from './search-rows.ts';
import type { Embedder } from './search-types.ts';

const LEASE_SECONDS = 180;

export type EmbeddedSource =
  | { readonly kind: 'done'; readonly embedded: number; readonly skipped: number; readonly copied: number }
  | { readonly kind: 'busy' }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'unavailable'; readonly reason: string; readonly retryAfterMs: number | null };

/** Sources whose index has changed since their embeddings were complete. */
export async function sourcesToEmbed(db: Db): Promise<readonly SourceId[]> {
  const rows = await db.sql<{ source_id: SourceId }[]>`
    SELECT indexed.source_id FROM search_sources AS indexed LEFT JOIN search_vector_sources AS known USING (source_id)
    WHERE known.version IS DISTINCT FROM indexed.version AND indexed.version > 0
      AND (known.leased_until IS NULL OR known.leased_until < now())
    ORDER BY indexed.checked_at NULLS LAST LIMIT 100`;
  return rows.map((row) => row.source_id);
}

export async function embedSource(
  db: Db,
  sourceId: SourceId,
  embedder: Embedder,
  signal?: AbortSignal,
): Promise<EmbeddedSource> {
  const token = randomUUID();
  const [leased] = await db.sql<{ version: string }[]>`
    INSERT INTO search_vector_sources AS known (source_id, lease, leased_until)
    SELECT source_id, ${token}, now() + ${LEASE_SECONDS} * interval '1 second' FROM search_sources WHERE source_id = ${sourceId}
    ON CONFLICT (source_id) DO UPDATE SET lease = excluded.lease, leased_until = excluded.leased_until
    WHERE known.leased_until IS NULL OR known.leased_until < now()
    RETURNING (SELECT version FROM search_sources WHERE source_id = ${sourceId}) AS version`;
  if (!leased) return { kind: 'busy' };
  try {
    const result = await pass(db, sourceId, embedder, token, signal);
    if (result.kind === 'done') {
      await db.sql`
        UPDATE search_vector_sources SET version = ${leased.version}::bigint WHERE source_id = ${sourceId} AND lease = ${token}`;
    }
    return result;
  } finally {
    await db.sql`
      UPDATE search_vector_sources SET lease = NULL, leased_until = NULL,
        embedded = counted.embedded, skipped = counted.skipped
      FROM (SELECT count(embedding)::int AS embedded, count(problem)::int AS skipped
        FROM search_vectors WHERE source_id = ${sourceId}) AS counted
      WHERE source_id = ${sourceId} AND lease = ${token}`;
  }
}

interface ChunkToEmbed {
  readonly page_id: string;
  readonly chunk_id: string;
  readonly hash: string;
  readonly title: string | null;
  readonly headingPath: string[];
  readonly text: string;
}

async function pass(
  db: Db,
  sourceId: SourceId,
  embedder: Embedder,
  token: string,
  signal: AbortSignal | undefined,
): Promise<EmbeddedSource> {
  const total = { embedded: 0, skipped: 0, copied: 0 };
  let after: Pick<ChunkToEmbed, 'page_id' | 'chunk_id'> = { page_id: '0', chunk_id: '' };
  for (;;) {
    if (signal?.aborted) return { kind: 'stopped' };
    const chunks = await nextChunks(db, sourceId, after, embedder.batch);
    const last = chunks.at(-1);
    if (!last) return { kind: 'done', ...total };
    after = last;
    const renewed = await db.sql`
      UPDATE search_vector_sources SET leased_until = now() + ${LEASE_SECONDS} * interval '1 second'
      WHERE source_id = ${sourceId} AND lease = ${token}`;
    if (renewed.count === 0) return { kind: 'busy' };
    const copied = await copyKnown(db, sourceId, chunks);
    total.copied += copied.size;
    const rest = chunks.filter((chunk) => !copied.has(nameOf(chunk)));
    const byHash = new Map(rest.map((chunk) => [chunk.hash, chunk]));
    const answer = await embedEach(embedder, [...byHash.values()].map(embeddingInput), signal);
    // What was embedded before it failed is kept: it was paid for.
    const outcomes = new Map([...byHash.keys()].map((hash, nth) => [hash, answer.outcomes[nth]]));
    const rows = rest.flatMap((chunk) => {
      const outcome = outcomes.get(chunk.hash);
      if (!outcome) return [];
      const { page_id, chunk_id, hash } = chunk;
      return outcome.kind === 'vector'
        ? { page_id, chunk_id, hash, embedding: JSON.stringify(outcome.vector), problem: null }
        : { page_id, chunk_id, hash, embedding: null, problem: outcome.reason.slice(0, 500) };
    });
    await saveVectors(db, sourceId, rows);
    const skipped = rows.filter((row) => row.problem !== null).length;
    total.skipped += skipped;
    total.embedded += rows.length - skipped;
    if (answer.kind === 'unavailable') {
      const { kind, reason, retryAfterMs } = answer;
      return signal?.aborted ? { kind: 'stopped' } : { kind, reason, retryAfterMs };
    }
  }
}

const nameOf = (chunk: Pick<ChunkToEmbed, 'page_id' | 'chunk_id'>): string => `${chunk.page_id} ${chunk.chunk_id}`;

async function nextChunks(
  db: Db,
  sourceId: SourceId,
  after: Pick<ChunkToEmbed, 'page_id' | 'chunk_id'>,
  limit: number,
): Promise<ChunkToEmbed[]> {
  return db.sql<ChunkToEmbed[]>`
    SELECT chunk.page_id, chunk.chunk_id, chunk.hash, page.title, chunk.heading_path AS "headingPath", chunk.text
    FROM search_pages AS page JOIN search_chunks AS chunk USING (page_id)
    LEFT JOIN search_vectors AS known ON known.page_id = chunk.page_id AND known.chunk_id = chunk.chunk_id
    WHERE page.source_id = ${sourceId} AND (chunk.page_id, chunk.chunk_id) > (${after.page_id}::bigint, ${after.chunk_id})
      AND known.hash IS DISTINCT FROM chunk.hash
    ORDER BY chunk.page_id, chunk.chunk_id LIMIT ${limit}`;
}

/** Those that read the same as another that has its vector. Returns their names. */
async function copyKnown(db: Db, sourceId: SourceId, chunks: readonly ChunkToEmbed[]): Promise<ReadonlySet<string>> {
  const given = chunks.map(({ page_id, chunk_id, hash }) => ({ page_id, chunk_id, hash }));
  const rows = await againAfterDeadlock(
    () => db.sql<{ page_id: string; chunk_id: string }[]>`
    INSERT INTO search_vectors (page_id, chunk_id, source_id, hash, embedding, problem)
    SELECT chunk.page_id, chunk.chunk_id, ${sourceId}, given.hash, known.embedding, known.problem
    FROM json_to_recordset(${storableJson(given)}::json) AS given(page_id bigint, chunk_id text, hash uuid)
    JOIN search_chunks AS chunk USING (page_id, chunk_id)
    CROSS JOIN LATERAL (SELECT embedding, problem FROM search_vectors WHERE hash = given.hash LIMIT 1) AS known
    ORDER BY chunk.page_id, chunk.chunk_id
    FOR KEY SHARE OF chunk
    ON CONFLICT (page_id, chunk_id) DO UPDATE SET hash = excluded.hash, embedding = excluded.embedding, problem = excluded.problem
    RETURNING page_id, chunk_id`,
  );
  return new Set(rows.map(nameOf));
}

/** Locks what it refers to, so that a chunk that is replaced meanwhile is left out instead of failing the rest. */
async function saveVectors(db: Db, sourceId: SourceId, rows: readonly object[]): Promise<void> {
  if (rows.length === 0) return;
  const given = storableJson(rows);
  await againAfterDeadlock(
    () => db.sql`
    INSERT INTO search_vectors (page_id, chunk_id, source_id, hash, embedding, problem)
    SELECT chunk.page_id, chunk.chunk_id, ${sourceId}, given.hash, given.embedding::vector, given.problem
    FROM json_to_recordset(${given}::json) AS given(
      page_id bigint, chunk_id text, hash uuid, embedding text, problem text)
    JOIN search_chunks AS chunk USING (page_id, chunk_id)
    ORDER BY chunk.page_id, chunk.chunk_id
    FOR KEY SHARE OF chunk
    ON CONFLICT (page_id, chunk_id) DO UPDATE SET hash = excluded.hash, embedding = excluded.embedding, problem = excluded.problem`,
  );
}
