/** A pool of connections to Postgres, and nothing more: who opens it closes it. */
import { drizzle, type PostgresJsDatabase } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';

export interface Db {
  /** For statements the builder can't say, or says slowly. JSON goes in as text, times come out as text (see `openDb`). */
  readonly sql: postgres.Sql;
  readonly orm: PostgresJsDatabase;
  /** Lets running queries end (5 s at most), then disconnects. May be called twice. */
  close(): Promise<void>;
}

export interface OpenDbOptions {
  /** Most connections; 10 unless given. */
  readonly max?: number;
  /** Shown in `pg_stat_activity`. */
  readonly applicationName?: string;
}

/** Connects on first use. */
export function openDb(url: string, options: OpenDbOptions = {}): Db {
  const sql = postgres(url, {
    max: options.max ?? 10,
    // Lists are sent as JSON, so the client needs no array types; asking for them costs a query per connection.
    fetch_types: false,
    onnotice: () => {},
    connection: { application_name: options.applicationName ?? 'trawl' },
  });
  // Drizzle takes over the client's conversion of JSON and times, for raw statements too.
  return { sql, orm: drizzle(sql), close: () => sql.end({ timeout: 5 }) };
}

export async function ping(db: Db): Promise<void> {
  await db.sql`SELECT 1`;
}
