import { expect, it } from 'vitest';
import { createReport } from './report.ts';

const read = (n: number, problems: string[] = []) => ({
  url: `https://a.test/${n}.xml`,
  format: 'urlset' as const,
  entries: 1,
  sitemaps: 0,
  problems: problems.map((code) => ({ code, message: code })),
});

it('is complete and empty when nothing was met', () => {
  expect(createReport().result()).toEqual({ complete: true, sites: [], sitemaps: [], problems: [] });
});

it('lists sitemaps with problems before others, and not all of fifty thousand', () => {
  const report = createReport();
  for (let n = 0; n < 50_000; n++) report.sitemap(read(n, n % 1000 === 999 ? ['TRUNCATED'] : []));
  const { sitemaps } = report.result();
  expect(sitemaps).toHaveLength(100);
  expect(sitemaps.slice(0, 50).every(({ problems }) => problems.length === 1)).toBe(true);
  expect(sitemaps[50]?.problems).toEqual([]);
});

it('counts the problems it does not list, and knows which of them hide pages', () => {
  const report = createReport();
  report.problem('A slip.', false);
  expect(report.result().complete).toBe(true);
  for (let n = 0; n < 60; n++) report.problem(`Problem ${n}.`, true);
  const { complete, problems } = report.result();
  expect(complete).toBe(false);
  expect(problems).toHaveLength(51);
  expect(problems.at(-1)).toBe('There were 11 more problems with sitemaps.');
});
