/** Gives a run that has a row its state in Redis, and wakes its discovery. May be repeated: a run that is there is left as it is. */
import { type CrawlState, limitsOf } from '@trawl/crawl-state';
import { type Db, hasEarlierRun, markStarted, type RunRow, readSealedAccess, reopenRun } from '@trawl/db';
import type { Logger } from '@trawl/runtime';
import type { Wakeups } from '@trawl/wakeups';

export interface CreateDeps {
  readonly state: Pick<CrawlState, 'create'>;
  readonly db: Db;
  readonly wakeups: Pick<Wakeups, 'pay'>;
  readonly logger: Logger;
}

export async function createFromRow(row: RunRow, deps: CreateDeps): Promise<void> {
  const { id: runId, sourceId, config } = row;
  if (row.sealed) await reopenRun(deps.db, runId);
  const hasPast = await hasEarlierRun(deps.db, { runId, sourceId, config });
  const access = await readSealedAccess(deps.db, sourceId);
  const { owed, created } = await deps.state.create(runId, {
    limits: limitsOf(config),
    settings: { sourceId, config, hasPast, access },
  });
  if (created) deps.logger.info({ runId }, 'created from its row');
  await deps.wakeups.pay(runId, owed);
  await markStarted(deps.db, runId, 'running');
}
