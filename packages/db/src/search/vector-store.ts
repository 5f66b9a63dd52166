/**
 * The tables of embeddings. Not part of the migrations: they need the extension pgvector, and exist only where that does and
 * embeddings are configured. One model at a time; with another model, or other dimensions, they are made anew.
 */
import type postgres from 'postgres';
import type { Db } from '../db.ts';

export interface VectorModel {
  readonly model: string;
  readonly dimensions: number;
}

export type VectorSupport =
  | { readonly kind: 'ready'; readonly version: string }
  | { readonly kind: 'missing'; readonly reason: string };

/** "vect" as a number, for an advisory lock: two that make the tables at once would trip over each other. */
const TABLES_LOCK = 0x76_65_63_74;
/** The most that an index of pgvector takes. */
const MOST_INDEXED_DIMENSIONS = 2000;
const MOST_DIMENSIONS = 16_000;

/** Whether this database can keep vectors. Makes the extension where it can be made. */
export async function vectorSupport(db: Db): Promise<VectorSupport> {
  const installed = await installedVersion(db.sql);
  if (installed !== null) return { kind: 'ready', version: installed };
  const available = await db.sql`SELECT FROM pg_available_extensions WHERE name = 'vector'`;
  if (available.count === 0) {
    return { kind: 'missing', reason: 'This Postgres has no pgvector: install it on the database server.' };
  }
  try {
    await db.sql.begin(async (tx) => {
      await tx`SELECT pg_advisory_xact_lock(${TABLES_LOCK})`;
      await tx`CREATE EXTENSION IF NOT EXISTS vector`;
    });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === '42501')) throw error;
    return {
      kind: 'missing',
      reason: 'The database user may not create the extension: run "CREATE EXTENSION vector" as a superuser.',
    };
  }
  const version = await installedVersion(db.sql);
  return version === null ? { kind: 'missing', reason: 'pgvector could not be created.' } : { kind: 'ready', version };
}

/** What the tables hold; null: there are none yet. */
export async function readVectorModel(sql: postgres.ISql): Promise<VectorModel | null> {
  const [table] = await sql<{ found: boolean }[]>`SELECT to_regclass('search_vector_model') IS NOT NULL AS found`;
  if (!table?.found) return null;
  const [row] = await sql<VectorModel[]>`SELECT model, dimensions FROM search_vector_model`;
  return row ?? null;
}

export type VectorsToSearch =
  | { readonly kind: 'there'; readonly dimensions: number }
  /** Why not, as a sentence. */
  | { readonly kind: 'none'; readonly reason: string };

/** Whether there are embeddings of this model to search in. Changes nothing. */
export async function findVectors(db: Db, model: string): Promise<VectorsToSearch> {
  const present = await readVectorModel(db.sql);
  if (present?.model === model) return { kind: 'there', dimensions: present.dimensions };
  if (present) {
    return { kind: 'none', reason: `The index has embeddings of the model ${present.model}, not of ${model}.` };
  }
  const available = await db.sql`SELECT FROM pg_available_extensions WHERE name = 'vector'`;
  return {
    kind: 'none',
    reason:
      available.count === 0
        ? 'The database has no pgvector, which embeddings are kept with.'
        : 'Nothing has been embedded yet: the coordinator does that once a source is indexed.',
  };
}

/** Makes the tables for this model. Those of another model go, with all that is in them. */
export async function prepareVectors(db: Db, { model, dimensions }: VectorModel): Promise<'kept' | 'made'> {
  if (!Number.isInteger(dimensions) || dimensions < 1 || dimensions > MOST_DIMENSIONS) {
    throw new RangeError(`pgvector keeps 1 to ${MOST_DIMENSIONS} dimensions, not ${dimensions}`);
  }
  return db.sql.begin(async (tx) => {
    await tx`SELECT pg_advisory_xact_lock(${TABLES_LOCK})`;
    const present = await readVectorModel(tx);
    if (present?.model === model && present.dimensions === dimensions) return 'kept';
    await tx`DROP TABLE IF EXISTS search_vectors, search_vector_sources, search_vector_model`;
    await tx`CREATE TABLE search_vector_model (model text NOT NULL, dimensions int NOT NULL)`;
    await tx`
      CREATE TABLE search_vector_sources (
        source_id text PRIMARY KEY REFERENCES sources ON DELETE CASCADE,
        lease uuid, leased_until timestamptz(3),
        version bigint, embedded int NOT NULL DEFAULT 0, skipped int NOT NULL DEFAULT 0)`;
    // No embedding: the model refused it, and "problem" is what it said. A type's dimensions can't be a parameter.
    await tx`
      CREATE TABLE search_vectors (
        page_id bigint, chunk_id text, source_id text NOT NULL, hash uuid NOT NULL,
        embedding vector(${tx.unsafe(String(dimensions))}), problem text,
        PRIMARY KEY (page_id, chunk_id),
        FOREIGN KEY (page_id, chunk_id) REFERENCES search_chunks ON DELETE CASCADE)`;
    await tx`CREATE INDEX search_vectors_source ON search_vectors (source_id)`;
    await tx`CREATE INDEX search_vectors_hash ON search_vectors (hash)`;
    const version = await installedVersion(tx);
    if (isAtLeast(version, 0, 5) && dimensions <= MOST_INDEXED_DIMENSIONS) {
      await tx`CREATE INDEX search_vectors_near ON search_vectors USING hnsw (embedding vector_cosine_ops)`;
    }
    await tx`INSERT INTO search_vector_model (model, dimensions) VALUES (${model}, ${dimensions})`;
    return 'made';
  });
}

export async function installedVersion(sql: postgres.ISql): Promise<string | null> {
  const [row] = await sql<{ extversion: string }[]>`SELECT extversion FROM pg_extension WHERE extname = 'vector'`;
  return row?.extversion ?? null;
}

export function isAtLeast(version: string | null, major: number, minor: number): boolean {
  const [a = 0, b = 0] = (version ?? '').split('.').map(Number);
  return a > major || (a === major && b >= minor);
}
