/**
 * One page, now: fetched at its host's turn, redirects followed, each hop by the same rules as a run's pages (robots.txt, host gate, address
 * guard, limits), rendered if it takes that, and read. Keeps nothing but its picture, and does not wait for its slot (the queue did).
 */
import { type BlobStore, keepForAWhile } from '@trawl/blobs';
import {
  type CrawlOutcome,
  type CrawlTask,
  carriedTo,
  completeRunConfig,
  createRunSchema,
  type RunConfig,
  type SiteAccess,
} from '@trawl/contracts';
import { type DocumentReader, documentKind, UnreadableDocument } from '@trawl/extract';
import type { Fetcher, FetchReply } from '@trawl/fetcher';
import { productTokenOf, type RobotsCache } from '@trawl/politeness';
import type { JobData } from '@trawl/queues';
import type { Renderer, RenderReply } from '@trawl/renderer';
import { ACCESS_OF_ONE_PAGE, openAccess, UNREADABLE_ACCESS, type Vault } from '@trawl/runtime';
import { whyDisallowed } from '@trawl/sessions';
import { hostLimits, newHolder, siteRobots, type TurnDeps, takeTurn } from '@trawl/turns';
import { hostKey } from '@trawl/url';

export interface CrawlPageDeps extends TurnDeps {
  readonly fetcher: Fetcher;
  readonly robots: RobotsCache;
  readonly robotsMaxAgeMs: number;
  /** Reads what was had: a page may take all of its crawl's time, and none of another's. */
  readonly reader: DocumentReader;
  /** Keeps the pictures that are asked for. */
  readonly blobs: BlobStore;
  /** Opens what the requests carry. */
  readonly vault: Vault;
  /** Null: there is no browser. */
  readonly renderer: Pick<Renderer, 'render'> | null;
}

const MAX_HOPS = 10;
const GRACE_MS = 1000;
/** As often as a browser may go down under a page, for whatever reason, within the crawl's time. */
const MAX_CRASHES = 3;

const SHELL = 'It looks like an empty shell that a script fills, and there is no render worker with a browser.';
const RESTLESS = 'It was not at rest after 10 s, or its time, and was taken as it was then; renderWaitMs waits longer.';

type OpenedTask = CrawlTask & { readonly userAgent: string; readonly access: SiteAccess | null };
type Failed = CrawlOutcome & { kind: 'failed' };
type Served = FetchReply & { kind: 'page' };
type ReadDocument = Awaited<ReturnType<DocumentReader['read']>>;

const failed = (code: string, message: string, httpStatus: number | null = null): Failed => ({
  kind: 'failed',
  code,
  message,
  httpStatus,
});

const late = ({ timeoutSeconds }: CrawlTask, httpStatus: number | null = null): Failed =>
  failed('TIMEOUT', `The page was not there within ${timeoutSeconds} s.`, httpStatus);

/** Rejects only for `signal`: nobody waits for it any more. */
export async function crawlPage(
  { request, access, userAgent }: JobData<'crawl'>,
  signal: AbortSignal,
  deps: CrawlPageDeps,
): Promise<CrawlOutcome> {
  const timeoutMs = request.timeoutSeconds * 1000;
  const time = AbortSignal.timeout(timeoutMs);
  const opened = openAccess(deps.vault, access, ACCESS_OF_ONE_PAGE);
  if (opened.kind === 'unreadable') return failed('ACCESS_UNREADABLE', UNREADABLE_ACCESS);
  const crawl = new PageCrawl(
    { ...request, access: opened.access, userAgent: request.userAgent ?? userAgent },
    performance.now() + timeoutMs,
    AbortSignal.any([signal, time]),
    deps,
  );
  // A browser that is slow to close the page is not waited for.
  const isOver = new Promise<CrawlOutcome>((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    time.addEventListener('abort', () => resolve(late(request, crawl.status)), { once: true });
  });
  try {
    signal.throwIfAborted();
    return await Promise.race([crawl.run(), isOver]);
  } catch (error) {
    signal.throwIfAborted();
    if (time.aborted) return late(request, crawl.status);
    if (error instanceof UnreadableDocument) return failed(error.code, error.message, crawl.status);
    deps.logger.error({ err: error, url: request.url }, 'a crawl of one page broke');
    return failed('INTERNAL', 'The crawl broke; the log of the worker says why.');
  }
}

