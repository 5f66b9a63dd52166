/**
 * One page in one context of the browser, from the document that was fetched to what it became. Whatever the page
 * does, the visit ends: by its result, its deadline or its failure, whichever is first, and the context with it.
 * Chooses no browser and opens no gate.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { isAccessTo, usableBy } from '@trawl/contracts';
import type { BrowserContext, CDPSession, Page, Route } from 'playwright-core';
import type { Lease } from './browser-supply.ts';
import { addCookies, sendHeaders } from './carry.ts';
import type { Passage } from './gate.ts';
import { PROXY_HOST } from './launch.ts';
import { reaches, watchQuiet } from './quiet.ts';
import { failure, type RenderDocument, type RenderOutcome, type RenderRequest } from './render.ts';
import { MAX_REQUESTS, requestPolicy } from './request-policy.ts';
import { takeScreenshot, takeSnapshot } from './snapshot.ts';

export interface VisitOptions {
  readonly lease: Lease;
  readonly gatePort: number;
  /** Opens the way to the network; called once. */
  readonly openPassage: (onOverrun: () => void) => Passage;
  /** The page could not be closed: it may still be there, and use its way. */
  readonly onLeftOpen: () => void;
}

const DEFAULT_IDLE_CAP_MS = 10_000;
const DEFAULT_MAX_HTML = 16 * 1024 * 1024;
/** Kept back from all waiting, to read the page with. */
const SNAPSHOT_MS = 2000;
/** Without the network a document is at its end at once, unless its scripts are busy. */
const PARSE_MS = 1000;
const MAX_RELOADS = 2;
/** As long as servers take one. */
const MAX_URL_LENGTH = 8192;
/** A page's end is often heard of a little later than of what it broke. */
const GRACE_MS = 250;
/** A busy page is closed in 50 ms (its process is ended); only a browser in trouble takes longer. */
const CLOSE_WITHIN_MS = 3000;
const VIEWPORT = { width: 1280, height: 800 };
/** Of a body as it was on the wire, which it is not any more; and that it is a file to keep, for which it is shown all the same. */
const NOT_OF_THE_PAGE =
  /^(content-disposition|content-encoding|content-length|transfer-encoding|connection|keep-alive|trailer|upgrade|alt-svc)$/i;
/** As Playwright words it that the part of the browser which had the page went down. */
const HAS_CRASHED = /Target crashed|Page crashed|has been closed|Target closed/;

/** Rejects with the signal's reason; everything else is an outcome. */
export async function visit(request: RenderRequest, options: VisitOptions): Promise<RenderOutcome> {
  const { lease } = options;
  request.signal?.throwIfAborted();
  const { promise: ended, resolve: end, reject: cancel } = Promise.withResolvers<RenderOutcome>();
  // Nobody may be left to hear of it.
  ended.catch(() => {});
  const deadline = performance.now() + request.timeoutMs;
  const timer = setTimeout(
    () =>
      end(failure('RENDER_TIMEOUT', `The page was not rendered within ${(request.timeoutMs / 1000).toFixed(1)} s.`)),
    request.timeoutMs,
  );
  const onAbort = (): void => cancel(request.signal?.reason);
  request.signal?.addEventListener('abort', onAbort, { once: true });
  const stopListening = lease.browser.onGone(() =>
    end(failure('RENDER_CRASHED', 'The browser ended while it had the page.')),
  );
  const passage = options.openPassage(() =>
    end(failure('RENDER_TOO_LARGE', 'What the page loads is more than a render may transfer.')),
  );
  const opening = lease.browser.newContext(contextOptions(request, options.gatePort));
  const work = (async (): Promise<RenderOutcome> => {
    const context = await opening;
    return renderIn(context, { request, deadline, end, passage });
  })();
  const settled = work.catch(async (error: unknown) => {
    await Promise.race([ended, sleep(GRACE_MS)]);
    const why = firstLine(error);
    return failure(
      HAS_CRASHED.test(why) ? 'RENDER_CRASHED' : 'RENDER_FAILED',
      `The browser could not show the page: ${why}.`,
    );
  });
  settled.catch(() => {});
  try {
    return await Promise.race([ended, settled]);
  } finally {
    clearTimeout(timer);
    request.signal?.removeEventListener('abort', onAbort);
    stopListening();
    passage.close();
    if (!(await closeContext(opening))) {
      lease.retire('a page could not be closed');
      options.onLeftOpen();
    }
  }
}

