/** One Chromium, from its start to its end. Decides neither when to start one nor when it has served its time. */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core';
import { launchOptions } from './launch.ts';

export interface SharedBrowser {
  readonly pid: number;
  readonly startedAt: number;
  /**
   * Calls `told` when it has ended, by our will or not, until the returned function is called. Not a promise: that would keep what each
   * page left with it for as long as the browser lives.
   */
  onGone(told: () => void): () => void;
  isGone(): boolean;
  newContext(options: BrowserContextOptions): Promise<BrowserContext>;
  /** Cuts short what is under way in it. */
  close(): Promise<void>;
}

const CLOSE_WITHIN_MS = 5000;

export interface BrowserProgram {
  readonly executablePath: string;
  readonly sandbox: boolean;
}

export async function startBrowser(program: BrowserProgram, home: string): Promise<SharedBrowser> {
  const directory = mkdtempSync(join(home, 'browser-'));
  let browser: Browser | null = null;
  try {
    browser = await launchIn(directory, program);
    return sharedBrowser(browser, await pidOf(browser), directory);
  } catch (error) {
    // What it says while it is ended tells less than why it is.
    await browser?.close().catch(() => {});
    removeDirectory(directory);
    throw error;
  }
}

function sharedBrowser(browser: Browser, pid: number, directory: string): SharedBrowser {
  let isGone = false;
  const listeners = new Set<() => void>();
  browser.once('disconnected', () => {
    isGone = true;
    for (const told of listeners) told();
  });
  let closing: Promise<void> | null = null;

  return {
    pid,
    startedAt: performance.now(),
    onGone(told) {
      listeners.add(told);
      if (isGone) queueMicrotask(told);
      return () => listeners.delete(told);
    },
    isGone: () => isGone,
    newContext: (options) => browser.newContext(options),
    close() {
      closing ??= (async () => {
        // That a browser which is gone can't be closed is no news.
        const closed = browser.close().catch(() => {});
        await Promise.race([closed, sleep(CLOSE_WITHIN_MS, undefined, { ref: false })]);
        // Its own group, with all its children: none of them has anything to save.
        if (!isGone) killGroup(pid);
        await closed;
        removeDirectory(directory);
      })();
      return closing;
    },
  };
}

/**
 * As a persistent one, because only then Playwright lets us say where the profile is, and the janitor has to know. The
 * context that comes with it stays empty: every page gets one of its own, which shares nothing with it.
 */
async function launchIn(directory: string, { executablePath, sandbox }: BrowserProgram): Promise<Browser> {
  // Not before there is something to render: a worker that has no browser does without the memory it takes.
  const { chromium } = await import('playwright-core');
  const persistent = await chromium.launchPersistentContext(
    join(directory, 'profile'),
    launchOptions(executablePath, directory, sandbox),
  );
  const browser = persistent.browser();
  if (browser === null) throw new Error('the browser has no handle');
  await Promise.all(persistent.pages().map((page) => page.close()));
  return browser;
}

async function pidOf(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  const own = processInfo.find(({ type }) => type === 'browser');
  if (own === undefined) throw new Error('the browser does not know its own process');
  return own.id;
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It ended in this very moment.
  }
}

/** Its processes may still write for a moment; what stays is for the janitor. */
function removeDirectory(directory: string): void {
  try {
    rmSync(directory, { recursive: true, force: true, maxRetries: 3, retryDelay: 50 });
  } catch {
    // Best effort: the whole home is removed in the end.
  }
}