class PageCrawl {
  /** What the server answered, once it has with a page. */
  status: number | null = null;
  readonly #request: OpenedTask;
  readonly #config: RunConfig;
  readonly #until: number;
  readonly #signal: AbortSignal;
  readonly #deps: CrawlPageDeps;
  readonly #startedAt = performance.now();

  constructor(request: OpenedTask, until: number, signal: AbortSignal, deps: CrawlPageDeps) {
    this.#request = request;
    const { url, render, renderWaitMs, viewport, locale, timeoutSeconds, respectRobots } = request;
    // The same numbers as those of a run that says nothing else.
    const input = createRunSchema.parse({
      ...{ url, render, renderWaitMs, viewport, locale, timeoutSeconds, respectRobots },
    });
    const patience = { maxHostDownSeconds: timeoutSeconds };
    this.#config = completeRunConfig({ ...input, ...patience }, request);
    this.#until = until;
    this.#signal = signal;
    this.#deps = deps;
  }

  async run(): Promise<CrawlOutcome> {
    let { url } = this.#request;
    for (let hop = 0; hop <= MAX_HOPS; hop++) {
      const reply = await this.#fetch(url);
      if (reply.kind === 'failed')
        return 'error' in reply ? failed(reply.error.code, reply.error.message, reply.status) : reply;
      if (reply.kind === 'redirect') {
        url = reply.location;
        continue;
      }
      const read = await this.#read(url, reply);
      if (read.kind !== 'moved') return read;
      url = read.location;
    }
    return failed('REDIRECT_LOOP', `It was redirected more than ${MAX_HOPS} times.`);
  }

  async #fetch(url: string): Promise<Failed | Exclude<FetchReply, { kind: 'unchanged' }>> {
    const config = this.#config;
    const host = hostKey(url);
    const { origin } = new URL(url);
    let robots = await this.#deps.robots.read(host);
    if (config.respectRobots) {
      const { access } = this.#request;
      const site = await siteRobots(origin, { ...this.#deps, config, access, isUrgent: true, signal: this.#signal });
      if (site.noWay) return failed(site.noWay.code, site.noWay.message);
      if (site.reason === 'HOST_UNAVAILABLE') return this.#resting(host);
      if (site.file === null) {
        const why = site.reason ? ` (${site.reason})` : '';
        return failed(
          'ROBOTS_UNREACHABLE',
          `robots.txt of ${origin} can't be read${why}, so nothing may be asked for.`,
        );
      }
      const why = whyDisallowed(url, site.file, config);
      if (why !== null) return failed('ROBOTS_DISALLOWED', why, -1);
      robots = site.host;
    }
    const reply = await takeTurn(
      {
        host,
        holder: newHolder(),
        limits: hostLimits(config, config.respectRobots ? robots : null),
        patienceMs: this.#leftMs(),
        signal: this.#signal,
      },
      (onSent) =>
        this.#deps.fetcher.get({
          url,
          userAgent: config.userAgent,
          // What ends with the crawl's own time ends by its signal: that says nothing of the host.
          timeoutMs: this.#leftMs() + GRACE_MS,
          maxBodyBytes: config.maxBodyBytes,
          keepsHead: true,
          ...(config.locale !== null && { language: config.locale }),
          ...carriedTo(url, this.#request.access),
          signal: this.#signal,
          onSent,
        }),
      this.#deps,
    );
    if (reply === null) return this.#resting(host);
    if (reply.kind === 'unchanged') throw new Error('nothing was known of it, and it is unchanged');
    return reply;
  }

