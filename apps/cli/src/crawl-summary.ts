/** What is said at the end of `crawl`, for people and for programs. Pure. */
import type { FinalStatus } from '@trawl/contracts';
import type { UnwrittenPage } from './page-files.ts';
import { formatDuration } from './progress-bar.ts';

export interface CrawlSummary {
  readonly url: string;
  readonly runId: string;
  readonly status: FinalStatus;
  readonly pages: number;
  readonly failed: Reasons;
  readonly skipped: Reasons;
  readonly discoveredBeyondLimit: number;
  readonly durationMs: number;
  readonly warnings: readonly string[];
  readonly output: string;
}

interface Reasons {
  readonly count: number;
  readonly byCode: Readonly<Record<string, number>>;
}

/** How many pages there are, and why others are not among them. */
interface ListedPages {
  readonly pages: number;
  readonly failed: readonly UnwrittenPage[];
  readonly skipped: readonly UnwrittenPage[];
}

/** Failures are shown one by one as long as a person would read them. */
const SHOWN_FAILURES = 5;

export function summarize(
  run: Pick<CrawlSummary, 'url' | 'runId' | 'status' | 'discoveredBeyondLimit' | 'durationMs' | 'warnings' | 'output'>,
  listed: ListedPages,
): CrawlSummary {
  return {
    ...run,
    pages: listed.pages,
    failed: reasonsOf(listed.failed),
    skipped: reasonsOf(listed.skipped),
  };
}

/** `hasIndex`: an index beside the files lists every failure. */
export function formatSummary(summary: CrawlSummary, failures: readonly UnwrittenPage[], hasIndex = true): string[] {
  const { pages, failed, skipped, discoveredBeyondLimit, durationMs } = summary;
  const rate = durationMs > 0 ? `, ${((pages * 1000) / durationMs).toFixed(1)} pages/s` : '';
  const lines = [
    `Run ${summary.runId} ${summary.status} after ${formatDuration(durationMs)}${rate}.`,
    `  pages    ${pages}`,
    `  failed   ${withReasons(failed)}`,
  ];
  for (const { url, code, message } of failures.slice(0, SHOWN_FAILURES))
    lines.push(`           ${url}  ${code}: ${message}`);
  if (failures.length > SHOWN_FAILURES) {
    lines.push(`           … and ${failures.length - SHOWN_FAILURES} more${hasIndex ? ', all in index.json' : ''}`);
  }
  lines.push(`  skipped  ${withReasons(skipped)}`);
  if (discoveredBeyondLimit > 0) lines.push(`  beyond   ${discoveredBeyondLimit} URLs known but beyond the limit`);
  for (const warning of summary.warnings) lines.push(`  note     ${warning}`);
  lines.push(`  files    ${summary.output}`);
  return lines;
}

function reasonsOf(pages: readonly UnwrittenPage[]): Reasons {
  const byCode: Record<string, number> = {};
  for (const { code } of pages) byCode[code] = (byCode[code] ?? 0) + 1;
  return { count: pages.length, byCode };
}

function withReasons({ count, byCode }: Reasons): string {
  const reasons = Object.entries(byCode)
    .sort(([, a], [, b]) => b - a)
    .map(([code, times]) => `${times} × ${code}`);
  return reasons.length > 0 ? `${count} (${reasons.join(', ')})` : String(count);
}
