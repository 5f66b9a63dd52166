import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compressBody, openBlobStore, unpackRawAnswer } from '@trawl/blobs';
import {
  type CreateRunInput,
  completeRunConfig,
  createRunSchema,
  newRunId,
  type RunId,
  type SourceId,
} from '@trawl/contracts';
import { createCrawlState, limitsOf, type PageInfo } from '@trawl/crawl-state';
import { getPage, insertRun, listPages, migrate, openDb, type StoredPage } from '@trawl/db';
import { createGate } from '@trawl/politeness';
import { openQueues } from '@trawl/queues';
import { createLogger } from '@trawl/runtime';
import { testDatabase, testPrefix, testRedis } from '@trawl/testing';
import { createRulesCache } from '@trawl/url';
import { createWakeups } from '@trawl/wakeups';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKnownLinks } from './known-links.ts';
import { type ProcessDeps, processPages } from './process-pages.ts';

const redis = testRedis();
const prefix = testPrefix();
const state = createCrawlState(redis, { prefix });
/** What the workers say; a test that wants one says so. */
const workers = { haveBrowser: false };
let opened: { readonly deps: ProcessDeps; readonly directory: string; close(): Promise<void> } | undefined;

beforeAll(async () => {
  const database = await testDatabase();
  await migrate(database.url);
  const directory = mkdtempSync(join(tmpdir(), 'trawl-process-'));
  const db = openDb(database.url);
  const queues = openQueues(redis, { prefix });
  opened = {
    directory,
    deps: {
      state,
      db,
      blobs: openBlobStore(pathToFileURL(directory).href),
      wakeups: createWakeups({ queues, state, gate: createGate(redis, { prefix }) }),
      rulesOf: createRulesCache(),
      knownLinks: createKnownLinks(),
      canRender: async () => workers.haveBrowser,
      logger: createLogger({ level: 'silent', role: 'process' }),
    },
    async close() {
      await queues.close();
      await db.close();
      await database.drop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
});
afterAll(() => opened?.close());

function open() {
  if (!opened) throw new Error('only inside tests');
  return opened;
}

interface Fetched {
  readonly body: string | Buffer;
  readonly info?: Partial<PageInfo>;
}
const urlOf = (name: string) => `https://example.com/${name}`;

/** A run that has fetched these pages, by name, and processed them. */
async function processed(
  pages: Readonly<Record<string, Fetched>>,
  o: { config?: Partial<CreateRunInput>; sourceId?: SourceId } = {},
): Promise<{ runId: RunId; sourceId: SourceId }> {
  const { deps } = open();
  const config = completeRunConfig(createRunSchema.parse({ url: urlOf(''), ...o.config }), { userAgent: 'test' });
  const inserted = await insertRun(deps.db, { id: newRunId(), sourceId: o.sourceId ?? null, config, overlap: true });
  if (inserted.kind !== 'inserted') throw new Error(inserted.kind);
  const { id: runId, sourceId } = inserted.run;
  await state.create(runId, { limits: limitsOf(config), settings: { sourceId, config, hasPast: false, access: null } });
  const rules = deps.rulesOf(runId, config);
  const links = Object.keys(pages).map((name) => {
    const verdict = rules.checkStart(urlOf(name));
    if (verdict.kind === 'refused') throw new Error(`${name}: ${verdict.reason}`);
    return verdict.link;
  });
  const admitted = await state.admit(runId, links);
  const offered = admitted.kind === 'admitted' ? admitted.owed.fetch[0] : undefined;
  if (!offered) throw new Error('no session is owed');
  await state.discovered(runId);
  const session = { runId, ...offered, exec: 'fetch' };
  await state.begin(session);
  const claimed = await state.step(session, [], 50);
  if (claimed.kind === 'over') throw new Error('the run is over');
  const results = await Promise.all(
    claimed.claims.map(async ({ key, token, url }) => {
      const page = pages[url.slice(urlOf('').length)];
      const body = Buffer.from(page?.body ?? '');
      const info: PageInfo = {
        ...{
          httpStatus: 200,
          contentType: 'text/html',
          bytes: body.length,
          elapsedMs: 1,
          crawledAt: 1_700_000_000_000,
        },
        ...page?.info,
      };
      return { key, token, kind: 'ok' as const, body: { bytes: await compressBody(body) }, info };
    }),
  );
  const stepped = await state.step(session, results, 0);
  if (stepped.kind === 'over') throw new Error('the run is over');
  await processPages(runId, stepped.owed.process, deps);
  return { runId, sourceId };
}

async function pageOf(runId: RunId, name: string): Promise<StoredPage> {
  const { db } = open().deps;
  const listed = await listPages(db, runId, { limit: 100 });
  const item = listed.kind === 'listed' ? listed.items.find((page) => page.url === urlOf(name)) : undefined;
  const page = item && (await getPage(db, item.id));
  if (!page) throw new Error(`${name} has no row`);
  return page;
}

/** What the store holds of a source. */
function blobsOf(sourceId: SourceId): number {
  const { directory } = open();
  if (!readdirSync(directory).includes(sourceId)) return 0;
  return readdirSync(join(directory, sourceId), { recursive: true, withFileTypes: true }).filter((e) => e.isFile())
    .length;
}

const withHtml = { output: { html: true } };
const HEAD = {
  statusText: 'Fine',
  headers: [
    ['Content-Type', 'text/html'],
    ['X-A', 'b'],
  ],
} as const;

describe('the answers of pages', () => {
  it('are kept as they came where the run asks for it, and named by the row', async () => {
    const html = '<p>gr\xf6\xdfer</p>';
    const { runId, sourceId } = await processed(
      { a: { body: Buffer.from(html, 'latin1'), info: { head: HEAD, httpStatus: 203 } }, b: { body: '<p>b</p>' } },
      { config: withHtml },
    );
    const { rawRef } = await pageOf(runId, 'a');
    const bytes = await open().deps.blobs.get(rawRef ?? '');
    expect(await unpackRawAnswer(bytes ?? Buffer.alloc(0))).toEqual({
      status: 203,
      ...HEAD,
      body: Buffer.from(html, 'latin1'),
    });
    const bare = await open().deps.blobs.get((await pageOf(runId, 'b')).rawRef ?? '');
    expect(await unpackRawAnswer(bare ?? Buffer.alloc(0))).toMatchObject({
      status: 200,
      statusText: '',
      headers: [['content-type', 'text/html']],
    });
    expect(blobsOf(sourceId)).toBe(2);
  });

  it('are not kept otherwise, nor of a page that asks not to be', async () => {
    const plain = await processed({ a: { body: '<p>a</p>', info: { head: HEAD } } });
    expect((await pageOf(plain.runId, 'a')).rawRef).toBeNull();
    expect(blobsOf(plain.sourceId)).toBe(0);
    const shy = await processed(
      { a: { body: '<meta name="robots" content="noindex"><p>a</p>' } },
      { config: withHtml },
    );
    expect(blobsOf(shy.sourceId)).toBe(0);
  });

  it('are replaced by those of the next run, and go with the first run that keeps none', async () => {
    const { sourceId, runId } = await processed({ a: { body: 'one' }, b: { body: 'one' } }, { config: withHtml });
    const before = (await pageOf(runId, 'a')).rawRef;
    const again = await processed({ a: { body: 'two' } }, { config: withHtml, sourceId });
    const { rawRef } = await pageOf(again.runId, 'a');
    expect(rawRef).toBe(before);
    expect(await unpackRawAnswer((await open().deps.blobs.get(rawRef ?? '')) ?? Buffer.alloc(0))).toMatchObject({
      body: Buffer.from('two'),
    });
    expect(blobsOf(sourceId)).toBe(2);
    const without = await processed({ a: { body: 'three' } }, { sourceId });
    expect((await pageOf(without.runId, 'a')).rawRef).toBeNull();
    expect(blobsOf(sourceId)).toBe(1);
    const shy = await processed(
      { b: { body: 'x', info: { robotsTags: ['noindex'] } } },
      { config: withHtml, sourceId },
    );
    expect((await pageOf(shy.runId, 'b')).rawRef).toBeNull();
    expect(blobsOf(sourceId)).toBe(0);
  });
});

describe('other documents than HTML', () => {
  const fixture = (name: string) =>
    readFile(new URL(`../../../packages/extract/src/document/fixtures/${name}`, import.meta.url));

  it('are processed as what they are', async () => {
    const { runId } = await processed({
      'a.txt': { body: 'plain\r\ntext', info: { contentType: 'text/plain' } },
      'a.md': { body: '# Title\n\n[b](b.md)', info: { contentType: 'text/markdown; charset=utf-8' } },
      'a.json': { body: '{"a":1}', info: { contentType: 'application/json' } },
      'a.pdf': { body: await fixture('mill.pdf'), info: { contentType: 'application/pdf' } },
      unnamed: { body: await fixture('mill.pdf'), info: { contentType: null } },
    });
    expect(await pageOf(runId, 'a.txt')).toMatchObject({
      title: 'a.txt',
      markdown: 'plain\ntext',
      text: 'plain\ntext',
    });
    expect(await pageOf(runId, 'a.md')).toMatchObject({
      title: 'Title',
      markdown: '# Title\n\n[b](b.md)',
      links: [{ url: urlOf('b.md'), text: 'b' }],
      chunks: [{ headingPath: ['Title'] }],
    });
    expect(await pageOf(runId, 'a.json')).toMatchObject({
      title: 'a.json',
      markdown: '{"a":1}',
      contentType: 'application/json',
    });
    for (const name of ['a.pdf', 'unnamed']) {
      const page = await pageOf(runId, name);
      expect(page).toMatchObject({ title: 'The Old Mill', language: 'en-GB', metadata: { author: 'A. Writer' } });
      expect(page.text).toMatch(/^The Old Mill\n\nEvery morning/);
    }
    // Only the link of the markdown page is new to the run.
    expect(await state.progress(runId)).toMatchObject({ processed: 5, queued: 1, failed: 0 });
  });

  it('that can not be read fail with a code and a sentence of their own', async () => {
    const { runId } = await processed({
      'secret.pdf': { body: await fixture('encrypted.pdf'), info: { contentType: 'application/pdf' } },
      'fine.txt': { body: 'text', info: { contentType: 'text/plain' } },
    });
    expect(await state.progress(runId)).toMatchObject({ processed: 1, failed: 1 });
    expect(await state.errors(runId, { outcomes: ['failed'], limit: 10 })).toMatchObject({
      groups: [
        { code: 'PDF_UNREADABLE', message: 'The PDF is encrypted, and no password is known.', retryable: false },
      ],
    });
  });
});

describe('an empty shell', () => {
  const shell = '<title>App</title><div id="root"></div><script src="/app.js"></script>';

  it('is sent to a browser where there is one, and not kept', async () => {
    workers.haveBrowser = true;
    const { runId } = await processed({ app: { body: shell } }).finally(() => {
      workers.haveBrowser = false;
    });
    expect(await state.progress(runId)).toMatchObject({ status: 'running', queued: 1, processed: 0, unrendered: 0 });
    const lanes = (await state.why(runId))?.hosts.filter(({ renders }) => renders);
    expect(lanes).toMatchObject([{ host: 'example.com', waiting: 1 }]);
  });

  it('is kept as it is where there is none, and counted', async () => {
    const { runId } = await processed({ app: { body: shell } });
    expect(await state.progress(runId)).toMatchObject({ processed: 1, unrendered: 1 });
    expect((await pageOf(runId, 'app')).rendered).toBe(false);
  });

  it('is kept where the run wants no browser', async () => {
    workers.haveBrowser = true;
    const { runId } = await processed({ app: { body: shell } }, { config: { render: 'never' } }).finally(() => {
      workers.haveBrowser = false;
    });
    expect(await state.progress(runId)).toMatchObject({ processed: 1, unrendered: 0 });
  });

  it('is kept once a browser has seen it, and what it made of it is marked', async () => {
    workers.haveBrowser = true;
    const { runId } = await processed({
      same: { body: shell, info: { seenByRenderer: true } },
      filled: {
        body: `<title>App</title><p>${'word '.repeat(80)}<a href=next>next</a></p>`,
        info: {
          seenByRenderer: true,
          rendered: { gained: true, isRestless: true },
          finalUrl: 'https://example.com/filled/home',
        },
      },
    }).finally(() => {
      workers.haveBrowser = false;
    });
    expect(await state.progress(runId)).toMatchObject({ processed: 2, restless: 1 });
    expect((await pageOf(runId, 'same')).rendered).toBe(false);
    expect(await pageOf(runId, 'filled')).toMatchObject({
      rendered: true,
      finalUrl: 'https://example.com/filled/home',
      // As a browser has it: from where the script has led.
      links: [expect.objectContaining({ url: 'https://example.com/filled/next' })],
    });
  });
});
