/** A private Postgres that has pgvector, for tests of what needs it. Missing = the test fails. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '@trawl/embedded';
import { findVectorPostgres } from './debian-postgres.ts';

export interface VectorPostgres {
  /** Of an empty database, without the extension; its user may create it. */
  readonly url: string;
  /** Ends it and removes its files. */
  stop(): Promise<void>;
}

export async function startVectorPostgres(): Promise<VectorPostgres> {
  const binaries = await findVectorPostgres();
  const dataDir = mkdtempSync(join(tmpdir(), `trawl-test-${process.pid}-`));
  // Under root, Postgres runs as another user, who has to get in.
  chmodSync(dataDir, 0o711);
  const remove = () => rmSync(dataDir, { recursive: true, force: true });
  try {
    const server = await startPostgres({ dataDir, durable: false, binaries });
    return {
      url: server.url,
      stop: async () => {
        await server.stop();
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}
