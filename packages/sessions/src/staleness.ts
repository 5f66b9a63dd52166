/** Whether a page that is known may have changed, by what its sitemap and its age say. Asks nobody. */
import type { KnownPage } from '@trawl/db';

const HOUR_MS = 3_600_000;

/** How long a page is taken to stay as it is. */
const HOURS: Readonly<Record<string, number>> = {
  always: 0,
  hourly: 1,
  daily: 24,
  weekly: 168,
  monthly: 720,
  yearly: 8760,
  never: 87_600,
};
const USUAL_HOURS = 168;

export function isStale(page: Pick<KnownPage, 'crawledAt' | 'sitemap'>, now: number): boolean {
  const { crawledAt, sitemap } = page;
  // Its site used to name it and no longer does: it may well be gone.
  if (sitemap?.isDropped) return true;
  if (sitemap?.lastmod && sitemap.lastmod > crawledAt) return true;
  const hours = HOURS[sitemap?.changefreq ?? ''] ?? USUAL_HOURS;
  return now - crawledAt.getTime() >= hours * HOUR_MS;
}
