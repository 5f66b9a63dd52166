/**
 * One process job: bodies of a few fetched pages become rows and links. Order matters: rows are committed, then links are
 * admitted and the page is settled in one step; a death in between costs a repetition, never a page.
 */
import { randomBytes } from 'node:crypto';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { type BlobStore, decompressBody } from '@trawl/blobs';
import type { RunConfig, RunId, UrlErrorCode } from '@trawl/contracts';
import {
  type CrawlState,
  type Failure,
  type HeldPage,
  inlineBodyToken,
  isBarren,
  type Link,
  MAX_LINKS_PER_CALL,
  type PageInfo,
  type PageRef,
  type Rendering,
  type RenderOutcome,
  type RunSettings,
  type SettledPage,
  UNCHANGED_BODY,
} from '@trawl/crawl-state';
import { type Db, type PageToSave, savePages, wasRendered } from '@trawl/db';
import {
  type ExtractedDocument,
  extractDocument,
  phraseSample,
  type RobotsDirectives,
  readRobotsTags,
  simhash,
  UnreadableDocument,
} from '@trawl/extract';
import { productTokenOf } from '@trawl/politeness';
import type { Logger } from '@trawl/runtime';
import type { UrlRules, UrlVerdict } from '@trawl/url';
import type { Wakeups } from '@trawl/wakeups';
import type { KnownLinks } from './known-links.ts';
import { pageLinks, wantedLinks } from './page-links.ts';
import { keepRawAnswer, keepShot, releaseRawAnswers } from './raw-answers.ts';
import { recallPages } from './recall-pages.ts';

export interface ProcessDeps {
  readonly state: CrawlState;
  readonly db: Db;
  readonly blobs: BlobStore;
  readonly wakeups: Wakeups;
  readonly rulesOf: (runId: RunId, config: RunSettings['config']) => UrlRules;
  readonly knownLinks: (runId: RunId) => KnownLinks;
  /** Whether there are workers with a browser. */
  readonly canRender: () => Promise<boolean>;
  readonly logger: Logger;
}

/** Leases are 8 s long. */
const RENEW_MS = 2500;

export async function processPages(runId: RunId, refs: readonly PageRef[], deps: ProcessDeps): Promise<void> {
  const { state } = deps;
  const exec = randomBytes(8).toString('hex');
  const begun = await state.beginPages(runId, exec, refs);
  if (begun.kind === 'none') return;
  const renewal = setInterval(() => {
    state
      .renewPages(runId, exec, begun.pages)
      .catch((error) => deps.logger.warn({ err: error }, 'page leases not renewed'));
  }, RENEW_MS);
  try {
    const known = begun.pages.filter(({ body }) => body === UNCHANGED_BODY);
    const pages = await recallPages(known, begun.settings, runId, deps);
    if (pages === null) return;
    const { settings, rendering } = begun;
    const canRender = settings.config.render === 'auto' && (await deps.canRender());
    for (const page of begun.pages.filter(({ body }) => body !== UNCHANGED_BODY)) {
      pages.push(await readPage(page, { settings, rendering, canRender }, runId, deps));
      // A page may take a while; leases and locks are renewed in between.
      await yieldToOthers();
    }
    const rows = pages.flatMap((page) => (page.row ? [page.row] : []));
    if (rows.length > 0) {
      const { sourceId } = begun.settings;
      const saved = await savePages(deps.db, { runId, sourceId }, rows);
      // Sealed or deleted: the run is over, and what was read here is not part of it.
      if (saved.kind !== 'saved') return;
      await releaseRawAnswers(saved.released ?? [], sourceId, deps);
    }
    await settlePages(runId, pages, deps);
  } finally {
    clearInterval(renewal);
  }
}

/** A page as far as it was read: its row, if it is still to be saved, and how it will be settled. */
export interface ReadPage {
  readonly held: HeldPage;
  readonly settled: SettledPage;
  readonly row: PageToSave | null;
}

/** What a browser has read in an earlier run is not to give way to the shell of it: it stays as it is. */
function notRenderedAgain(held: HeldPage): ReadPage {
  const message = 'It was rendered before, and there is no render worker with a browser now.';
  const failure = failureOf(held.info, 'RENDER_UNAVAILABLE', message, held.attempts);
  const settled = { key: held.key, token: held.token, kind: 'failed' as const };
  return {
    held,
    row: null,
    settled: { ...settled, failure: { ...failure, error: { ...failure.error, retryable: true } } },
  };
}

interface RunAtHand {
  readonly settings: RunSettings;
  readonly rendering: Rendering;
  readonly canRender: boolean;
}

