/**
 * What measuring exports takes: a run with many pages, put into the database in bulk, and an API process of its own whose memory is read
 * while a client downloads. Used by `export-memory.ts` and, with fewer pages, by the tests.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { openBlobStore, packRawAnswer } from '@trawl/blobs';
import { newRunId, newSourceId, ROLE_NODE_ARGS, type RunId, runConfigSchema, type SourceId } from '@trawl/contracts';
import type { Db } from '@trawl/db';
import { freePort } from './web-server.ts';

export interface FilledRun {
  readonly runId: RunId;
  readonly sourceId: SourceId;
}

export interface FillOptions {
  readonly pages: number;
  /** Of markdown; text and chunks are as much again each. */
  readonly pageBytes: number;
  readonly blobDirectory: string;
}

const ROWS_AT_ONCE = 2500;
const CHUNK_BYTES = 2000;
const LINKS = 40;
/** Answers that pages share: what is measured is the reading of them. */
const ANSWERS = 8;
/** Texts that pages have, behind a heading of their own. */
const PROSES = 50;

export async function fillRun({ sql }: Db, options: FillOptions): Promise<FilledRun> {
  const [runId, sourceId] = [newRunId(), newSourceId()];
  const config = runConfigSchema.parse({
    urls: ['https://example.com/'],
    maxUrls: 1_000_000,
    userAgent: 'Trawl/bench',
    output: { html: true },
  });
  const prose = proseOf(options.pageBytes * 4);
  const proses = Array.from({ length: PROSES }, (_, n) => prose.slice(n * 997, n * 997 + options.pageBytes));
  const blobs = openBlobStore(pathToFileURL(options.blobDirectory).href);
  const refs: string[] = [];
  for (let n = 0; n < ANSWERS; n++) {
    const body = Buffer.from(
      `<!doctype html><title>${n}</title><main>${prose.slice(n, n + 2 * options.pageBytes)}</main>`,
    );
    const headers = [['Content-Type', 'text/html; charset=utf-8']] as const;
    refs.push(await blobs.put(`${runId}/${n}`, await packRawAnswer({ status: 200, statusText: 'OK', headers, body })));
  }
  await sql`INSERT INTO sources (id, name) VALUES (${sourceId}, 'example.com')`;
  await sql`
    INSERT INTO runs (id, source_id, status, sealed, config, finished_at)
    VALUES (${runId}, ${sourceId}, 'completed', true, ${JSON.stringify(config)}::jsonb, now())`;
  for (let from = 1; from <= options.pages; from += ROWS_AT_ONCE) {
    const to = Math.min(options.pages, from + ROWS_AT_ONCE - 1);
    await sql`
      WITH prose AS MATERIALIZED (
        SELECT nr, text FROM json_array_elements_text(${JSON.stringify(proses)}::json) WITH ORDINALITY AS prose(text, nr)
      ),
      refs AS MATERIALIZED (
        SELECT nr, ref FROM json_array_elements_text(${JSON.stringify(refs)}::json) WITH ORDINALITY AS refs(ref, nr)
      ),
      texts AS MATERIALIZED (
        SELECT n, md5(${runId} || n)::uuid AS hash, 'https://example.com/section-' || n % 50 || '/page-' || n AS url,
          '# Page ' || n || E'\n\n' || prose.text AS markdown, refs.ref AS raw_ref
        FROM generate_series(${from}::int, ${to}::int) AS n
        JOIN prose ON prose.nr = 1 + n % ${PROSES} JOIN refs ON refs.nr = 1 + n % ${ANSWERS}
      ),
      saved AS (
        INSERT INTO pages (source_id, key, key_hash, url, final_url, title, language, content_type, http_status, bytes, content_hash,
          rendition, markdown, text, links, metadata, chunks, raw_ref, first_seen_at, crawled_at, last_run_id)
        SELECT ${sourceId}, url, hash, url, url, 'Page ' || n, 'en', 'text/html', 200, length(markdown), hash::text,
          hash, markdown, markdown,
          (SELECT json_agg(json_build_object('url', 'https://example.com/section-1/page-' || n + k, 'text', 'Page ' || n + k, 'rel', ''))
           FROM generate_series(1, ${LINKS}) AS k),
          json_build_object('description', 'What page ' || n || ' is about, in a sentence or two.', 'wordCount', 3000),
          (SELECT json_agg(json_build_object('id', 'c' || k, 'index', k, 'text', substr(markdown, 1 + k * ${CHUNK_BYTES}, ${CHUNK_BYTES}),
             'headingPath', json_build_array('Page ' || n), 'tokens', 450, 'start', k * ${CHUNK_BYTES},
             'end', least(length(markdown), (k + 1) * ${CHUNK_BYTES}), 'overlap', 0))
           FROM generate_series(0, (length(markdown) - 1) / ${CHUNK_BYTES}) AS k),
          raw_ref, now(), now(), ${runId}
        FROM texts ORDER BY n
        RETURNING id, key, key_hash, url, title, bytes, content_hash
      )
      INSERT INTO run_pages (run_id, page_id, key, key_hash, url, final_url, depth, outcome, http_status, content_type, title, language,
        bytes, elapsed_ms, change, content_hash, crawled_at)
      SELECT ${runId}, id, key, key_hash, url, url, 1, 'processed', 200, 'text/html', title, 'en', bytes, 5, 'new', content_hash, now()
      FROM saved ORDER BY id`;
  }
  await sql`ANALYZE pages, run_pages`;
  return { runId, sourceId };
}

