/**
 * The render role: sessions whose pages a browser reads, and single pages that somebody waits for. That there is a browser is told by a
 * sign of life of its own, since nobody waits for one that is not there; single pages are read without one too.
 */
import { consumeCrawls } from '@trawl/queues';
import type { Renderer } from '@trawl/renderer';
import { BROWSER, type Heartbeat, startHeartbeat } from '@trawl/runtime';
import { createSessionWorker, type SessionWorker, type SessionWorkerDeps } from '@trawl/sessions';
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
  const crawls = consumeCrawls(
    (data, signal) =>
      crawlPage(data, AbortSignal.any([signal, stopping.signal]), { ...deps, robotsMaxAgeMs, renderer }),
    { connection: redis, prefix, concurrency: CRAWLS_AT_ONCE, logger },
  );
  const browsing = renderer === null ? null : startBrowsing(deps, renderer);
  return {
    async close() {
      await browsing?.heartbeat.stop();
      const closing = Promise.all([crawls.close(), browsing?.sessions.close()]);
      const patience = setTimeout(() => stopping.abort(), HAND_BACK_MS);
      await closing;
      clearTimeout(patience);
    },
  };
}

/** A process that stops has 10 s. */
const HAND_BACK_MS = 7000;

function startBrowsing(
  deps: RenderWorkerDeps,
  renderer: Renderer,
): { readonly sessions: SessionWorker; readonly heartbeat: Heartbeat } {
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
  return { sessions, heartbeat: startHeartbeat(redis, BROWSER, { prefix, logger }) };
}