async function readPage(held: HeldPage, run: RunAtHand, runId: RunId, deps: ProcessDeps): Promise<ReadPage> {
  const { settings } = run;
  const { key, token } = held;
  const compressed = inlineBodyToken(held.body) === null ? await deps.blobs.get(held.body) : held.bytes;
  if (compressed === null) return { held, settled: { key, token, kind: 'gone' }, row: null };
  const unpacked = decompressBody(compressed);
  const body = unpacked instanceof Promise ? await unpacked : unpacked;
  const page = await understand(held, run, runId, body, deps);
  const isUnrendered = page.settled.kind === 'ok' && page.settled.unrendered;
  if (isUnrendered && (await wasRendered(deps.db, settings.sourceId, key))) return notRenderedAgain(held);
  // Outside of what a page can break: a store that is away is no fault of the page, which is processed again later.
  if (page.row === null || page.row.skipped) return page;
  const { html, screenshot } = settings.config.output;
  const { sourceId } = settings;
  const rawRef = html ? await keepRawAnswer(held, body, sourceId, deps.blobs) : null;
  const shotRef = screenshot ? await keepShot(held, sourceId, deps.blobs) : null;
  return { ...page, row: { ...page.row, rawRef, shotRef } };
}

async function understand(
  held: HeldPage,
  run: RunAtHand,
  runId: RunId,
  body: Buffer,
  deps: ProcessDeps,
): Promise<ReadPage> {
  const { key, token, url, info } = held;
  const { config } = run.settings;
  try {
    const productToken = productTokenOf(config.userAgent);
    const { mainContent, includeSelectors, excludeSelectors, chunks } = config.output;
    const extracted = extractDocument(body, info.contentType, {
      // Where its script has led within the document is what its links are relative to.
      url: info.finalUrl ?? url,
      mainContent,
      includeSelectors,
      excludeSelectors,
      productToken,
      chunks,
    });
    // Only what is read elsewhere, PDFs, is waited for.
    const page = extracted instanceof Promise ? await extracted : extracted;
    return describe(held, page, runId, run, deps);
  } catch (error) {
    const isItsOwnFault = error instanceof UnreadableDocument;
    if (!isItsOwnFault) deps.logger.warn({ err: error, url }, 'page could not be read');
    const reason = error instanceof Error ? error.message : String(error);
    const failure = isItsOwnFault
      ? failureOf(info, error.code, reason, held.attempts)
      : failureOf(info, 'PROCESS_FAILED', `The page could not be read: ${reason}`, held.attempts);
    return { held, settled: { key, token, kind: 'failed', failure }, row: null };
  }
}

function describe(held: HeldPage, page: ExtractedDocument, runId: RunId, run: RunAtHand, deps: ProcessDeps): ReadPage {
  const { key, token, url, depth, info } = held;
  const { config } = run.settings;
  const robots = obeyed(page.robots, readRobotsTags(info.robotsTags ?? [], productTokenOf(config.userAgent)), config);
  const rules = deps.rulesOf(runId, config);
  const own = rules.check(url, url);
  const template = templateOf(own.kind === 'accepted' ? own : rules.checkStart(url));
  const render = judgeRendering(page.isShell && !robots.noindex, info, template, run);
  if (render.again) return { held, row: null, settled: { key, token, kind: 'render', template } };
  const { links, refused } = pageLinks({ ...page, url, nofollow: robots.nofollow }, config, rules);
  const wanted = wantedLinks(links, depth, config, deps.knownLinks(runId));
  const row: PageToSave = {
    key,
    url,
    finalUrl: info.finalUrl ?? url,
    depth,
    parentUrl: held.parentUrl,
    httpStatus: info.httpStatus,
    contentType: info.contentType,
    title: page.title,
    language: page.language,
    bytes: info.bytes,
    elapsedMs: Math.round(info.elapsedMs),
    rendered: info.rendered !== undefined,
    contentHash: page.contentHash,
    // A shell that no browser has filled says nothing by being the same: the next run is to look at it as at a new page.
    ...(page.isShell && !info.seenByRenderer
      ? { bodyHash: null, etag: null, lastModified: null }
      : { bodyHash: info.bodyHash ?? null, etag: info.etag ?? null, lastModified: info.lastModified ?? null }),
    simhash: simhash(page.text),
    markdown: config.output.markdown ? page.markdown : null,
    text: page.text,
    links: page.links,
    metadata: { ...page.metadata, robots },
    chunks: page.chunks,
    crawledAt: new Date(info.crawledAt),
  };
  const sample = own.kind === 'accepted' && own.link.endless ? { sample: phraseSample(page.text) } : {};
  const settled = {
    key,
    token,
    kind: 'ok' as const,
    url,
    depth,
    links: wanted,
    refused,
    print: page.print,
    ...sample,
    ...render.learned,
    ...(info.rendered?.isRestless && { restless: true as const }),
  };
  if (!robots.noindex) return { held, row, settled };
  const failure = failureOf(info, 'ROBOTS_NOINDEX', 'The page asks robots not to keep it (noindex).', held.attempts);
  const unkept = { ...row, title: null, markdown: null, text: '', chunks: [], skipped: failure.error };
  return { held, row: unkept, settled: { ...settled, skipped: failure } };
}

