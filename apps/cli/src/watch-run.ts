/**
 * Follows a run to its end and shows how far it is. An interrupt cancels the run; then it is followed to that end, so
 * that what it has is known. Starts no run and reads no pages.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { isFinal, type Progress } from '@trawl/contracts';
import type { ApiClient } from './api-client.ts';
import type { Interrupts } from './interrupts.ts';
import { formatProgress, formatProgressLine } from './progress-bar.ts';
import type { Terminal } from './terminal.ts';

export interface WatchOptions {
  readonly api: ApiClient;
  readonly runId: string;
  readonly startedMs: number;
  readonly terminal: Terminal;
  readonly interrupts: Interrupts;
  /** Resolves with a sentence when the stack below can't go on. */
  readonly broken: Promise<string>;
}

export type WatchResult =
  | { kind: 'ended'; progress: Progress }
  /** Interrupted twice, or the end of the cancelled run did not come. */
  | { kind: 'abandoned' }
  | { kind: 'broken'; message: string };

/** Five times a second looks alive and costs the API next to nothing. */
const POLL_MS = 200;
const PLAIN_LINE_MS = 5000;
const CANCEL_MS = 15_000;

export async function watchRun(options: WatchOptions): Promise<WatchResult> {
  const { api, runId, startedMs, terminal, interrupts } = options;
  let broken: string | null = null;
  void options.broken.then((sentence) => {
    broken = sentence;
  });
  let cancelledMs: number | null = null;
  let plainLineMs = startedMs;

  for (;;) {
    if (interrupts.graceful.aborted && cancelledMs === null) {
      cancelledMs = Date.now();
      terminal.say('Cancelling the run; the pages it has are written. Once more to stop at once.');
      await api.cancel(runId);
    }
    const progress = await api.progress(runId);
    const nowMs = Date.now();
    if (isFinal(progress.status)) {
      terminal.clearStatus();
      return { kind: 'ended', progress };
    }
    if (terminal.isLive) terminal.status(formatProgress(progress, nowMs - startedMs, terminal.columns));
    else if (nowMs - plainLineMs >= PLAIN_LINE_MS) {
      plainLineMs = nowMs;
      terminal.status(formatProgressLine(progress, nowMs - startedMs));
    }
    await pause(cancelledMs === null ? interrupts.graceful : interrupts.atOnce);
    const isOverdue = cancelledMs !== null && nowMs - cancelledMs > CANCEL_MS;
    if (broken !== null || interrupts.atOnce.aborted || isOverdue) {
      terminal.clearStatus();
      return broken === null ? { kind: 'abandoned' } : { kind: 'broken', message: broken };
    }
  }
}

/** Until the next look, or an interrupt. */
async function pause(signal: AbortSignal): Promise<void> {
  try {
    await delay(POLL_MS, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
