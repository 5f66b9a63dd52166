/** Collects what discovery meets, bounded: a site may have fifty thousand sitemaps, each with something wrong. */
import type { Discovery, SitemapRead } from '@trawl/contracts';

type Site = Discovery['sites'][number];

const MOST_SITES = 200;
const MOST_SITEMAPS = 100;
const MOST_PROBLEMS = 50;

export interface DiscoveryReport {
  site(site: Site): void;
  sitemap(read: SitemapRead): void;
  /** Something a person should know; `isBlind`: pages may be missing for it. */
  problem(sentence: string, isBlind: boolean): void;
  result(): Discovery;
}

export function createReport(): DiscoveryReport {
  const sites: Site[] = [];
  const bad: SitemapRead[] = [];
  const good: SitemapRead[] = [];
  const problems: string[] = [];
  let more = 0;
  let isComplete = true;
  return {
    site(site) {
      if (sites.length < MOST_SITES) sites.push(site);
    },
    sitemap(read) {
      const list = read.problems.length > 0 ? bad : good;
      if (list.length < MOST_SITEMAPS) list.push(read);
    },
    problem(sentence, isBlind) {
      if (isBlind) isComplete = false;
      if (problems.length < MOST_PROBLEMS) problems.push(sentence);
      else more += 1;
    },
    result: () => ({
      complete: isComplete,
      sites,
      sitemaps: [...bad, ...good].slice(0, MOST_SITEMAPS),
      problems: more === 0 ? problems : [...problems, `There were ${more} more problems with sitemaps.`],
    }),
  };
}
