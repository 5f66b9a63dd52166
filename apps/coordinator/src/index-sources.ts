/**
 * The round that keeps search indexes up to date: asks the rows which sources are behind, and brings those up to date, a few at a time.
 * Any number of coordinators may do it; a source that one is at is left alone by the others.
 */
import type { SourceId } from '@trawl/contracts';
import { areRunsUnderWay, type Db, dueSources, indexSource } from '@trawl/db';
import type { Logger } from '@trawl/runtime';

/** Sources at a time: a large one keeps no small one waiting. */
export const INDEXED_AT_A_TIME = 2;
/** Between two looks at all runs there are; otherwise only at those that ended lately. */
const LOOK_AT_ALL_MS = 300_000;
const ENDED_WITHIN_MS = 900_000;
/** Shorter runs are indexed when they are over: indexing takes of the machine what the crawl could have. */
const LONG_RUN_MS = 60_000;
/** While a run is under way: for each batch, a rest so many times as long. With 4, a crawl that followed another lost a third of its pace. */
const REST_WHILE_CRAWLING = 15;
/** A source that can't be indexed is not tried again for so long. */
const AFTER_FAILURE_MS = 60_000;

export interface IndexSourcesDeps {
  readonly db: Db;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  /** As above unless given. */
  readonly longRunMs?: number;
}

export function createIndexRound(deps: IndexSourcesDeps): () => Promise<void> {
  const { db, signal } = deps;
  let lookedAtAllMs = Number.NEGATIVE_INFINITY;
  const failedMs = new Map<SourceId, number>();
  return async () => {
    const now = performance.now();
    const isWhole = now - lookedAtAllMs > LOOK_AT_ALL_MS;
    for (const [sourceId, at] of failedMs) if (now - at > AFTER_FAILURE_MS) failedMs.delete(sourceId);
    const due = await dueSources(db, {
      endedWithinMs: isWhole ? null : ENDED_WITHIN_MS,
      longRunMs: deps.longRunMs ?? LONG_RUN_MS,
    });
    if (isWhole) lookedAtAllMs = now;
    const waiting = due.filter((sourceId) => !failedMs.has(sourceId));
    const work = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined && !signal.aborted; next = waiting.shift()) {
        if (!(await indexOne(next, deps))) failedMs.set(next, performance.now());
      }
    };
    await Promise.all(Array.from({ length: INDEXED_AT_A_TIME }, work));
  };
}

/** False where it failed. */
async function indexOne(sourceId: SourceId, { db, logger, signal }: IndexSourcesDeps): Promise<boolean> {
  try {
    const rest = async () => ((await areRunsUnderWay(db)) ? REST_WHILE_CRAWLING : 0);
    const result = await indexSource(db, sourceId, { signal, rest });
    if (result.kind === 'done' && result.pages + result.removed > 0) {
      const { pages, removed, chunks } = result;
      logger.info({ sourceId, pages, removed, chunks }, 'indexed for search');
    }
    return true;
  } catch (error) {
    logger.error({ err: error, sourceId }, "can't be indexed for search; tried again later");
    return false;
  }
}
