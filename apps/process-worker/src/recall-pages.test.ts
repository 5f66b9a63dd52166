import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openBlobStore } from '@trawl/blobs';
import {
  type CreateRunInput,
  completeRunConfig,
  createRunSchema,
  newRunId,
  type RunConfig,
  type RunId,
  type SourceId,
  type UrlKey,
} from '@trawl/contracts';
import { createCrawlState, limitsOf, type PageInfo, type PageRef, UNCHANGED_BODY } from '@trawl/crawl-state';
import {
  deleteRun,
  finalizeRun,
  getPage,
  insertRun,
  knownPages,
  listPages,
  migrate,
  openDb,
  type PageToSave,
  savePages,
  sealRun,
} from '@trawl/db';
import { createGate } from '@trawl/politeness';
import { openQueues } from '@trawl/queues';
import { createLogger } from '@trawl/runtime';
import { testDatabase, testPrefix, testRedis } from '@trawl/testing';
import { createRulesCache } from '@trawl/url';
import { createWakeups } from '@trawl/wakeups';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKnownLinks } from './known-links.ts';
import { type ProcessDeps, processPages } from './process-pages.ts';
import { recallPages } from './recall-pages.ts';

const redis = testRedis();
const prefix = testPrefix();
const state = createCrawlState(redis, { prefix });
let opened: { readonly deps: ProcessDeps; close(): Promise<void> } | undefined;

