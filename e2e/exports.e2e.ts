/** Exports by an API process of its own: how much memory they take does not depend on how much there is to export. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate, openDb } from '@trawl/db';
import { type TestDatabase, testDatabase, testRedisUrl } from '@trawl/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiProcess, download, type FilledRun, fillRun, startApiProcess } from '../bench/src/export-load.ts';

const FORMATS = ['jsonl', 'markdown', 'zip', 'csv', 'parquet', 'warc', 'llms', 'llms-full'];
const PAGES = 3000;
/** What 50,000 pages may take; `npm run bench:exports` measures those. */
const LIMIT_MB = 200;

let database: TestDatabase;
let blobDirectory: string;
let filled: FilledRun;
let api: ApiProcess;

beforeAll(async () => {
  database = await testDatabase();
  await migrate(database.url);
  blobDirectory = await mkdtemp(join(tmpdir(), 'trawl-exports-'));
  const db = openDb(database.url);
  filled = await fillRun(db, { pages: PAGES, pageBytes: 20_000, blobDirectory });
  await db.close();
  api = await startApiProcess({ redisUrl: testRedisUrl(), databaseUrl: database.url, blobDirectory });
}, 180_000);
afterAll(async () => {
  await api?.stop();
  await database?.drop();
  if (blobDirectory) await rm(blobDirectory, { recursive: true, force: true });
});

describe('an export of 3,000 pages of 20 KB', { timeout: 120_000 }, () => {
  it.each(FORMATS)('as %s stays within its memory', async (format) => {
    const { bytes } = await download(`${api.url}/v1/runs/${filled.runId}/export?format=${format}`);
    expect(bytes).toBeGreaterThan(PAGES * 50);
    const { peakMb } = api.memory();
    console.info(`${format}: ${Math.round(peakMb)} MB at most so far`);
    expect(peakMb).toBeLessThan(LIMIT_MB);
  });

  it('stays within it for ten readers that do not read', async () => {
    const replies = await Promise.all(
      Array.from(
        { length: 10 },
        () =>
          new Promise<IncomingMessage>((resolve, reject) => {
            get(`${api.url}/v1/runs/${filled.runId}/export?format=jsonl`, resolve).on('error', reject);
          }),
      ),
    );
    await Promise.all(replies.map((reply) => once(reply, 'readable')));
    // While one that is read goes from end to end, those of the others would be made too, were they not held back.
    await download(`${api.url}/v1/runs/${filled.runId}/export?format=jsonl`);
    const { nowMb } = api.memory();
    process.stdout.write(`ten exports that nobody reads, and one that is through: ${Math.round(nowMb)} MB\n`);
    for (const reply of replies) reply.destroy();
    expect(nowMb).toBeLessThan(LIMIT_MB + 50);
  });
});
