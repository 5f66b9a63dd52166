/**
 * `npm run bench:exports`: how much memory the API needs to export 50,000 pages, in each format: each has an API process of its own, whose
 * peak (VmHWM) is read after the last byte. Exit code 1 when one needs more than it may.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { migrate, openDb } from '@trawl/db';
import { clearOrphans, startServers } from '@trawl/embedded';
import { EXPORT_FORMATS } from '@trawl/exports';
import { type ApiProcess, download, fillRun, startApiProcess } from './export-load.ts';

const DATA = fileURLToPath(new URL('../../.cache/bench/exports', import.meta.url));
const LIMIT_MB = 200;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      pages: { type: 'string', default: '50000' },
      'page-bytes': { type: 'string', default: '20000' },
      format: { type: 'string', multiple: true, default: [...EXPORT_FORMATS] },
    },
  });
  const [pages, pageBytes] = [Number(values.pages), Number(values['page-bytes'])];
  for (const sentence of await clearOrphans(DATA)) say(sentence);
  rmSync(DATA, { recursive: true, force: true });
  mkdirSync(DATA, { recursive: true });
  const blobDirectory = join(DATA, 'blobs');
  const servers = await startServers({
    dataDir: DATA,
    redis: { durable: false },
    postgres: { durable: false },
    onNotice: say,
  });
  const [redisUrl, databaseUrl] = [servers.redis?.url ?? '', servers.postgres?.url ?? ''];
  let api: ApiProcess | null = null;
  try {
    await migrate(databaseUrl);
    const db = openDb(databaseUrl);
    const startedAt = performance.now();
    const { runId } = await fillRun(db, { pages, pageBytes, blobDirectory });
    await db.close();
    say(
      `${pages} pages of ${pageBytes} bytes of markdown, filled in ${seconds(performance.now() - startedAt)} s; Node ${process.versions.node}`,
    );
    say('format        MB sent      s    idle MB    peak MB');
    let isWithin = true;
    for (const format of values.format) {
      api = await startApiProcess({ redisUrl, databaseUrl, blobDirectory });
      // As it is once it has worked: the first query connects and prepares.
      await (await fetch(`${api.url}/v1/runs/${runId}`)).arrayBuffer();
      const idle = api.memory().peakMb;
      const { bytes, elapsedMs } = await download(`${api.url}/v1/runs/${runId}/export?format=${format}`);
      const { peakMb } = api.memory();
      const figures = [(bytes / 1e6).toFixed(1), seconds(elapsedMs), idle.toFixed(0), peakMb.toFixed(0)];
      say(`${format.padEnd(10)} ${figures.map((figure, at) => figure.padStart([10, 6, 10, 10][at] ?? 10)).join(' ')}`);
      isWithin &&= peakMb < LIMIT_MB;
      await api.stop();
      api = null;
    }
    if (!isWithin) say(`Over the limit of ${LIMIT_MB} MB.`);
    return isWithin ? 0 : 1;
  } finally {
    await api?.stop();
    await servers.stop();
    rmSync(DATA, { recursive: true, force: true });
  }
}

const seconds = (ms: number): string => (ms / 1000).toFixed(1);

process.exitCode = await main();
