/**
 * Jobs that wait in a process at the same time are worked on together: their pages become one batch per run, hence one
 * statement and one script instead of one each. Batches form by themselves under load; an idle process takes a job alone.
 */
import type { RunId } from '@trawl/contracts';
import type { PageRef } from '@trawl/crawl-state';

export interface Batches {
  /** Settles with the batch that the pages became part of. */
  process(runId: RunId, pages: readonly PageRef[]): Promise<void>;
}

interface Waiting {
  readonly runId: RunId;
  readonly pages: readonly PageRef[];
  readonly settle: (outcome: Promise<void>) => void;
}

export function createBatches(
  processBatch: (runId: RunId, pages: readonly PageRef[]) => Promise<void>,
  o: { atOnce: number; mostPages: number },
): Batches {
  const waiting: Waiting[] = [];
  let underWay = 0;

  /** The job that waits longest, and as many others of its run as fit. */
  const takeBatch = (): Waiting[] => {
    const first = waiting[0];
    if (!first) return [];
    const batch: Waiting[] = [];
    let pages = 0;
    for (let i = 0; i < waiting.length; ) {
      const job = waiting[i];
      if (job && job.runId === first.runId && (batch.length === 0 || pages + job.pages.length <= o.mostPages)) {
        batch.push(job);
        pages += job.pages.length;
        waiting.splice(i, 1);
      } else i += 1;
    }
    return batch;
  };

  const startWhatMay = (): void => {
    while (underWay < o.atOnce && waiting.length > 0) {
      const batch = takeBatch();
      const [first] = batch;
      if (!first) return;
      underWay += 1;
      const done = processBatch(
        first.runId,
        batch.flatMap((job) => job.pages),
      ).finally(() => {
        underWay -= 1;
        startWhatMay();
      });
      for (const job of batch) job.settle(done);
    }
  };

  return {
    process: (runId, pages) =>
      new Promise<void>((resolve) => {
        waiting.push({ runId, pages, settle: resolve });
        startWhatMay();
      }),
  };
}