/** Start pages have one as well, though no link may lead there. */
const templateOf = (own: UrlVerdict): string => (own.kind === 'accepted' ? own.link.template : 'none');

/** Whether the page goes to a browser, or what is learned of pages like it. */
function judgeRendering(
  isShell: boolean,
  info: PageInfo,
  template: string,
  { settings, rendering, canRender }: RunAtHand,
): { readonly again: boolean; readonly learned?: Pick<SettledPage & { kind: 'ok' }, 'render' | 'unrendered'> } {
  if (settings.config.render !== 'auto') return { again: false };
  const learn = (as: RenderOutcome) => ({ again: false, learned: { render: { template, as } } });
  if (info.rendered) return learn(info.rendered.gained ? 'gain' : 'idle');
  if (!isShell) return info.seenByRenderer ? learn('static') : { again: false };
  if (info.seenByRenderer || isBarren(rendering, template)) return { again: false };
  return canRender ? { again: true } : { again: false, learned: { unrendered: true } };
}

/** What the page and its headers ask of robots, as far as the run obeys them. */
function obeyed(meta: RobotsDirectives, header: RobotsDirectives, config: RunConfig): RobotsDirectives {
  const { respectMetaRobots, respectXRobotsTag } = config;
  return {
    noindex: (respectMetaRobots && meta.noindex) || (respectXRobotsTag && header.noindex),
    nofollow: (respectMetaRobots && meta.nofollow) || (respectXRobotsTag && header.nofollow),
  };
}

function failureOf(info: PageInfo, code: UrlErrorCode, message: string, attempts: number): Failure {
  const { httpStatus, contentType, bytes, elapsedMs, crawledAt } = info;
  return {
    error: { code, message, retryable: false, attempts },
    httpStatus,
    contentType,
    bytes,
    elapsedMs,
    at: crawledAt,
  };
}

async function settlePages(runId: RunId, pages: readonly ReadPage[], deps: ProcessDeps): Promise<void> {
  const { state, wakeups } = deps;
  const known = deps.knownLinks(runId);
  for (const batch of batches(pages)) {
    const settled: SettledPage[] = [];
    for (const page of batch) settled.push(await admitAllButLast(runId, page.settled, deps));
    const result = await state.settle(runId, settled);
    if (result.kind === 'over') return;
    await wakeups.pay(runId, result.owed);
    for (const page of settled) {
      if (page.kind === 'ok' && result.done.has(page.key))
        for (const link of page.links) known.add(link.key, page.depth + 1);
    }
    const done = batch.filter((page) => result.done.has(page.held.key)).map((page) => page.held.body);
    const blobs = done.filter((body) => inlineBodyToken(body) === null && body !== UNCHANGED_BODY);
    if (blobs.length > 0) await deps.blobs.delete(blobs);
  }
}

/** Pages that together have few enough links for one call. */
function* batches(pages: readonly ReadPage[]): Generator<ReadPage[]> {
  let batch: ReadPage[] = [];
  let links = 0;
  for (const page of pages) {
    const more = page.settled.kind === 'ok' ? Math.min(page.settled.links.length, MAX_LINKS_PER_CALL) : 0;
    if (batch.length > 0 && links + more > MAX_LINKS_PER_CALL) {
      yield batch;
      batch = [];
      links = 0;
    }
    batch.push(page);
    links += more;
  }
  if (batch.length > 0) yield batch;
}

/** A page with very many links admits them in parts; the last part goes with its settlement. */
async function admitAllButLast(runId: RunId, page: SettledPage, deps: ProcessDeps): Promise<SettledPage> {
  if (page.kind !== 'ok' || page.links.length <= MAX_LINKS_PER_CALL) return page;
  const rest: Link[] = [...page.links];
  while (rest.length > MAX_LINKS_PER_CALL) {
    const part = rest.splice(0, MAX_LINKS_PER_CALL);
    const result = await deps.state.admit(runId, part, { key: page.key, url: page.url });
    if (result.kind === 'over') break;
    await deps.wakeups.pay(runId, result.owed);
    const known = deps.knownLinks(runId);
    for (const link of part) known.add(link.key, page.depth + 1);
  }
  return { ...page, links: rest };
}
