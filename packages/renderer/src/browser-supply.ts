/**
 * Which browser a render gets. At most one takes new renders: started when the first one asks, retired (it ends with
 * its last render) when it has served its pages or its time, holds too much memory or can't close a page, and closed
 * when nobody has asked for a while. Renders nothing itself.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Home, openHome } from './home.ts';
import { orAborted } from './or-aborted.ts';
import { treeMemory } from './process-tree.ts';
import { type BrowserProgram, type SharedBrowser, startBrowser } from './shared-browser.ts';

export interface SupplyOptions {
  readonly program: BrowserProgram;
  readonly recycle: { readonly pages: number; readonly ageMs: number; readonly memoryMb: number };
  readonly pageMemoryMb: number;
  readonly idleCloseMs: number;
  readonly onNotice: (sentence: string, context: Record<string, unknown>) => void;
}

/** A browser for one render. */
export interface Lease {
  readonly browser: SharedBrowser;
  /** No further renders for this browser. */
  retire(reason: string): void;
  release(): void;
}

export interface BrowserSupply {
  /** Rejects if no browser could be started, or for the signal. After a start that failed it does so at once, for a while. */
  take(signal?: AbortSignal): Promise<Lease>;
  /** False from a start that failed to one that did not. */
  isAble(): boolean;
  /** Starts a browser if there is none and it is time to try again. True: there is one. */
  probe(): Promise<boolean>;
  facts(): SupplyFacts;
  close(): Promise<void>;
}

export interface SupplyFacts {
  /** Of the browser that takes new renders; null if there is none. */
  readonly browserPid: number | null;
  readonly browserStarts: number;
  /** Rendered by it or being rendered. */
  readonly browserPages: number;
  /** Of all browsers: one that takes renders, and those that finish theirs. */
  readonly memoryMb: number;
  /** Why none can be started, from a start that failed to one that did not. */
  readonly problem: string | null;
}

interface Serving {
  readonly browser: SharedBrowser;
  served: number;
  open: number;
  isRetired: boolean;
}

const LOOK_EVERY_MS = 1000;
/** Between a start that failed and the next: doubled each time. */
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;
/** Above so many times the memory at which it is replaced, a browser is not waited for. */
const TOO_MUCH = 2;
/** A browser that hangs while it starts is not waited for when all is to end. */
const START_PATIENCE_MS = 2000;