interface Visit {
  readonly request: RenderRequest;
  readonly deadline: number;
  readonly end: (outcome: RenderOutcome) => void;
  readonly passage: Passage;
}

async function renderIn(context: BrowserContext, visit: Visit): Promise<RenderOutcome> {
  const { request, deadline, passage } = visit;
  const { waitMs, screenshot } = request;
  const access = request.access && usableBy(request.url, request.access);
  const page = await openPage(context, visit);
  const cdp = await context.newCDPSession(page);
  if (access) {
    await addCookies(context, access);
    await sendHeaders(cdp, access);
  }
  await cdp.send('Page.enable');
  const quiet = await watchQuiet(page, cdp);
  const { frameTree } = await cdp.send('Page.getFrameTree');
  const stopped = whenStopped(cdp, page, frameTree.frame.id);
  await page.goto(request.url, { waitUntil: 'commit', timeout: 0 });
  const snapshotMs = Math.min(SNAPSHOT_MS, request.timeoutMs / 5);
  const leftMs = (): number => deadline - performance.now() - snapshotMs;
  const parsed = (withinMs: number) => Promise.race([reaches(page, 'domcontentloaded', withinMs), stopped]);
  // Whatever is waited for afterwards gives way to this, or nothing would ever come.
  if (!(await parsed(leftMs() / 2))) {
    // A script that does not come holds up the rest of the document, which is there: what it waits for is given up.
    passage.close();
    await parsed(Math.min(PARSE_MS, leftMs()));
  }
  const idleCapMs = Math.min(request.idleCapMs ?? DEFAULT_IDLE_CAP_MS, leftMs() - waitMs);
  const becameIdle = await quiet.reached(idleCapMs);
  if (waitMs > 0) await sleep(Math.max(0, Math.min(waitMs, leftMs())));
  const snapshot = await takeSnapshot(cdp, request.maxHtmlLength ?? DEFAULT_MAX_HTML);
  if (snapshot.html === null)
    return failure('RENDER_TOO_LARGE', `The page became ${snapshot.length} characters long, which is too much.`);
  if (!/^https?:/.test(snapshot.url))
    return failure('RENDER_FAILED', `The page left for ${snapshot.url.slice(0, 100)}, which is no page of the web.`);
  const picture =
    screenshot === undefined
      ? null
      : await takeScreenshot(page, cdp, screenshot.fullPage, deadline - performance.now() - GRACE_MS);
  const { html } = snapshot;
  // A script may call the page what it likes.
  const finalUrl = snapshot.url.length <= MAX_URL_LENGTH ? snapshot.url : request.url;
  return { kind: 'rendered', html, finalUrl, screenshot: picture, becameIdle, blocked: passage.blocked() };
}