  async #resting(host: string): Promise<Failed> {
    const [facts] = await this.#deps.gate.describe([host]);
    const seconds = Math.ceil((facts?.blockedForMs ?? 0) / 1000);
    const why =
      seconds > 0
        ? `${host} is given a rest for ${seconds} s more, after ${facts?.reason ?? 'errors'}`
        : `${host} has had no place for it`;
    return failed('HOST_UNAVAILABLE', `${why}; this crawl does not wait for so long.`);
  }

  async #read(url: string, reply: Served): Promise<CrawlOutcome | { kind: 'moved'; location: string }> {
    const { renderer } = this.#deps;
    const { body, contentType } = reply;
    this.status = reply.status;
    const { formats } = this.#request;
    const mustRender = formats.includes('screenshot') || this.#config.render === 'always';
    if (mustRender && renderer === null) return failed('RENDER_UNAVAILABLE', 'No render worker has a browser.');
    const isHtml = documentKind(body, contentType) === 'html';
    const served = mustRender && isHtml ? null : await this.#document(url, body, contentType);
    const isToRender = isHtml && this.#config.render !== 'never' && (served === null || served.isShell);
    if (renderer !== null && isToRender) {
      const result = await this.#render(renderer, url, reply);
      if (result.kind === 'moved') return result;
      if (result.kind === 'rendered') {
        const html = Buffer.from(result.html);
        const page = await this.#document(result.finalUrl, html, 'text/html; charset=utf-8');
        const shot = result.screenshot === null ? null : await keepForAWhile(this.#deps.blobs, result.screenshot);
        const warnings = [
          ...(result.becameIdle ? [] : [RESTLESS]),
          ...(shot === null && formats.includes('screenshot') ? ['It could not be painted in time.'] : []),
        ];
        return {
          kind: 'page',
          page: this.#answer(result.finalUrl, reply, html, page, { isRendered: true, warnings }),
          shot,
        };
      }
      const { code, message } = result.error;
      if (code === 'RENDER_TIMEOUT') return late(this.#request, reply.status);
      // As if there were none at all, where it can do without.
      if (code !== 'RENDER_UNAVAILABLE' || served === null) return failed(code, message, reply.status);
    }
    const page = served ?? (await this.#document(url, body, contentType));
    const warnings = [
      ...(isToRender ? [SHELL] : []),
      ...(formats.includes('screenshot') ? ['Only HTML has a picture.'] : []),
    ];
    return { kind: 'page', page: this.#answer(url, reply, body, page, { isRendered: false, warnings }), shot: null };
  }

  async #render(renderer: Pick<Renderer, 'render'>, url: string, reply: Served): Promise<RenderReply> {
    const { locale, viewport, renderWaitMs, userAgent, maxBodyBytes } = this.#config;
    for (let crashes = 1; ; crashes++) {
      const result = await renderer.render({
        url,
        document: { status: reply.status, headers: reply.head?.headers ?? [], body: reply.body },
        userAgent,
        timeoutMs: this.#leftMs(),
        waitMs: renderWaitMs,
        maxHtmlLength: maxBodyBytes,
        viewport,
        ...(locale !== null && { locale }),
        ...(this.#request.formats.includes('screenshot') && { screenshot: { fullPage: true } }),
        access: this.#request.access,
        signal: this.#signal,
      });
      const hasCrashed = result.kind === 'failed' && result.error.code === 'RENDER_CRASHED';
      if (!hasCrashed || crashes === MAX_CRASHES) return result;
    }
  }

  #document(url: string, body: Buffer, contentType: string | null): Promise<ReadDocument> {
    const { mainContent, includeSelectors, excludeSelectors } = this.#request;
    return this.#deps.reader.read(body, contentType, {
      ...{ url, mainContent, includeSelectors, excludeSelectors },
      chunks: this.#config.output.chunks,
      productToken: productTokenOf(this.#config.userAgent),
      signal: this.#signal,
    });
  }

  #answer(
    finalUrl: string,
    reply: Served,
    body: Buffer,
    page: ReadDocument,
    { isRendered, warnings }: { readonly isRendered: boolean; readonly warnings: string[] },
  ): (CrawlOutcome & { kind: 'page' })['page'] {
    const { url, formats } = this.#request;
    const wants = (format: CrawlTask['formats'][number]): boolean => formats.includes(format);
    return {
      url,
      finalUrl,
      title: page.title,
      language: page.language,
      markdown: wants('markdown') ? page.markdown : null,
      text: wants('text') ? page.text : null,
      html: wants('html') ? body.toString('utf8') : null,
      links: wants('links') ? page.links.map((link) => ({ ...link })) : null,
      metadata: { ...page.metadata, robots: page.robots },
      httpStatus: reply.status,
      contentType: reply.contentType,
      rendered: isRendered,
      warnings,
      elapsedMs: Math.round(performance.now() - this.#startedAt),
    };
  }

  #leftMs(): number {
    return Math.max(1, this.#until - performance.now());
  }
}