beforeAll(async () => {
  const database = await testDatabase();
  await migrate(database.url);
  const directory = mkdtempSync(join(tmpdir(), 'trawl-process-'));
  const db = openDb(database.url);
  const queues = openQueues(redis, { prefix });
  opened = {
    deps: {
      state,
      db,
      blobs: openBlobStore(pathToFileURL(directory).href),
      wakeups: createWakeups({ queues, state, gate: createGate(redis, { prefix }) }),
      rulesOf: createRulesCache(),
      knownLinks: createKnownLinks(),
      canRender: async () => false,
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

function deps(): ProcessDeps {
  if (!opened) throw new Error('only inside tests');
  return opened.deps;
}

const ASKED_AT = Date.parse('2026-05-06T07:08:09.000Z');
const INFO: PageInfo = {
  httpStatus: 304,
  contentType: 'text/html',
  bytes: 0,
  elapsedMs: 5,
  crawledAt: ASKED_AT,
  unchanged: 'not-modified',
};

const urlOf = (name: string) => `https://example.com/${name}`;
const keyOf = (name: string) => urlOf(name) as UrlKey;

const saved = (name: string, over: Partial<PageToSave> = {}): PageToSave => ({
  key: keyOf(name),
  url: urlOf(name),
  finalUrl: urlOf(name),
  depth: 0,
  parentUrl: null,
  httpStatus: 200,
  contentType: 'text/html',
  title: `Title of ${name}`,
  language: null,
  bytes: 100,
  elapsedMs: 1,
  contentHash: `content of ${name}`,
  etag: '"v1"',
  markdown: `# ${name}`,
  text: `Text of ${name}`,
  links: [{ url: urlOf(`below-${name}`), text: 'below', rel: '' }],
  metadata: {},
  chunks: [],
  crawledAt: new Date('2026-01-01T00:00:00.000Z'),
  ...over,
});

async function addRun(config: RunConfig, sourceId: SourceId | null) {
  const inserted = await insertRun(deps().db, { id: newRunId(), sourceId, config, overlap: true });
  if (inserted.kind !== 'inserted') throw new Error(inserted.kind);
  return { runId: inserted.run.id, sourceId: inserted.run.sourceId };
}

/** As the coordinator does at the end of a run that processed these pages. */
async function endRun(runId: RunId, pages: readonly PageToSave[]): Promise<void> {
  await sealRun(deps().db, runId);
  const none = async function* () {};
  await finalizeRun(deps().db, runId, {
    status: 'completed',
    stats: {
      ...{ total: 1, queued: 0, fetched: 0, processed: 1, failed: 0, skipped: 0, discoveredBeyondLimit: 0 },
      ...{ currentDepth: 0, pagesPerSecond: 1, refused: {}, durationMs: 1 },
    },
    warnings: [],
    processedCount: pages.length,
    processedKeys: none,
    depths: none,
    outcomes: none(),
  });
}

/** A source that knows `pages`, and a run of it that has been told by the server that `names` are as they were. */
async function unchangedRun(
  pages: readonly PageToSave[],
  names: readonly string[],
  o: { config?: Partial<CreateRunInput>; info?: Partial<PageInfo> } = {},
) {
  const request = createRunSchema.parse({ url: urlOf('start'), ...o.config });
  const config = completeRunConfig(request, { userAgent: 'test' });
  const earlier = await addRun(config, null);
  await savePages(deps().db, earlier, pages);
  await endRun(earlier.runId, pages);
  const { runId, sourceId } = await addRun(config, earlier.sourceId);
  await state.create(runId, { limits: limitsOf(config), settings: { sourceId, config, hasPast: true, access: null } });
  const rules = deps().rulesOf(runId, config);
  const links = names.map((name) => {
    const verdict = rules.check(urlOf(name), urlOf(name));
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
  const stepped = await state.step(
    session,
    claimed.claims.map(({ key, token }) => ({
      key,
      token,
      kind: 'ok',
      body: { ref: UNCHANGED_BODY },
      info: { ...INFO, ...o.info },
    })),
    0,
  );
  if (stepped.kind === 'over') throw new Error('the run is over');
  return { runId, sourceId, earlier: earlier.runId, config, session, refs: stepped.owed.process };
}

async function recall(run: { runId: RunId; refs: readonly PageRef[] }) {
  const begun = await state.beginPages(run.runId, 'exec', run.refs);
  if (begun.kind !== 'begun') throw new Error('the pages are not held');
  return recallPages(begun.pages, begun.settings, run.runId, deps());
}

async function rowsOf(runId: RunId) {
  const listed = await listPages(deps().db, runId, { limit: 100 });
  if (listed.kind !== 'listed') throw new Error(listed.kind);
  return listed.items;
}

describe('pages that are as their source knows them', () => {
  it('are seen by the run, and settled with the links they have', async () => {
    const run = await unchangedRun([saved('a')], ['a']);
    const [page, ...more] = (await recall(run)) ?? [];
    expect(more).toEqual([]);
    expect(page?.row).toBeNull();
    expect(page?.settled).toMatchObject({
      key: keyOf('a'),
      kind: 'ok',
      url: urlOf('a'),
      depth: 0,
      refused: {},
      links: [{ url: urlOf('below-a') }],
      print: 'content of a',
    });
    expect(await rowsOf(run.runId)).toMatchObject([
      { url: urlOf('a'), change: 'unchanged', outcome: 'processed', httpStatus: 304, title: 'Title of a', bytes: 100 },
    ]);
  });

  it.each<[PageInfo['unchanged'], string]>([
    ['not-modified', '2026-05-06T07:08:09.000Z'],
    ['same-body', '2026-05-06T07:08:09.000Z'],
    ['fresh', '2026-01-01T00:00:00.000Z'],
  ])('count as asked for unless they were not due: %s', async (unchanged, crawledAt) => {
    const run = await unchangedRun([saved('a')], ['a'], { info: { ...(unchanged && { unchanged }), etag: '"v2"' } });
    await recall(run);
    expect(await rowsOf(run.runId)).toMatchObject([{ crawledAt }]);
    const asked = [{ key: keyOf('a'), identity: keyOf('a') }];
    expect((await knownPages(deps().db, run.sourceId, asked)).get(keyOf('a'))).toMatchObject({
      etag: '"v2"',
      crawledAt: new Date(crawledAt),
    });
  });

  it('follow the rules of this run: links out of scope, nofollow and the canonical one', async () => {
    const links = [
      { url: urlOf('in'), text: '', rel: '' },
      { url: urlOf('in'), text: 'again', rel: '' },
      { url: urlOf('marked'), text: '', rel: 'nofollow' },
      { url: 'https://elsewhere.test/', text: '', rel: '' },
    ];
    const metadata = { canonicalUrl: urlOf('real') };
    const run = await unchangedRun([saved('a', { links, metadata })], ['a'], { config: { respectNofollow: true } });
    const [page] = (await recall(run)) ?? [];
    expect(page?.settled.kind === 'ok' && page.settled.links.map(({ url }) => url)).toEqual([
      urlOf('in'),
      urlOf('real'),
    ]);
    expect(page?.settled).toMatchObject({ refused: { nofollow: 1, 'out-of-scope': 1 } });
  });

  it('lead nowhere where the page asks for it, or the run goes no deeper', async () => {
    const metadata = { robots: { noindex: false, nofollow: true } };
    const run = await unchangedRun([saved('a', { metadata })], ['a']);
    expect((await recall(run))?.[0]?.settled).toMatchObject({ links: [], refused: { nofollow: 1 } });
    const shallow = await unchangedRun([saved('a')], ['a'], { config: { maxDepth: 0 } });
    expect((await recall(shallow))?.[0]?.settled).toMatchObject({ links: [], refused: {} });
  });

  it('that the source has forgotten meanwhile are fetched after all, the others not', async () => {
    const run = await unchangedRun([saved('a')], ['a', 'never']);
    const settled = ((await recall(run)) ?? []).map((page) => [page.held.key, page.settled.kind]);
    expect(Object.fromEntries(settled)).toEqual({ [keyOf('a')]: 'ok', [keyOf('never')]: 'gone' });
    const forgotten = await unchangedRun([saved('a')], ['a']);
    await deleteRun(deps().db, forgotten.earlier);
    await processPages(forgotten.runId, forgotten.refs, deps());
    expect(await state.progress(forgotten.runId)).toMatchObject({ queued: 1, fetched: 0, processed: 0 });
    const again = await state.step(forgotten.session, [], 5);
    expect(again.kind === 'stepped' && again.claims).toMatchObject([{ key: keyOf('a'), attempts: 0 }]);
  });

  it('are none of a run that is sealed or deleted', async () => {
    const run = await unchangedRun([saved('a')], ['a']);
    await sealRun(deps().db, run.runId);
    expect(await recall(run)).toBeNull();
    await deleteRun(deps().db, run.runId);
    expect(await recall(run)).toBeNull();
    await processPages(run.runId, run.refs, deps());
    expect(await state.progress(run.runId)).toMatchObject({ fetched: 1, processed: 0 });
  });

  it('may be none', async () => {
    const run = await unchangedRun([saved('a')], ['a']);
    const begun = await state.beginPages(run.runId, 'exec', run.refs);
    if (begun.kind !== 'begun') throw new Error('the pages are not held');
    expect(await recallPages([], begun.settings, run.runId, deps())).toEqual([]);
  });

  it('are processed by a job like any other: their links come in, and their content is what it was', async () => {
    const run = await unchangedRun([saved('a'), saved('b')], ['a', 'b']);
    await processPages(run.runId, run.refs, deps());
    expect(await state.progress(run.runId)).toMatchObject({ processed: 2, queued: 2, fetched: 0, status: 'running' });
    const next = await state.step(run.session, [], 5);
    expect(next.kind === 'stepped' && next.claims.map(({ url, depth }) => [url, depth])).toEqual([
      [urlOf('below-a'), 1],
      [urlOf('below-b'), 1],
    ]);
    const [row] = await rowsOf(run.runId);
    expect(await getPage(deps().db, row?.id ?? '')).toMatchObject({
      change: 'unchanged',
      text: expect.stringMatching(/^Text of [ab]$/),
    });
  });

  it('are processed once when two jobs come for them', async () => {
    const run = await unchangedRun([saved('a')], ['a']);
    await Promise.all([processPages(run.runId, run.refs, deps()), processPages(run.runId, run.refs, deps())]);
    expect(await rowsOf(run.runId)).toHaveLength(1);
    expect(await state.progress(run.runId)).toMatchObject({ processed: 1, queued: 1 });
  });
});
