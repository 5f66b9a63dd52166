/** The sitemap entries of one site: from the cache while it is trusted, else read and kept. */

import type { RunId, SourceId } from '@trawl/contracts';
import { type CrawlState, LISTED, type Link } from '@trawl/crawl-state';
import {
  cachedSitemapEntries,
  cachedSitemaps,
  type Db,
  finishSitemapReading,
  type SitemapEntryRow,
  saveSitemapEntries,
  sitemapSite,
} from '@trawl/db';
import { type SiteDeps, siteRobots } from '@trawl/turns';
import { pageIdentity, type UrlRules } from '@trawl/url';
import { type Admitted, admitLinks } from './admit-links.ts';
import { readSitemaps } from './read-sitemaps.ts';
import type { DiscoveryReport } from './report.ts';

export interface DiscoverSiteDeps extends SiteDeps {
  readonly runId: RunId;
  readonly sourceId: SourceId;
  readonly state: CrawlState;
  readonly db: Db;
  readonly rules: UrlRules;
  readonly report: DiscoveryReport;
}

export interface Site {
  readonly origin: string;
  /** Sitemaps that the run names itself. */
  readonly given: readonly string[];
}

export async function discoverSite(site: Site, deps: DiscoverSiteDeps): Promise<Admitted> {
  const { db, report, config, access, sourceId } = deps;
  // With its port: two servers on one machine are two sites.
  const { host } = new URL(site.origin);
  const name = sitemapSite(host, access === null ? null : sourceId);
  const known = site.given.length > 0 ? null : await cachedSitemaps(db, name, config.sitemapCacheHours);
  if (known) {
    let entries = 0;
    let admitted: Admitted = 'more';
    for await (const part of cachedSitemapEntries(db, name, known)) {
      entries += part.length;
      admitted = await admit(part, deps);
      if (admitted !== 'more') break;
    }
    if (admitted === 'full') sayFull(host, report);
    report.site({ host, from: 'cache', sitemaps: 0, entries });
    return admitted;
  }
  const robots = await siteRobots(site.origin, deps);
  if (robots.file === null && config.respectRobots) {
    const why = robots.noWay ? ` ${robots.noWay.message}` : '';
    report.problem(`The sitemaps of ${host} were not looked for: its robots.txt can't be read.${why}`, true);
    return 'more';
  }
  const readAt = new Date();
  const progress: { admitted: Admitted } = { admitted: 'more' };
  const read = await readSitemaps(
    { ...site, robots },
    {
      ...deps,
      take: async ({ entries }) => {
        await saveSitemapEntries(
          db,
          name,
          readAt,
          entries.map((entry) => ({ ...entry, identity: pageIdentity(entry.url) })),
        );
        progress.admitted = await admit(entries, deps);
        return progress.admitted === 'more';
      },
    },
  );
  const { from, sitemaps, entries } = read;
  report.site({ host, from, sitemaps, entries });
  if (progress.admitted === 'full') sayFull(host, report);
  // What was given is not all there may be, and what was not read to the end is not to be trusted.
  if (read.complete && from !== 'given') await finishSitemapReading(db, name, { readAt, sitemaps: read.reads });
  return progress.admitted;
}

function sayFull(host: string, report: DiscoveryReport): void {
  report.problem(
    `The sitemaps of ${host} were not read to the end: the run takes no more URLs (maxPages, maxUrls).`,
    true,
  );
}

function admit(entries: readonly SitemapEntryRow[], deps: DiscoverSiteDeps): Promise<Admitted> {
  const links: Link[] = [];
  for (const { url } of entries) {
    const verdict = deps.rules.check(url, url);
    if (verdict.kind === 'accepted') links.push({ ...verdict.link, template: LISTED, endless: false });
  }
  return admitLinks(deps.runId, links, deps);
}
