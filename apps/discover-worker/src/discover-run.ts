/** Where a run starts: its start URLs go in, then it may end. May be called twice for a run: admission knows what it has. */
import type { RunId } from '@trawl/contracts';
import { type CrawlState, type Link, MAX_LINKS_PER_CALL } from '@trawl/crawl-state';
import { type Db, markStarted } from '@trawl/db';
import type { Logger } from '@trawl/runtime';
import { compileRules } from '@trawl/url';
import type { Wakeups } from '@trawl/wakeups';

export interface DiscoverDeps {
  readonly state: CrawlState;
  readonly db: Db;
  readonly wakeups: Wakeups;
  readonly logger: Logger;
}

export async function discoverRun(runId: RunId, deps: DiscoverDeps): Promise<void> {
  const { state, wakeups } = deps;
  const settings = await state.settings(runId);
  if (!settings) return;
  await markStarted(deps.db, runId, 'running');
  const rules = compileRules(settings.config);
  const links: Link[] = [];
  for (const url of settings.config.urls) {
    const verdict = rules.checkStart(url);
    if (verdict.kind === 'accepted') links.push(verdict.link);
    else deps.logger.warn({ runId, url, reason: verdict.reason }, 'start URL refused');
  }
  for (let from = 0; from < links.length; from += MAX_LINKS_PER_CALL) {
    const result = await state.admit(runId, links.slice(from, from + MAX_LINKS_PER_CALL));
    if (result.kind === 'over') return;
    await wakeups.pay(runId, result.owed);
    await state.renewDiscovery(runId);
  }
  await wakeups.pay(runId, await state.discovered(runId));
}
