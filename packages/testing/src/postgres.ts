/** An empty Postgres database for one test file. Migrating it is the caller's business. */
import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import { inject } from 'vitest';

export interface TestDatabase {
  readonly url: string;
  readonly sql: postgres.Sql;
  /** Closes `sql` and drops the database, whoever else is still connected. */
  drop(): Promise<void>;
}

export async function testDatabase(): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  const serverUrl = inject('trawlDatabaseUrl');
  await onServer(serverUrl, (admin) => admin`CREATE DATABASE ${admin(name)}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const sql = postgres(url.href, { max: 4, onnotice: () => {} });
  return {
    url: url.href,
    sql,
    drop: async () => {
      await sql.end();
      await onServer(serverUrl, (admin) => admin`DROP DATABASE IF EXISTS ${admin(name)} WITH (FORCE)`);
    },
  };
}

async function onServer(url: string, query: (admin: postgres.Sql) => Promise<unknown>): Promise<void> {
  const admin = postgres(url, { max: 1, onnotice: () => {} });
  try {
    await query(admin);
  } finally {
    await admin.end();
  }
}
