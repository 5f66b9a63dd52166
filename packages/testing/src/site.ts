/**
 * A real web site on loopback whose owner keeps a record: which path was asked for how often, when, with which headers,
 * and how many requests were under way at once. Generates no pages (generate-site does).
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface SitePage {
  /** 200 unless given, or 302 with `redirect`. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** The answer begins this much later. */
  readonly delayMs?: number;
  /** Sent as `Location`. */
  readonly redirect?: string;
  /** The connection is cut instead of an answer. */
  readonly hangUp?: boolean;
}

/** Asked for by every polite crawler, and no pages: kept apart in the record. */
const ROBOTS = '/robots.txt';
const SITEMAP = /sitemap[^/]*\.(?:xml|txt)(?:\.gz)?$/;

export interface SiteRequest {
  /** Path with query. */
  readonly path: string;
  readonly method: string;
  readonly headers: IncomingMessage['headers'];
  /** `performance.now()` when its head had arrived. */
  readonly startedAt: number;
}

/** Decides each answer anew; `attempt` counts the requests for this path from 1. Undefined is a 404. */
export type SiteHandler = (
  request: SiteRequest,
  attempt: number,
) => SitePage | undefined | Promise<SitePage | undefined>;

export interface FixtureSite {
  /** Without a slash at its end: `site.origin + path`. */
  readonly origin: string;
  readonly host: string;
  readonly port: number;
  url(path: string): string;
  /** Every request for a page so far, in order of arrival. */
  requests(): readonly SiteRequest[];
  /** The same for robots.txt, which is no page and in none of the other records. A 404 unless the site has one. */
  robotsRequests(): readonly SiteRequest[];
  /** The same for whatever is called like a sitemap. */
  sitemapRequests(): readonly SiteRequest[];
  count(path: string): number;
  counts(): ReadonlyMap<string, number>;
  /** The most requests that were ever under way at once. */
  maxInFlight(): number;
  inFlight(): number;
  resetRecord(): void;
  /** Closes open connections too. */
  close(): Promise<void>;
}

export interface SiteOptions {
  readonly pages: ReadonlyMap<string, SitePage> | SiteHandler;
  /** Another loopback address is another host to a crawler: 127.0.0.2, 127.0.0.3 … */
  readonly host?: string;
  readonly port?: number;
}

export async function startSite(options: SiteOptions): Promise<FixtureSite> {
  const { pages, host = '127.0.0.1' } = options;
  const answerOf: SiteHandler = typeof pages === 'function' ? pages : (request) => pages.get(request.path);
  let requests: SiteRequest[] = [];
  let robotsRequests: SiteRequest[] = [];
  let sitemapRequests: SiteRequest[] = [];
  let counts = new Map<string, number>();
  let inFlight = 0;
  let maxInFlight = 0;

  const server = createServer((incoming, response) => {
    const request = recordOf(incoming);
    const record = request.path === ROBOTS ? robotsRequests : SITEMAP.test(request.path) ? sitemapRequests : requests;
    record.push(request);
    const attempt = record === robotsRequests ? record.length : (counts.get(request.path) ?? 0) + 1;
    if (record === requests) counts.set(request.path, attempt);
    inFlight += 1;
    maxInFlight = Math.max(maxInFlight, inFlight);
    // 'close' comes once, whether the answer was sent or the client went away.
    response.once('close', () => {
      inFlight -= 1;
    });
    void answer(answerOf, request, attempt, response);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, host, resolve);
  });
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const { port } = server.address() as AddressInfo;
  const origin = `http://${host}:${port}`;

  return {
    origin,
    host,
    port,
    url: (path) => new URL(path, origin).href,
    requests: () => requests,
    robotsRequests: () => robotsRequests,
    sitemapRequests: () => sitemapRequests,
    count: (path) => counts.get(path) ?? 0,
    counts: () => counts,
    maxInFlight: () => maxInFlight,
    inFlight: () => inFlight,
    resetRecord: () => {
      requests = [];
      robotsRequests = [];
      sitemapRequests = [];
      counts = new Map();
      maxInFlight = inFlight;
    },
    close: async () => {
      if (!server.listening) return;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function recordOf(incoming: IncomingMessage): SiteRequest {
  return {
    path: incoming.url ?? '/',
    method: incoming.method ?? 'GET',
    headers: incoming.headers,
    startedAt: performance.now(),
  };
}

async function answer(
  answerOf: SiteHandler,
  request: SiteRequest,
  attempt: number,
  response: ServerResponse,
): Promise<void> {
  let page: SitePage;
  try {
    page = (await answerOf(request, attempt)) ?? { status: 404, body: 'Not found' };
  } catch (error) {
    // The test's own handler is wrong: say so where the test will see it, in the page.
    page = { status: 500, body: `The site's handler threw: ${String(error)}` };
  }
  if (page.delayMs) await sleep(page.delayMs);
  if (page.hangUp) {
    response.socket?.destroy();
    return;
  }
  const status = page.status ?? (page.redirect === undefined ? 200 : 302);
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    ...(page.redirect === undefined ? {} : { location: page.redirect }),
    ...page.headers,
  });
  response.end(request.method === 'HEAD' ? undefined : page.body);
}