async function openPage(context: BrowserContext, { request, end }: Visit): Promise<Page> {
  let page: Page | null = null;
  const onNavigation = createNavigation(request, end);
  const { url, access } = request;
  const mayLoad = requestPolicy(url, {
    showsPage: request.screenshot !== undefined,
    access: access && isAccessTo(url, access) ? access : null,
  });
  let requests = 0;
  const decide = async (route: Route): Promise<void> => {
    const asked = route.request();
    if (page === null || asked.serviceWorker() !== null || asked.frame().page() !== page)
      return route.abort('blockedbyclient');
    const isNavigation = asked.isNavigationRequest();
    if (isNavigation && asked.frame() === page.mainFrame()) return onNavigation(route);
    requests += 1;
    const facts = {
      url: asked.url(),
      resourceType: asked.resourceType(),
      isSubframe: isNavigation,
      isPrefetch: /prefetch|prerender/.test(asked.headers()['sec-purpose'] ?? asked.headers().purpose ?? ''),
    };
    return requests <= MAX_REQUESTS && mayLoad(facts) ? route.continue() : route.abort('blockedbyclient');
  };
  // An answer that can't be given is one that nobody waits for: the page, or its frame, is gone.
  await context.route('**/*', (route) => decide(route).catch(() => route.abort().catch(() => {})));
  // Chromium's own blocker refuses what a page opens without being clicked at; this is for what gets past it.
  context.on('page', (other) => {
    if (page !== null && other !== page) other.close().catch(() => {});
  });
  const own = await context.newPage();
  page = own;
  own.on('dialog', (dialog) => void dialog.dismiss().catch(() => {}));
  own.on('crash', () => end(failure('RENDER_CRASHED', 'The part of the browser that had the page went down.')));
  return own;
}

/** Answers the requests for a document of the page itself: the first is ours, any other is the page's wish to be elsewhere. */
function createNavigation(request: RenderRequest, end: Visit['end']): (route: Route) => Promise<void> {
  let documentUrl: string | null = null;
  let served = 0;
  return async (route) => {
    const asked = route.request();
    const url = withoutFragment(asked.url());
    documentUrl ??= url;
    // A form that is sent by script can't be followed; by a 204, unlike by an abort, the page stays and loads on.
    if (asked.method() !== 'GET') return route.fulfill({ status: 204 });
    if (url !== documentUrl) {
      const location = movedTo(url);
      if (location !== null) end({ kind: 'moved', location });
      return route.abort('aborted');
    }
    if (served > MAX_RELOADS) {
      end(failure('RENDER_FAILED', 'The page reloads itself again and again.'));
      return route.abort('aborted');
    }
    served += 1;
    return fulfill(route, request.document);
  };
}

function fulfill(route: Route, { status, headers, body }: RenderDocument): Promise<void> {
  const joined: Record<string, string> = {};
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    if (NOT_OF_THE_PAGE.test(key)) continue;
    const before = joined[key];
    // Playwright takes cookies apart again at the line ends.
    joined[key] = before === undefined ? value : before + (key === 'set-cookie' ? '\n' : ', ') + value;
  }
  return route.fulfill({ status, headers: joined, body });
}

function contextOptions(request: RenderRequest, gatePort: number) {
  return {
    userAgent: request.userAgent,
    viewport: request.viewport ?? VIEWPORT,
    ...(request.locale !== undefined && { locale: request.locale }),
    proxy: { server: `http://${PROXY_HOST}:${gatePort}` },
    serviceWorkers: 'block' as const,
    acceptDownloads: false,
    permissions: [],
  };
}

/** Resolves when the page stops loading: a form that a script sends ends the parsing, and no DOMContentLoaded comes. */
function whenStopped(cdp: CDPSession, page: Page, mainFrameId: string): Promise<true> {
  return new Promise((resolve) => {
    cdp.on('Page.frameStoppedLoading', ({ frameId }) => {
      // It stops at about:blank too, before it is sent anywhere.
      if (frameId === mainFrameId && page.url() !== 'about:blank') resolve(true);
    });
  });
}

/** False where that takes too long. */
function closeContext(opening: Promise<BrowserContext>): Promise<boolean> {
  const closed = opening
    .then((context) => context.close())
    .then(
      () => true,
      // Of a browser that is gone; or there never was a context.
      () => true,
    );
  return Promise.race([closed, sleep(CLOSE_WITHIN_MS, false, { ref: false })]);
}

function movedTo(url: string): string | null {
  const location = URL.parse(url);
  if (location === null || !/^https?:$/.test(location.protocol) || url.length > MAX_URL_LENGTH) return null;
  location.username = '';
  location.password = '';
  return location.href;
}

const withoutFragment = (url: string): string => url.replace(/#.*$/s, '');

const firstLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
