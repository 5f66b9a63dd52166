/**
 * Turns signals into two wishes: "stop, please" and, when repeated within three seconds, "stop at once".
 * Does not stop anything itself.
 */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** Ctrl+C reaches a whole process group, and npm hands the signal on once more: copies of one wish, not a second one. */
const COPY_MS = 200;
const AT_ONCE_MS = 3000;

export interface Interrupts {
  /** Aborted by the first signal: everything under way should wind down. */
  readonly graceful: AbortSignal;
  /** Aborted by a second signal soon after one before it. */
  readonly atOnce: AbortSignal;
  close(): void;
}

export type SignalSource = Pick<NodeJS.EventEmitter, 'on' | 'off'>;

export function listenForInterrupts(source: SignalSource = process, now: () => number = Date.now): Interrupts {
  const graceful = new AbortController();
  const atOnce = new AbortController();
  let lastWishMs: number | null = null;

  const onSignal = (): void => {
    const atMs = now();
    const sinceMs = lastWishMs === null ? Number.POSITIVE_INFINITY : atMs - lastWishMs;
    if (sinceMs < COPY_MS) return;
    lastWishMs = atMs;
    graceful.abort();
    if (sinceMs <= AT_ONCE_MS) atOnce.abort();
  };
  for (const name of SIGNALS) source.on(name, onSignal);

  return {
    graceful: graceful.signal,
    atOnce: atOnce.signal,
    close: () => {
      for (const name of SIGNALS) source.off(name, onSignal);
    },
  };
}

/** Resolves when the signal is aborted; at once if it is already. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
