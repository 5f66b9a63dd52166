/** For tests: the API on real Redis, Postgres and blobs, and what a worker would do to a run. Workers themselves are absent. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openBlobStore } from '@trawl/blobs';
import { type FinalStatus, parseRunId, type RunId, runAcceptedSchema, type UrlKey } from '@trawl/contracts';
import { createCrawlState } from '@trawl/crawl-state';
import { finalizeRun, getRun, migrate, openDb, type PageToSave, savePages, sealRun } from '@trawl/db';
import { createGate } from '@trawl/politeness';
import { openCrawls, openQueues } from '@trawl/queues';
import { anyBrowser, createVault, rolesSeen } from '@trawl/runtime';
import { testDatabase, testPrefix, type testRedis } from '@trawl/testing';
import { compileRules } from '@trawl/url';
import { createWakeups } from '@trawl/wakeups';
import { createApi } from './api.ts';
import type { ApiDeps, ApiSettings } from './deps.ts';

const SETTINGS: ApiSettings = {
  apiKeys: [],
  userAgent: 'Trawl/test',
  allowPrivateNetworks: false,
  maxRequestBytes: 1024 * 1024,
  queueTimeoutMs: 60_000,
};

export type TestApi = Awaited<ReturnType<typeof startTestApi>>;

/** `redis` is made by the caller in the file's body, since it closes itself after the file. */
export async function startTestApi(redis: ReturnType<typeof testRedis>) {
  const prefix = `${testPrefix()}:`;
  const database = await testDatabase();
  await migrate(database.url);
  const directory = mkdtempSync(join(tmpdir(), 'trawl-api-'));
  const db = openDb(database.url);
  const queues = openQueues(redis, { prefix });
  const state = createCrawlState(redis, { prefix });
  const gate = createGate(redis, { prefix });
  const crawls = await openCrawls(redis, { prefix, mostAtWork: 3 });
  const blobs = openBlobStore(pathToFileURL(directory).href);
  const stopping = new AbortController();
  const logged: string[] = [];
  const deps: ApiDeps = {
    state,
    db,
    gate,
    wakeups: createWakeups({ queues, state, gate }),
    blobs,
    rolesSeen: () => rolesSeen(redis, prefix),
    anyBrowser: () => anyBrowser(redis, prefix),
    crawls,
    vault: createVault([randomBytes(32)]),
    log: {
      info: (_, message) => logged.push(message),
      warn: (_, message) => logged.push(message),
      error: (_, message) => logged.push(message),
    },
    settings: SETTINGS,
    stopping: stopping.signal,
  };
  const app = createApi(deps);
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    app.request(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });

  return {
    app,
    deps,
    redis,
    prefix,
    database,
    db,
    queues,
    state,
    gate,
    blobs,
    logged,
    stopping,
    post,
    get: (path: string, headers: Record<string, string> = {}) => app.request(path, { headers }),

    async startRun(body: Record<string, unknown> = {}): Promise<RunId> {
      const answer = await post('/v1/runs', { url: 'https://example.com/', ...body });
      const id = parseRunId(runAcceptedSchema.parse(await answer.json()).id);
      if (id === null) throw new Error(`the run was not accepted: ${answer.status}`);
      return id;
    },

    /** What discovery does: the URLs of `paths` are admitted as start pages, and discovery is over. */
    async discover(runId: RunId, paths: readonly string[]): Promise<void> {
      const run = await getRun(db, runId);
      if (run === null) throw new Error('no such run');
      const rules = compileRules(run.config);
      const links = paths.map((path) => {
        const verdict = rules.checkStart(new URL(path, run.config.urls[0]).href);
        if (verdict.kind !== 'accepted') throw new Error(`${path} was refused: ${verdict.reason}`);
        return verdict.link;
      });
      await state.admit(runId, links);
      await state.discovered(runId);
    },

    /** What a process worker commits. */
    async savePages(runId: RunId, paths: readonly string[], over: Partial<PageToSave> = {}): Promise<void> {
      const run = await getRun(db, runId);
      if (run === null) throw new Error('no such run');
      const saved = await savePages(
        db,
        { runId, sourceId: run.sourceId },
        paths.map((path) => ({ ...pageAt(path), ...over })),
      );
      if (saved.kind !== 'saved') throw new Error(`not saved: ${saved.kind}`);
    },

    /** What finalization does, with the numbers of as many processed pages. */
    async finalize(runId: RunId, status: FinalStatus, processed: number): Promise<void> {
      // Finalization begins where the run has been found done.
      await redis.hset(`${prefix}crawl:{${runId}}:meta`, 'status', 'finalizing', 'final', status);
      await sealRun(db, runId);
      await finalizeRun(db, runId, {
        status,
        stats: {
          total: processed,
          queued: 0,
          fetched: 0,
          processed,
          failed: 0,
          skipped: 0,
          discoveredBeyondLimit: 0,
          currentDepth: 0,
          pagesPerSecond: 10,
          refused: {},
          durationMs: 1000,
        },
        warnings: [],
        processedCount: processed,
        processedKeys: nothing,
        depths: nothing,
        outcomes: nothing(),
      });
      await state.finish(runId);
    },

    async close(): Promise<void> {
      stopping.abort();
      await crawls.close();
      await queues.close();
      await db.close();
      await database.drop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function* nothing(): AsyncGenerator<never> {}

function pageAt(path: string): PageToSave {
  const url = new URL(path, 'https://example.com/').href;
  return {
    key: url as UrlKey,
    url,
    finalUrl: url,
    depth: 1,
    parentUrl: 'https://example.com/',
    httpStatus: 200,
    contentType: 'text/html',
    title: `Title of ${path}`,
    language: 'en',
    bytes: 100,
    elapsedMs: 5,
    contentHash: createHash('sha256').update(path).digest('hex'),
    markdown: `# ${path}`,
    text: path,
    links: [{ url: 'https://example.com/next', text: 'next', rel: '' }],
    metadata: { description: 'A page' },
    chunks: [{ id: 'a', index: 0, text: path, headingPath: ['A'], tokens: 3, start: 0, end: path.length, overlap: 0 }],
    crawledAt: new Date(),
  };
}
