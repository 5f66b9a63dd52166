/** Brings a database to the schema of this version. Does not go back: a migration is undone by another one. */
import { fileURLToPath } from 'node:url';
import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate as applyMigrations } from 'drizzle-orm/postgres-js/migrator';
import postgres from 'postgres';

const MIGRATIONS = fileURLToPath(new URL('../drizzle', import.meta.url));

/** "trawl" as a number; any constant would do that no other program uses in the same database. */
const MIGRATION_LOCK = 0x74_72_61_77;

/** Any number of processes may call this at once: the first one works, the others wait and find nothing to do. */
export async function migrate(url: string): Promise<void> {
  // One connection: the lock belongs to the session, so it also goes when the process dies half-way.
  const sql = postgres(url, { max: 1, onnotice: () => {}, connection: { application_name: 'trawl migrate' } });
  try {
    await sql`SELECT pg_advisory_lock(${MIGRATION_LOCK})`;
    await applyMigrations(drizzle(sql), { migrationsFolder: MIGRATIONS });
  } finally {
    await sql.end();
  }
}
