import { describe, expect, it } from 'vitest';
import { formatDuration, formatProgress, formatProgressLine, type ProgressNumbers } from './progress-bar.ts';

const running: ProgressNumbers = {
  status: 'running',
  total: 713,
  processed: 300,
  failed: 2,
  skipped: 0,
  percentComplete: 42,
  currentDepth: 3,
  pagesPerSecond: 51.2,
  discoveredBeyondLimit: 0,
};

describe('the progress bar', () => {
  it('shows pages done and known, rate, failures, depth and time', () => {
    expect(formatProgress(running, 12_000, 100)).toBe(
      '[████████████░░░░░░░░░░░░░░░░░░]  42%  302/713 pages  0:12  51.2/s  2 failed  depth 3',
    );
  });

  it('is full at 100 % and empty at 0 %', () => {
    expect(formatProgress({ ...running, percentComplete: 100 }, 0, 100)).toContain(`[${'█'.repeat(30)}] 100%`);
    expect(formatProgress({ ...running, percentComplete: 0 }, 0, 100)).toContain(`[${'░'.repeat(30)}]   0%`);
  });

  it('never fills the last column, however narrow the terminal', () => {
    for (let width = 0; width <= 120; width++) {
      const line = formatProgress({ ...running, status: 'finalizing' }, 3_723_000, width);
      expect(line.length).toBeLessThanOrEqual(Math.max(0, width - 1));
    }
  });

  it('gives up the bar first, then the least important numbers', () => {
    expect(formatProgress(running, 12_000, 58)).toBe(' 42%  302/713 pages  0:12  51.2/s  2 failed  depth 3');
    expect(formatProgress(running, 12_000, 30)).toBe(' 42%  302/713 pages  0:12');
  });

  it('says the status when the run is not simply running', () => {
    expect(formatProgress({ ...running, status: 'discovering' }, 0, 100)).toContain('discovering');
  });
});

describe('the progress line of a log', () => {
  it('leaves nothing out', () => {
    expect(formatProgressLine({ ...running, discoveredBeyondLimit: 12 }, 12_000)).toBe(
      '0:12  running: 302 of 713 pages known, 51.2 pages/s, depth 3, 2 failed, 12 beyond the limit',
    );
  });
});

describe('a duration', () => {
  it.each([
    [0, '0:00'],
    [7_900, '0:07'],
    [750_000, '12:30'],
    [3_723_000, '1:02:03'],
  ])('of %i ms reads %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });
});
