/**
 * The end of a run, repeatable at every step: the row is sealed so that no late commit counts, rows are made to agree
 * with Redis, the final numbers are written, and only then the run is over in Redis too.
 */
import type { BlobStore } from '@trawl/blobs';
import type { RunConfig, RunId } from '@trawl/contracts';
import type { CrawlState, FinishedUrl, RunProgress } from '@trawl/crawl-state';
import { type Db, finalizeRun as finalizeRow, type OutcomeRow, sealRun } from '@trawl/db';
import type { Logger } from '@trawl/runtime';
import { normalizeUrl } from '@trawl/url';
import { createWitness } from './full-run.ts';

export interface FinalizeDeps {
  readonly state: CrawlState;
  readonly db: Db;
  readonly blobs: BlobStore;
  readonly logger: Logger;
}

export async function finalizeRun(runId: RunId, deps: FinalizeDeps): Promise<void> {
  const { state, db, logger } = deps;
  const progress = await state.progress(runId);
  if (!progress?.final) return;
  const row = await sealRun(db, runId);
  if (!row) {
    // Deleted meanwhile: nothing is left to finalize.
    await state.remove(runId);
    return;
  }
  if (row.finishedAt === null) {
    const { config, discovery } = row;
    const witness = createWitness(progress, row);
    const { rowsRemoved, blobRefs } = await finalizeRow(db, runId, {
      status: progress.final,
      stats: statsOf(progress),
      warnings: [...warningsOf(progress), ...(discovery?.problems ?? [])],
      processedCount: progress.processed,
      processedKeys: () => keysOf(state.finishedUrls(runId, 'processed')),
      depths: () => depthsOf(state.finishedUrls(runId, 'processed')),
      outcomes: kept(witness.watch(outcomesOf(runId, state)), config),
      wasToFind: witness.wasToFind,
      compare: {
        nearDuplicateBits: config.nearDuplicateBits,
        keyOf: (url) => (URL.canParse(url) ? normalizeUrl(url, config.normalize) : null),
      },
    });
    await deps.blobs.delete(blobRefs);
    logger.info({ runId, status: progress.final, processed: progress.processed, rowsRemoved }, 'finalized');
  }
  await state.finish(runId);
  await state.retire(runId);
  await deps.blobs.deletePrefix(runId);
}

function statsOf(p: RunProgress) {
  const durationMs = Math.max(0, p.updatedAt.getTime() - p.startedAt.getTime());
  return {
    total: p.processed + p.failed + p.skipped,
    queued: 0,
    fetched: 0,
    processed: p.processed,
    failed: p.failed,
    skipped: p.skipped,
    discoveredBeyondLimit: p.beyond,
    currentDepth: p.currentDepth,
    pagesPerSecond: durationMs === 0 ? 0 : Math.round((p.processed / durationMs) * 10_000) / 10,
    bytes: 0,
    rendered: 0,
    refused: p.refused,
    durationMs,
  };
}

function warningsOf(p: RunProgress): string[] {
  const warnings: string[] = [];
  if (p.beyond > 0)
    warnings.push(
      `${p.beyond} URLs were found beyond the run's limits and not fetched; raise maxPages or maxUrls to get them.`,
    );
  const deferred = p.refused['template-quota'] ?? 0;
  if (deferred > 0) {
    warnings.push(
      `${deferred} URLs of a kind whose pages brought nothing new were left out; guards.templateQuota lets in more.`,
    );
  }
  if (p.unrendered > 0) {
    warnings.push(
      `${p.unrendered} pages look like empty shells that a script fills; they were kept as they are, since there is no render worker with a browser.`,
    );
  }
  if (p.restless > 0) {
    warnings.push(
      `${p.restless} pages were not at rest when their time was over, and were taken as they were then; renderWaitMs waits longer.`,
    );
  }
  if (p.processed === 0 && p.failed === 0 && p.skipped > 0)
    warnings.push('No page was kept: every URL was skipped; the skipped ones say why, robots.txt among them.');
  if (p.processed === 0 && p.failed > 0) warnings.push('No page could be fetched; the failed pages say why.');
  return warnings;
}

async function* keysOf(urls: AsyncIterable<FinishedUrl[]>) {
  for await (const batch of urls) yield batch.map((url) => url.key);
}

async function* depthsOf(urls: AsyncIterable<FinishedUrl[]>) {
  for await (const batch of urls) yield batch.map(({ key, depth }) => ({ key, depth }));
}

/** Counted in any case; a row of its own for each disallowed URL is a matter of taste on a site that disallows much. */
async function* kept(outcomes: AsyncIterable<readonly OutcomeRow[]>, config: RunConfig) {
  for await (const part of outcomes)
    yield part.filter(({ error }) => config.logSkipped || error.code !== 'ROBOTS_DISALLOWED');
}

async function* outcomesOf(runId: RunId, state: CrawlState): AsyncGenerator<OutcomeRow[]> {
  for (const outcome of ['failed', 'skipped'] as const) {
    for await (const batch of state.finishedUrls(runId, outcome)) yield batch.map((url) => outcomeRow(url, outcome));
  }
}

function outcomeRow(url: FinishedUrl, outcome: 'failed' | 'skipped'): OutcomeRow {
  const { failure } = url;
  return {
    key: url.key,
    url: url.url,
    finalUrl: url.target ?? failure?.finalUrl ?? null,
    depth: url.depth,
    parentUrl: url.parentUrl,
    outcome,
    httpStatus: failure?.httpStatus ?? null,
    contentType: failure?.contentType ?? null,
    bytes: failure?.bytes ?? null,
    elapsedMs: failure?.elapsedMs == null ? null : Math.round(failure.elapsedMs),
    // Without a failure of its own it was waiting when the run was cancelled.
    error: failure?.error ?? {
      code: 'RUN_CANCELLED',
      message: 'The run was cancelled before this URL was done.',
      retryable: true,
      attempts: 0,
    },
    crawledAt: new Date(failure?.at ?? Date.now()),
  };
}