export function createBrowserSupply(options: SupplyOptions): BrowserSupply {
  const { recycle, onNotice } = options;
  const all = new Set<Serving>();
  let current: Serving | null = null;
  let starting: Promise<Serving> | null = null;
  let home: Home | null = null;
  let starts = 0;
  let pauseMs = 0;
  let startNotBefore = 0;
  let problem: string | null = null;
  let idleTimer: NodeJS.Timeout | undefined;
  let watch: NodeJS.Timeout | undefined;

  function retire(serving: Serving, reason: string): void {
    if (serving.isRetired) return;
    serving.isRetired = true;
    if (current === serving) current = null;
    const { pid } = serving.browser;
    onNotice('A browser takes no more pages, and ends with its last.', { reason, pid, pages: serving.served });
    closeIfDone(serving);
  }

  function closeIfDone(serving: Serving): void {
    if (serving.isRetired && serving.open === 0) void serving.browser.close().then(() => all.delete(serving));
  }

  async function start(): Promise<Serving> {
    let browser: SharedBrowser;
    starts += 1;
    try {
      home ??= await openHome();
      browser = await startBrowser(options.program, home.directory);
    } catch (error) {
      pauseMs = Math.min(Math.max(FIRST_PAUSE_MS, 2 * pauseMs), LONGEST_PAUSE_MS);
      startNotBefore = performance.now() + pauseMs;
      const reason = reasonOf(error);
      problem = `The browser could not be started: ${reason}`;
      onNotice('The browser could not be started.', { reason, nextTryMs: pauseMs });
      throw new Error(problem, { cause: error });
    }
    pauseMs = 0;
    problem = null;
    const serving: Serving = { browser, served: 0, open: 0, isRetired: false };
    all.add(serving);
    browser.onGone(() => {
      if (current === serving) current = null;
      if (!serving.isRetired)
        onNotice('The browser ended unexpectedly.', { pid: browser.pid, pagesOpen: serving.open });
      serving.isRetired = true;
      closeIfDone(serving);
    });
    return serving;
  }

  /** The one that took new renders a moment ago. */
  async function present(signal: AbortSignal | undefined): Promise<Serving> {
    const why = current === null ? null : whyRetire(current);
    if (current !== null && why !== null) retire(current, why);
    if (current !== null) return current;
    if (starting === null && problem !== null && performance.now() < startNotBefore) throw new Error(problem);
    starting ??= start()
      .then((serving) => {
        current = serving;
        return serving;
      })
      .finally(() => {
        starting = null;
      });
    return orAborted(starting, signal);
  }

  function whyRetire({ served, browser }: Serving): string | null {
    if (served >= recycle.pages) return `${served} pages`;
    const ageMs = performance.now() - browser.startedAt;
    return ageMs >= recycle.ageMs ? `${Math.round(ageMs / 1000)} s` : null;
  }

  function watchMemory(): void {
    for (const serving of all) {
      if (serving.browser.isGone()) continue;
      const { totalMb, renderers } = treeMemory(serving.browser.pid);
      for (const { pid, memoryMb } of renderers) {
        if (options.pageMemoryMb === 0 || memoryMb <= options.pageMemoryMb) continue;
        endProcess(pid);
        onNotice('A page took too much memory and was ended.', { pid, memoryMb: Math.round(memoryMb) });
      }
      if (recycle.memoryMb === 0) continue;
      if (totalMb > recycle.memoryMb) retire(serving, `${totalMb} MB of memory`);
      // What grows outside of pages belongs to none: their end would free nothing, and a try more costs less than the machine.
      if (totalMb > TOO_MUCH * recycle.memoryMb) {
        onNotice('The browser took too much memory and was ended.', { pid: serving.browser.pid, memoryMb: totalMb });
        endProcess(serving.browser.pid);
      }
    }
  }

  function onUse(): void {
    clearTimeout(idleTimer);
    watch ??= setInterval(watchMemory, LOOK_EVERY_MS).unref();
  }

  function onRelease(): void {
    if ([...all].some(({ open }) => open > 0)) return;
    clearInterval(watch);
    watch = undefined;
    idleTimer = setTimeout(() => {
      if (current !== null) retire(current, 'nothing to render');
    }, options.idleCloseMs).unref();
  }

  return {
    async take(signal) {
      let serving = await present(signal);
      // Many may have waited for the same start: it may have got all its pages, or have ended, since.
      while (serving.isRetired || whyRetire(serving) !== null) serving = await present(signal);
      serving.served += 1;
      serving.open += 1;
      onUse();
      return {
        browser: serving.browser,
        retire: (reason) => retire(serving, reason),
        release: () => {
          serving.open -= 1;
          closeIfDone(serving);
          onRelease();
        },
      };
    },

    isAble: () => problem === null,

    probe: () =>
      present(undefined).then(
        () => true,
        () => false,
      ),

    facts: () => ({
      problem,
      browserPid: current?.browser.pid ?? null,
      browserStarts: starts,
      browserPages: current?.served ?? 0,
      memoryMb: [...all].reduce((sum, { browser }) => sum + treeMemory(browser.pid).totalMb, 0),
    }),

    async close() {
      clearTimeout(idleTimer);
      clearInterval(watch);
      // A start under way ends in a browser to close, or in an error that its render reports; or it hangs, and ends with its home.
      await Promise.race([starting?.catch(() => {}), sleep(START_PATIENCE_MS, undefined, { ref: false })]);
      for (const serving of all) serving.isRetired = true;
      current = null;
      await Promise.all([...all].map(({ browser }) => browser.close()));
      await home?.close();
    },
  };
}

/** Ends one page alone; waiting would let it take the memory of its neighbours, and of the machine. */
function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself since it was looked at.
  }
}

const TELLING = /ERROR|FATAL|error while loading|not found|No usable sandbox/;
/** Where there is no desktop, which is no reason for anything. */
const ALWAYS_SAID = /:dbus\/|dconf|vaapi/;

/** In one line, of Playwright's many: what the browser itself said, if that is among them, and how it ended. */
function reasonOf(error: unknown): string {
  const lines = (error instanceof Error ? error.message : String(error)).split('\n');
  const said = lines.filter((line) => line.includes('[err] ') && !ALWAYS_SAID.test(line));
  const telling = [...said, ...lines].find((line) => TELLING.test(line) && !ALWAYS_SAID.test(line));
  const reason = (telling ?? said.at(-1) ?? lines[0] ?? '').replace(/^.*\[err\] |^\w+\.\w+: /, '').trim();
  const exit = /exitCode=(\d+)/.exec(lines.join('\n'))?.[1];
  return `${reason.slice(0, 300).replace(/\.$/, '')}${exit === undefined ? '' : ` (exit code ${exit})`}.`;
}
