import { completeRunConfig, createRunSchema, newRunId, newSourceId, type RunStats } from '@trawl/contracts';
import type { RunProgress } from '@trawl/crawl-state';
import type { RunRow } from '@trawl/db';
import { describe, expect, it } from 'vitest';
import { progressView, statusOf } from './progress-view.ts';

const config = completeRunConfig(createRunSchema.parse({ url: 'https://example.com/' }), { userAgent: 'Trawl/1' });
const createdAt = '2030-01-01T00:00:00.000Z';
const row = (over: Partial<RunRow> = {}): RunRow => ({
  id: newRunId(),
  sourceId: newSourceId(),
  status: 'running',
  sealed: false,
  config,
  createdAt,
  startedAt: null,
  finishedAt: null,
  stats: null,
  warnings: [],
  discovery: null,
  error: null,
  ...over,
});
const live = (over: Partial<RunProgress> = {}): RunProgress => ({
  status: 'running',
  final: null,
  discovering: false,
  maxPages: 1000,
  queued: 402,
  fetched: 9,
  processed: 300,
  failed: 2,
  skipped: 0,
  beyond: 7,
  currentDepth: 3,
  pagesPerSecond: 51.2,
  startedAt: new Date('2030-01-01T00:00:01.000Z'),
  updatedAt: new Date('2030-01-01T00:00:07.000Z'),
  refused: {},
  unrendered: 0,
  restless: 0,
  ...over,
});
const stats: RunStats = {
  total: 713,
  queued: 0,
  fetched: 0,
  processed: 700,
  failed: 11,
  skipped: 2,
  discoveredBeyondLimit: 5,
  currentDepth: 4,
  pagesPerSecond: 50,
  bytes: 1,
  rendered: 0,
  new: 700,
  changed: 0,
  unchanged: 0,
  gone: 0,
  refused: {},
  durationMs: 14_000,
};

describe('the progress of a run', () => {
  it('is the live numbers while the run is alive', () => {
    const run = row();
    expect(progressView(run, live())).toEqual({
      runId: run.id,
      status: 'running',
      total: 713,
      queued: 402,
      fetched: 9,
      processed: 300,
      failed: 2,
      skipped: 0,
      inProgress: 411,
      percentComplete: 42,
      currentDepth: 3,
      discoveredBeyondLimit: 7,
      pagesPerSecond: 51.2,
      etaSeconds: 9,
      startedAt: '2030-01-01T00:00:01.000Z',
      updatedAt: '2030-01-01T00:00:07.000Z',
    });
  });

  it('is the kept numbers once the row is final, whatever Redis still says', () => {
    const run = row({ status: 'completed', stats, finishedAt: '2030-01-01T00:00:15.000Z' });
    for (const redis of [null, live(), live({ status: 'completed' })]) {
      expect(progressView(run, redis)).toMatchObject({
        status: 'completed',
        total: 713,
        queued: 0,
        inProgress: 0,
        processed: 700,
        percentComplete: 100,
        etaSeconds: 0,
        updatedAt: '2030-01-01T00:00:15.000Z',
      });
    }
  });

  it('reaches 100 percent only at the end', () => {
    const done = live({ queued: 0, fetched: 0, processed: 1000, status: 'finalizing' });
    expect(progressView(row(), done).percentComplete).toBe(99);
    expect(progressView(row(), live({ queued: 1, fetched: 0, processed: 9999 })).percentComplete).toBe(99);
  });

  it('is 0 percent of nothing, also at the end', () => {
    const none = live({ queued: 0, fetched: 0, processed: 0, failed: 0 });
    expect(progressView(row(), none).percentComplete).toBe(0);
    expect(progressView(row({ status: 'failed' }), null)).toMatchObject({ percentComplete: 0, total: 0 });
  });

  it('estimates the end by the pages that may still come', () => {
    const almost = live({ queued: 5000, processed: 990, pagesPerSecond: 2 });
    expect(progressView(row(), almost).etaSeconds).toBe(5);
    expect(progressView(row(), live({ pagesPerSecond: 0 })).etaSeconds).toBeNull();
    expect(progressView(row(), live({ status: 'paused' })).etaSeconds).toBeNull();
  });
});

describe('the status of a run', () => {
  it('is discovering until the first page, while start URLs are taken in', () => {
    expect(statusOf(row(), live({ discovering: true, processed: 0 }))).toBe('discovering');
    expect(statusOf(row(), live({ discovering: true, processed: 1 }))).toBe('running');
    expect(statusOf(row(), live({ discovering: true, processed: 0, status: 'paused' }))).toBe('paused');
  });

  it('is what the row says when Redis knows nothing of the run', () => {
    expect(statusOf(row({ status: 'pending' }), null)).toBe('pending');
  });

  it('is not final before the row has the final numbers', () => {
    expect(statusOf(row(), live({ status: 'completed' }))).toBe('finalizing');
  });
});
