/**
 * The render role: sessions whose pages a browser reads, and single pages that somebody waits for. That there is a browser is told by a
 * sign of life of its own, since nobody waits for one that is not there; single pages are read without one too.
 */
import { createDocumentReader } from '@trawl/extract';
import { consumeCrawls } from '@trawl/queues';
import type { Renderer } from '@trawl/renderer';
import { BROWSER, startHeartbeat, watchBrowsers } from '@trawl/runtime';
import { createSessionWorker, type SessionWorkerDeps } from '@trawl/sessions';
import { createBrowse } from './browse.ts';
import { crawlPage } from './crawl-page.ts';

export interface RenderWorkerDeps extends Omit<SessionWorkerDeps, 'queue' | 'browse' | 'canRender' | 'limits'> {
  /** Null: there is no browser. */
  readonly renderer: Renderer | null;
  readonly limits: { readonly pages: number; readonly inlineBodyBytes: number; readonly robotsMaxAgeMs: number };
}

export interface RenderWorker {
  close(): Promise<void>;
}

/** The queue's own limit is what counts; this is a bound for a machine that is alone with it. */
const CRAWLS_AT_ONCE = 50;

export function createRenderWorker(deps: RenderWorkerDeps): RenderWorker {
  const { redis, prefix, logger, renderer } = deps;
  const { robotsMaxAgeMs } = deps.limits;
  const stopping = new AbortController();
  const browsing = renderer === null ? null : keepBrowsing(deps, renderer);
  const anyBrowser = watchBrowsers(redis, prefix);
  const reader = createDocumentReader();
  const crawls = consumeCrawls(
    (data, signal) =>
      crawlPage(data, AbortSignal.any([signal, stopping.signal]), { ...deps, robotsMaxAgeMs, renderer, reader }),
    {
      ...{ connection: redis, prefix, concurrency: CRAWLS_AT_ONCE, logger },
      // What it takes to read a page is known only once it was looked at, so those go first who can do all of it.
      givesWay: async () => !browsing?.isAble() && (await anyBrowser()),
    },
  );
  return {
    async close() {
      const closing = Promise.all([crawls.close(), browsing?.close()]);
      const patience = setTimeout(() => stopping.abort(), HAND_BACK_MS);
      await closing;
      clearTimeout(patience);
      await reader.close();
    },
  };
}

/** A process that stops has 10 s, and a browser takes some of them to end. */
const HAND_BACK_MS = 6000;
const LOOK_MS = 1000;

/** Sessions that render, and a sign of life of their browser, for as long as it can be started; else tries again and again. */
function keepBrowsing(deps: RenderWorkerDeps, renderer: Renderer): { isAble(): boolean; close(): Promise<void> } {
  const { logger } = deps;
  let browsing: Browsing | null = startBrowsing(deps, renderer);
  const look = async (): Promise<void> => {
    if (browsing !== null && !renderer.isAble()) {
      const { problem } = renderer.facts();
      logger.warn({ problem }, 'pages that need a browser wait, or are kept as they are');
      const ending = browsing;
      browsing = null;
      await ending.close();
    } else if (browsing === null && (await renderer.probe())) {
      logger.info('there is a browser again');
      browsing = startBrowsing(deps, renderer);
    }
  };
  let looking: Promise<void> | null = null;
  const timer = setInterval(() => {
    looking ??= look()
      .catch((err: unknown) => logger.error({ err }, 'looking after the browser broke'))
      .finally(() => {
        looking = null;
      });
  }, LOOK_MS);
  return {
    isAble: () => browsing !== null,
    async close() {
      clearInterval(timer);
      await looking;
      await browsing?.close();
    },
  };
}

interface Browsing {
  close(): Promise<void>;
}

function startBrowsing(deps: RenderWorkerDeps, renderer: Renderer): Browsing {
  const { redis, prefix, logger } = deps;
  const { pages, inlineBodyBytes, robotsMaxAgeMs } = deps.limits;
  const sessions = createSessionWorker({
    ...deps,
    queue: 'render',
    canRender: async () => true,
    browse: createBrowse(renderer),
    // A page that is slow keeps its place in the browser, so its place among the requests too.
    limits: { sessions: pages, requests: pages, slowRequests: 0, sessionSlots: pages, inlineBodyBytes, robotsMaxAgeMs },
  });
  const heartbeat = startHeartbeat(redis, BROWSER, { prefix, logger });
  return {
    async close() {
      await heartbeat.stop();
      await sessions.close();
    },
  };
}
