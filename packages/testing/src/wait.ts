/** Waits for a fact instead of for some time. */
import { setTimeout as sleep } from 'node:timers/promises';

type Falsy = false | 0 | 0n | '' | null | undefined;

/** Calls `probe` every 10 ms until it gives something truthy, and returns that. A probe that throws fails the wait. */
export async function waitFor<T>(
  probe: () => T | Promise<T>,
  options: { readonly timeoutMs?: number; readonly what?: string | (() => string) } = {},
): Promise<Exclude<T, Falsy>> {
  const { timeoutMs = 10_000, what = String(probe) } = options;
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const value = await probe();
    if (value) return value as Exclude<T, Falsy>;
    if (Date.now() > deadline)
      throw new Error(`waited ${timeoutMs} ms in vain for: ${typeof what === 'string' ? what : what()}`);
    await sleep(10);
  }
}
