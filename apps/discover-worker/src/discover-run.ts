/**
 * Where a run starts: its start URLs go in at once, then what its sites' sitemaps name, while they are read; then it may end. May be called twice
 * for a run: admission knows what it has.
 */

import { carriedTo, type RunConfig, type RunId, type SiteAccess, type SourceId } from '@trawl/contracts';
import type { CrawlState } from '@trawl/crawl-state';
import { type Db, markStarted, saveDiscovery } from '@trawl/db';
import type { Fetcher } from '@trawl/fetcher';
import type { Gate, RobotsCache } from '@trawl/politeness';
import { accessOf, type Logger, openAccess, UNREADABLE_ACCESS, type Vault } from '@trawl/runtime';
import { originOf } from '@trawl/turns';
import { compileRules, type UrlRules } from '@trawl/url';
import type { Wakeups } from '@trawl/wakeups';
import { type Admitted, admitLinks } from './admit-links.ts';
import { discoverSite, type Site } from './discover-site.ts';
import { createReport, type DiscoveryReport } from './report.ts';

export interface DiscoverDeps {
  readonly state: CrawlState;
  readonly db: Db;
  readonly gate: Gate;
  readonly robots: RobotsCache;
  readonly robotsMaxAgeMs: number;
  readonly fetcher: Fetcher;
  readonly vault: Vault;
  readonly wakeups: Wakeups;
  readonly logger: Logger;
  /** The process is about to stop: another goes on, from the start. */
  readonly stopping: AbortSignal;
  /** Counts a discovery that broke; true: too often for it to be chance. */
  readonly isHopeless: (runId: RunId) => boolean;
}

/** What breaks discovery may come again each time it is healed, and the run would never end. Each process counts for itself. */
export function createPatience(most = 4): DiscoverDeps['isHopeless'] {
  const broken = new Map<RunId, number>();
  return (runId) => {
    if (broken.size > 1000) broken.clear();
    const times = (broken.get(runId) ?? 0) + 1;
    broken.set(runId, times);
    return times >= most;
  };
}

/** Leases are 8 s long. */
const RENEW_MS = 2500;
/** Sites whose sitemaps are read side by side. */
const SITES_AT_ONCE = 4;

export async function discoverRun(runId: RunId, deps: DiscoverDeps): Promise<void> {
  const { state, wakeups, logger } = deps;
  const settings = await state.settings(runId);
  if (!settings) return;
  await markStarted(deps.db, runId, 'running');
  const { config, sourceId } = settings;
  const opened = openAccess(deps.vault, settings.access, accessOf(sourceId));
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, deps.stopping]);
  const renewal = setInterval(() => {
    state.renewDiscovery(runId).then(
      ({ isOver }) => isOver && over.abort(new Error('the run is over')),
      (error) => logger.warn({ err: error, runId }, 'the lease on discovery was not renewed'),
    );
  }, RENEW_MS);
  try {
    const report = createReport();
    if (opened.kind === 'open')
      await discover(runId, config, report, { ...deps, access: opened.access, sourceId, signal });
    else {
      // Nothing is asked for without it; of the pages, whoever fetches them says so.
      report.problem(UNREADABLE_ACCESS, true);
      await admitStart(runId, config.urls, compileRules(config), deps);
    }
    const result = report.result();
    if (result.sites.length > 0 || result.problems.length > 0) await saveDiscovery(deps.db, runId, result);
    await wakeups.pay(runId, await state.discovered(runId));
  } catch (error) {
    if (over.signal.aborted) return;
    // Handed on rather than left to its lease.
    if (deps.stopping.aborted) await wakeups.discover(runId);
    else if (!deps.isHopeless(runId)) throw error;
    else {
      logger.error({ err: error, runId }, 'discovery breaks every time; the run goes on without it');
      const sentence = `Sitemaps could not be read to the end: ${error instanceof Error ? error.message : String(error)}`;
      await saveDiscovery(deps.db, runId, { complete: false, sites: [], sitemaps: [], problems: [sentence] });
      await wakeups.pay(runId, await state.discovered(runId));
    }
  } finally {
    clearInterval(renewal);
    // Sites that are still being read, should one of them have broken it off.
    over.abort(new Error('discovery has ended'));
  }
}

type Deps = DiscoverDeps & {
  readonly access: SiteAccess | null;
  readonly sourceId: SourceId;
  readonly signal: AbortSignal;
};

async function discover(runId: RunId, config: RunConfig, report: DiscoveryReport, deps: Deps): Promise<void> {
  const rules = compileRules(config);
  const start = (urls: readonly string[]): Promise<Admitted> => admitStart(runId, urls, rules, deps);
  if (config.sites.length === 0 && config.mode !== 'sitemap' && (await start(config.urls)) === 'over') return;
  if (config.mode === 'urls' || (config.mode === 'crawl' && config.sitemap === 'skip' && config.sites.length === 0))
    return;
  const wantsSitemaps = config.mode === 'sitemap' || config.sitemap === 'include';
  await eachOf(sitesOf(config), SITES_AT_ONCE, async (site) => {
    const isNamed = config.sites.length > 0;
    const origin = isNamed ? await originOf(new URL(site.origin).host, { ...deps, config }) : site.origin;
    if (isNamed && keepsAccess(origin, deps.access))
      report.problem(`${origin} speaks only http, so nothing of the access is sent there: name its start page.`, true);
    if (isNamed && config.mode === 'crawl' && (await start([`${origin}/`])) === 'over') return false;
    if (!wantsSitemaps) return true;
    const admitted = await discoverSite({ ...site, origin }, { ...deps, runId, config, rules, report });
    // Another site's entries would find no room either.
    return admitted === 'more';
  });
}

/** A site that was named without a scheme gets over https alone what is secret. */
function keepsAccess(origin: string, access: SiteAccess | null): boolean {
  const carries = (address: string): boolean => carriedTo(address, access).headers.length > 0;
  return !carries(origin) && carries(origin.replace(/^http:/, 'https:'));
}

async function admitStart(
  runId: RunId,
  urls: readonly string[],
  rules: UrlRules,
  deps: Pick<DiscoverDeps, 'state' | 'wakeups' | 'logger'>,
): Promise<Admitted> {
  const links = urls.flatMap((url) => {
    const verdict = rules.checkStart(url);
    if (verdict.kind === 'accepted') return [verdict.link];
    deps.logger.warn({ runId, url, reason: verdict.reason }, 'start URL refused');
    return [];
  });
  return admitLinks(runId, links, deps);
}

/** Each origin once. In mode `sitemap` a start URL may be a sitemap itself. */
function sitesOf(config: RunConfig): Site[] {
  const sites = new Map<string, string[]>();
  for (const url of config.urls) {
    const { origin, pathname } = new URL(url);
    const given = sites.get(origin) ?? [];
    if (config.mode === 'sitemap' && /\.(xml|txt|rss|atom|gz)$/i.test(pathname)) given.push(url);
    sites.set(origin, given);
  }
  return [...sites].map(([origin, given]) => ({ origin, given }));
}

/** So many at a time, until one says that it is enough. */
async function eachOf<T>(items: readonly T[], atOnce: number, one: (item: T) => Promise<boolean>): Promise<void> {
  const waiting = [...items];
  const worker = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      if (!(await one(item))) waiting.length = 0;
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
}
