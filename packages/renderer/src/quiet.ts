/**
 * Tells when a page has come to rest: it asks for nothing and computes nothing. Playwright's `networkidle` (1.65) says so half a
 * second after the last request, whatever the page computes meanwhile, and never takes it back: an application that builds itself for
 * longer than that and asks for its data then would be taken empty. It is asked as well, since it knows of what workers ask for. Does
 * not wait for what a timer or a socket may bring later.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { CDPSession, Page } from 'playwright-core';
import { inOwnWorld, UNTIL_IDLE } from './own-world.ts';

export interface Quiet {
  /** False where it was not in time. */
  reached(withinMs: number): Promise<boolean>;
}

const QUIET_MS = 500;
/** What a page always has something of under way does not keep it from resting. */
const NEVER_AWAITED = /^(EventSource|Ping|CSPViolationReport|Preflight|Prefetch)$/;
/** Never on the network. */
const LOCAL = /^(data|blob|about):/;

/** To be called before the page is sent anywhere. */
export async function watchQuiet(page: Page, cdp: CDPSession): Promise<Quiet> {
  /** By id, with the frame that waits for the answer. */
  const open = new Map<string, string | undefined>();
  let changedAt = performance.now();
  const changed = (): void => {
    changedAt = performance.now();
  };
  cdp.on('Network.requestWillBeSent', ({ requestId, frameId, request, type }) => {
    if (LOCAL.test(request.url) || (type !== undefined && NEVER_AWAITED.test(type))) return;
    open.set(requestId, frameId);
    changed();
  });
  const ended = ({ requestId }: { requestId: string }): void => {
    if (open.delete(requestId)) changed();
  };
  cdp.on('Network.loadingFinished', ended);
  cdp.on('Network.loadingFailed', ended);
  // Of what such a frame asked for nobody is told any more.
  cdp.on('Page.frameDetached', ({ frameId }) => {
    for (const [id, frame] of open) if (frame === frameId) ended({ requestId: id });
  });
  // Answers are not kept for us to read.
  await cdp.send('Network.enable', { maxTotalBufferSize: 0, maxResourceBufferSize: 0 });

  /** What the page asked for before it came to this has been told of by then: all that its thread tells comes in order. */
  const hasComputed = (): Promise<boolean> =>
    inOwnWorld(cdp, UNTIL_IDLE).then(
      () => true,
      // Its document is being replaced.
      () => false,
    );

  return {
    async reached(withinMs) {
      const until = performance.now() + withinMs;
      if (!(await reaches(page, 'networkidle', withinMs))) return false;
      while (performance.now() < until && !page.isClosed()) {
        const leftMs = until - performance.now();
        const lasts = open.size > 0 ? QUIET_MS / 5 : changedAt + QUIET_MS - performance.now();
        if (lasts > 0) {
          await sleep(Math.min(lasts, leftMs));
          continue;
        }
        const isAtRest = await within(leftMs, hasComputed());
        if (!isAtRest) changed();
        else if (open.size === 0 && performance.now() - changedAt >= QUIET_MS) return true;
      }
      return false;
    },
  };
}

/** False where it is not so far in time. */
export async function reaches(
  page: Page,
  state: 'domcontentloaded' | 'networkidle',
  withinMs: number,
): Promise<boolean> {
  if (withinMs <= 0) return false;
  try {
    await page.waitForLoadState(state, { timeout: withinMs });
    return true;
  } catch (error) {
    if (error instanceof Error && error.name === 'TimeoutError') return false;
    throw error;
  }
}

/** False where it takes longer. */
function within(ms: number, done: Promise<boolean>): Promise<boolean> {
  const stop = new AbortController();
  return Promise.race([done, sleep(ms, false, { signal: stop.signal })]).finally(() => stop.abort());
}
