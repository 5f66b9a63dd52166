import { describe, expect, it } from 'vitest';
import { isStale } from './staleness.ts';

const NOW = Date.parse('2026-11-18T12:00:00Z');
const hoursAgo = (hours: number): Date => new Date(NOW - hours * 3_600_000);
const entry = (o: { lastmod?: Date; changefreq?: string; isDropped?: boolean }) => ({
  lastmod: null,
  changefreq: null,
  isDropped: false,
  ...o,
});

describe('a known page', () => {
  it.each([
    ['always', 0],
    ['hourly', 1],
    ['daily', 24],
    ['weekly', 168],
    ['monthly', 720],
    ['yearly', 8760],
    ['never', 87_600],
    ['now and then', 168],
  ])('that changes %s is stale after %i hours, not before', (changefreq, hours) => {
    const sitemap = entry({ changefreq });
    expect(isStale({ crawledAt: hoursAgo(hours), sitemap }, NOW)).toBe(true);
    if (hours > 0) expect(isStale({ crawledAt: hoursAgo(hours - 0.01), sitemap }, NOW)).toBe(false);
  });

  it('that no sitemap names is stale after a week', () => {
    expect(isStale({ crawledAt: hoursAgo(168), sitemap: null }, NOW)).toBe(true);
    expect(isStale({ crawledAt: hoursAgo(167.9), sitemap: null }, NOW)).toBe(false);
  });

  it('is stale when it was modified after we saw it, whatever its frequency', () => {
    const sitemap = entry({ lastmod: hoursAgo(1), changefreq: 'never' });
    expect(isStale({ crawledAt: hoursAgo(2), sitemap }, NOW)).toBe(true);
    expect(isStale({ crawledAt: hoursAgo(0.5), sitemap }, NOW)).toBe(false);
  });

  it('is stale when its sitemap no longer names it', () => {
    expect(isStale({ crawledAt: hoursAgo(0), sitemap: entry({ isDropped: true }) }, NOW)).toBe(true);
  });
});
