/**
 * One line that says how far a run is, never wider than it may be. Pure: draws nothing, asks nobody.
 */
import type { Progress } from '@trawl/contracts';

export type ProgressNumbers = Pick<
  Progress,
  | 'status'
  | 'total'
  | 'processed'
  | 'failed'
  | 'skipped'
  | 'percentComplete'
  | 'currentDepth'
  | 'pagesPerSecond'
  | 'discoveredBeyondLimit'
>;

const WIDEST_BAR = 30;
const NARROWEST_BAR = 8;

/** `width` is what the terminal has; the last column stays free, since writing it makes some terminals wrap. */
export function formatProgress(progress: ProgressNumbers, elapsedMs: number, width: number): string {
  const room = Math.max(0, width - 1);
  const percent = Math.min(100, Math.max(0, progress.percentComplete));
  // Most important first: a narrow terminal loses them from the end, the bar before any of them.
  const parts = [
    `${String(percent).padStart(3)}%`,
    `${doneCount(progress)}/${progress.total} pages`,
    formatDuration(elapsedMs),
    `${formatRate(progress.pagesPerSecond)}/s`,
    ...(progress.failed > 0 ? [`${progress.failed} failed`] : []),
    `depth ${progress.currentDepth}`,
    ...(progress.status === 'running' ? [] : [progress.status]),
  ];
  let shown = parts;
  while (shown.length > 1 && lengthOf(shown) > room) shown = shown.slice(0, -1);
  const text = shown.join('  ').slice(0, room);
  const barRoom = Math.min(WIDEST_BAR, room - text.length - 3);
  if (barRoom < NARROWEST_BAR) return text;
  const filled = Math.floor((barRoom * percent) / 100);
  return `[${'█'.repeat(filled)}${'░'.repeat(barRoom - filled)}] ${text}`;
}

/** The same for a log: no bar, nothing left out. */
export function formatProgressLine(progress: ProgressNumbers, elapsedMs: number): string {
  const parts = [
    `${formatDuration(elapsedMs)}  ${progress.status}: ${doneCount(progress)} of ${progress.total} pages known`,
    `${formatRate(progress.pagesPerSecond)} pages/s`,
    `depth ${progress.currentDepth}`,
    `${progress.failed} failed`,
  ];
  if (progress.discoveredBeyondLimit > 0) parts.push(`${progress.discoveredBeyondLimit} beyond the limit`);
  return parts.join(', ');
}

/** `0:07`, `12:30`, `1:02:03`. */
export function formatDuration(ms: number): string {
  const seconds = Math.floor(Math.max(0, ms) / 1000);
  const two = (value: number): string => String(value).padStart(2, '0');
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}:${two(seconds % 60)}`;
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(seconds % 60)}`;
}

function doneCount(progress: ProgressNumbers): number {
  return progress.processed + progress.failed + progress.skipped;
}

function formatRate(pagesPerSecond: number): string {
  return pagesPerSecond >= 100 ? pagesPerSecond.toFixed(0) : pagesPerSecond.toFixed(1);
}

function lengthOf(parts: readonly string[]): number {
  return parts.join('  ').length;
}
