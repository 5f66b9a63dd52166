import postgres from 'postgres';
import { expect, it } from 'vitest';
import { startVectorPostgres } from './vector-postgres.ts';

it('is a Postgres whose vectors know how near they are', async () => {
  const server = await startVectorPostgres();
  const sql = postgres(server.url, { max: 1, onnotice: () => {} });
  try {
    await sql`CREATE EXTENSION vector`;
    const [row] = await sql`SELECT '[1,0]'::vector <=> '[0,1]'::vector AS distance`;
    expect(row?.distance).toBe(1);
  } finally {
    await sql.end();
    await server.stop();
  }
}, 180_000);
