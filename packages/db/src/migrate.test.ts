import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { testDatabase } from '@trawl/testing';
import { expect, it } from 'vitest';
import { migrate } from './migrate.ts';

const packageFolder = fileURLToPath(new URL('..', import.meta.url));

it('migrates an empty database once when six processes try at the same time, and again without harm', async () => {
  const database = await testDatabase();
  try {
    await Promise.all(Array.from({ length: 6 }, () => migrate(database.url)));
    await migrate(database.url);
    const applied = await database.sql`SELECT hash FROM drizzle.__drizzle_migrations`;
    expect(applied).toHaveLength(readdirSync(join(packageFolder, 'drizzle')).filter((f) => f.endsWith('.sql')).length);
    const tables = await database.sql`SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'`;
    expect(tables.map((t) => t.table_name).sort()).toEqual([
      'chunks',
      'pages',
      'run_pages',
      'runs',
      'search_chunks',
      'search_pages',
      'search_sources',
      'sitemap_entries',
      'sitemap_sites',
      'sources',
    ]);
  } finally {
    await database.drop();
  }
});

it('compresses page bodies with lz4 where the server can', async () => {
  const database = await testDatabase();
  try {
    const [server] = await database.sql`
      SELECT 'lz4' = ANY(enumvals) AS has_lz4 FROM pg_settings WHERE name = 'default_toast_compression'`;
    await migrate(database.url);
    const [column] = await database.sql`
      SELECT attcompression FROM pg_attribute WHERE attrelid = 'pages'::regclass AND attname = 'markdown'`;
    expect(column?.attcompression).toBe(server?.has_lz4 ? 'l' : '');
  } finally {
    await database.drop();
  }
});

it('has a migration for everything in the schema (if not: pnpm generate)', async () => {
  const copy = mkdtempSync(join(tmpdir(), 'trawl-drift-'));
  try {
    cpSync(join(packageFolder, 'drizzle'), copy, { recursive: true });
    const before = readdirSync(copy).sort();
    // The kit joins `out` to a leading "./" whatever it is given, so the copy is named from the package's folder.
    const kit = join(packageFolder, 'node_modules/.bin/drizzle-kit');
    const flags = ['generate', '--dialect=postgresql', '--schema=./src/schema.ts', `--out=${relativeToPackage(copy)}`];
    await promisify(execFile)(kit, flags, { cwd: packageFolder });
    expect(readdirSync(copy).sort()).toEqual(before);
  } finally {
    rmSync(copy, { recursive: true });
  }
});

const relativeToPackage = (path: string): string => '../'.repeat(packageFolder.split('/').length - 2) + path.slice(1);