/** Words in no order, so that they compress about as well as text does. */
function proseOf(length: number): string {
  const words =
    'the of harbour and tide a berth in ship "to" is café for that north, pilot on with are mooring as at buoy lamp. Then'.split(
      ' ',
    );
  let text = '';
  for (let state = 1; text.length < length; ) {
    state = (state * 48_271) % 2_147_483_647;
    text += `${words[state % words.length]}${state % 97 === 0 ? `${state}\n\n` : ' '}`;
  }
  return text;
}

export interface ApiProcess {
  readonly url: string;
  /** The most memory it has had so far, and what it has now, in MB. */
  memory(): { readonly peakMb: number; readonly nowMb: number };
  stop(): Promise<void>;
}

export interface ApiProcessOptions {
  readonly redisUrl: string;
  readonly databaseUrl: string;
  readonly blobDirectory: string;
}

const START_MS = 30_000;

export async function startApiProcess(options: ApiProcessOptions): Promise<ApiProcess> {
  const port = await freePort();
  const main = fileURLToPath(new URL('../../apps/api/src/main.ts', import.meta.url));
  const child = spawn(process.execPath, [...ROLE_NODE_ARGS.api, main], {
    env: {
      PATH: process.env.PATH,
      // As whoever starts the roles has it.
      ...(process.env.NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }),
      REDIS_URL: options.redisUrl,
      DATABASE_URL: options.databaseUrl,
      BLOB_URL: pathToFileURL(join(options.blobDirectory)).href,
      HOST: '127.0.0.1',
      PORT: String(port),
      LOG_LEVEL: 'warn',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const url = `http://127.0.0.1:${port}`;
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  try {
    await untilHealthy(url, child);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, memory: () => memoryOf(child.pid ?? 0), stop };
}

async function untilHealthy(url: string, child: ChildProcess): Promise<void> {
  const untilMs = Date.now() + START_MS;
  while (
    !(await fetch(`${url}/healthz`).then(
      (reply) => reply.ok,
      () => false,
    ))
  ) {
    if (child.exitCode !== null || Date.now() > untilMs) throw new Error('The API did not start.');
    await delay(50);
  }
}

function memoryOf(pid: number): { peakMb: number; nowMb: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const field = (name: string): number => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) / 1024;
  return { peakMb: field('VmHWM'), nowMb: field('VmRSS') };
}

export interface Download {
  readonly bytes: number;
  readonly elapsedMs: number;
}

/** Reads an answer to its end and keeps none of it. `bytesPerSecond`: no faster than this, as far as the sockets' buffers let it. */
export async function download(url: string, bytesPerSecond = Number.POSITIVE_INFINITY): Promise<Download> {
  const startedAt = performance.now();
  const reply = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, resolve).on('error', reject);
  });
  if (reply.statusCode !== 200) throw new Error(`${url} answers ${reply.statusCode}`);
  let bytes = 0;
  for await (const piece of reply) {
    bytes += (piece as Buffer).length;
    const aheadMs = (bytes / bytesPerSecond) * 1000 - (performance.now() - startedAt);
    if (aheadMs > 5) await delay(aheadMs);
  }
  if (!reply.complete) throw new Error(`${url} broke off after ${bytes} bytes`);
  return { bytes, elapsedMs: performance.now() - startedAt };
}
