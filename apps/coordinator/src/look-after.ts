/**
 * The coordinator's round: runs whose start was half done are created, leases that ran out are healed. That is all it
 * does; without it a run still ends by its own wake-ups, unless something died. Any number of coordinators may run.
 */
import { isFinal, type RunId } from '@trawl/contracts';
import type { CrawlState, Failure } from '@trawl/crawl-state';
import { getRun, unfinishedRuns } from '@trawl/db';
import { type CreateDeps, createFromRow } from './create-from-row.ts';

export interface LookAfterDeps extends CreateDeps {
  readonly state: CrawlState;
  /** For how long there has been no worker with a browser; asked in each round. */
  readonly browserlessMs: () => Promise<number>;
  /** So long what waits for one waits. */
  readonly renderPatienceMs: number;
}

const NO_BROWSER: Failure = {
  error: {
    code: 'RENDER_UNAVAILABLE',
    message: 'The page has to be rendered, and there is no render worker with a browser.',
    retryable: true,
    attempts: 0,
  },
  at: 0,
};

export async function lookAfterRuns(deps: LookAfterDeps): Promise<void> {
  const { state, db } = deps;
  const active = new Set(await state.activeRuns());
  // Rows that Redis does not list: a start that was half done, or a Redis that came back empty.
  for (const row of await unfinishedRuns(db)) {
    if (!active.has(row.id)) await createFromRow(row, deps);
  }
  const isBrowserless = (await deps.browserlessMs()) > deps.renderPatienceMs;
  for (const runId of active) await lookAfter(runId, isBrowserless, deps);
}

async function lookAfter(runId: RunId, isBrowserless: boolean, deps: LookAfterDeps): Promise<void> {
  const { state, wakeups, logger } = deps;
  const result = await state.heal(runId);
  if (result.kind === 'healed') {
    if (result.healed > 0) logger.info({ runId, healed: result.healed }, 'healed');
    await wakeups.pay(runId, result.owed);
    if (result.renders && isBrowserless) await goOnWithoutBrowser(runId, deps);
    return;
  }
  // Listed, but not there: created but for its state, or over and forgotten, or being deleted (over, without an end).
  const row = await getRun(deps.db, runId);
  if (row && row.finishedAt === null && !isFinal(row.status)) await createFromRow(row, deps);
  else await state.retire(runId);
}

async function goOnWithoutBrowser(runId: RunId, { state, wakeups, logger }: LookAfterDeps): Promise<void> {
  for await (const { owed, unrendered, failed } of state.unrender(runId, NO_BROWSER)) {
    await wakeups.pay(runId, owed);
    if (unrendered + failed > 0) logger.warn({ runId, unrendered, failed }, 'nobody renders; going on without');
  }
}
