import { describe, expect, it } from 'vitest';
import { formatSummary, summarize } from './crawl-summary.ts';
import type { UnwrittenPage } from './page-files.ts';

const missed = (url: string, code: string): UnwrittenPage => ({
  url,
  code,
  message: 'No.',
  depth: 1,
  httpStatus: null,
  finalUrl: null,
  parentUrl: null,
});
const run = {
  url: 'http://a.test/',
  runId: 'run_1',
  status: 'completed',
  discoveredBeyondLimit: 3,
  durationMs: 2000,
  warnings: ['Something is missing.'],
  output: '/out',
} as const;

describe('the summary of a crawl', () => {
  it('counts failures and skips by their code, the most frequent first', () => {
    const failed = [
      missed('http://a.test/1', 'TLS_FAILED'),
      missed('http://a.test/2', 'HTTP_404'),
      missed('http://a.test/3', 'HTTP_404'),
    ];
    const summary = summarize(run, { pages: 0, failed, skipped: [missed('http://a.test/4', 'REDIRECTED')] });
    expect(formatSummary(summary, failed)).toEqual([
      'Run run_1 completed after 0:02, 0.0 pages/s.',
      '  pages    0',
      '  failed   3 (2 × HTTP_404, 1 × TLS_FAILED)',
      '           http://a.test/1  TLS_FAILED: No.',
      '           http://a.test/2  HTTP_404: No.',
      '           http://a.test/3  HTTP_404: No.',
      '  skipped  1 (1 × REDIRECTED)',
      '  beyond   3 URLs known but beyond the limit',
      '  note     Something is missing.',
      '  files    /out',
    ]);
  });

  it('shows five failures and says how many more there are', () => {
    const failed = Array.from({ length: 12 }, (_, n) => missed(`http://a.test/${n}`, 'HTTP_500'));
    const lines = formatSummary(summarize(run, { pages: 0, failed, skipped: [] }), failed);
    expect(lines.filter((line) => line.includes('HTTP_500: '))).toHaveLength(5);
    expect(lines).toContain('           … and 7 more, all in index.json');
  });
});
