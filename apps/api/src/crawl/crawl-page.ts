/**
 * `POST /v1/crawl`: one page now. Waits in line for one of the slots that all API processes share, holding nothing but the request; then
 * for the page. The two waits have limits of their own. A client that goes away gives its place back.
 */
import { createRoute, type OpenAPIHono } from '@hono/zod-openapi';
import {
  type CrawlOutcome,
  type CrawlRequest,
  crawlAnswerSchema,
  crawlErrorSchema,
  crawlRequestSchema,
} from '@trawl/contracts';
import { privateAddressProblem } from '@trawl/fetcher';
import type { Crawl } from '@trawl/queues';
import type { Context } from 'hono';
import { type InputError, inputErrors } from '../bad-input.ts';
import type { ApiDeps } from '../deps.ts';
import { isDependencyDown } from '../failures.ts';
import { jsonBody, type RefuseBody } from '../json-body.ts';
import { accessErrors, sealForPage } from '../keep-access.ts';
import { json } from '../route-parts.ts';
import { shotPath } from './show-shot.ts';

const BUSY = 'Service too busy, please retry later';
/** What a client that was turned away is told to wait, in seconds. */
const RETRY_AFTER = '60';
/** A worker that keeps to its time tells of it within this. */
const GRACE_MS = 5000;

const refusal = (description: string) => json(description, crawlErrorSchema);

const crawlRoute = (maxRequestBytes: number) =>
  createRoute({
    method: 'post',
    path: '/v1/crawl',
    summary: 'Crawl one page now',
    middleware: [jsonBody(maxRequestBytes, { refuse: refuseBody })] as const,
    request: { body: { required: true, content: { 'application/json': { schema: crawlRequestSchema } } } },
    responses: {
      200: json('The page', crawlAnswerSchema),
      400: refusal('The request is not valid, or its address may not be asked for'),
      401: refusal('An API key is needed'),
      403: refusal('robots.txt disallows it'),
      413: refusal('The body is too large'),
      415: refusal('The body is not JSON'),
      422: refusal('The content is of a type that is not read'),
      502: refusal('The page could not be had'),
      503: refusal('All slots were taken for too long, or Redis does not answer; Retry-After says when to come back'),
      504: refusal('The crawl took longer than its timeoutSeconds'),
    },
  });

type Refused = 400 | 401 | 403 | 413 | 415 | 422 | 502 | 503 | 504;

/** What is wrong with a page, as statuses; all else is 502. */
const STATUS_OF: Readonly<Record<string, Refused>> = {
  ADDRESS_INVALID: 400,
  PRIVATE_ADDRESS: 400,
  ROBOTS_DISALLOWED: 403,
  UNSUPPORTED_TYPE: 422,
  ACCESS_UNREADABLE: 503,
  RENDER_UNAVAILABLE: 503,
  TIMEOUT: 504,
  TIMEOUT_BODY: 504,
  TIMEOUT_CONNECT: 504,
  TIMEOUT_HEADERS: 504,
};

export function serveCrawlPage(app: OpenAPIHono, deps: ApiDeps): void {
  app.openapi(
    crawlRoute(deps.settings.maxRequestBytes),
    async (c) => {
      const request = c.req.valid('json');
      const problem = deps.settings.allowPrivateNetworks ? null : privateAddressProblem(request.url);
      const errors = [
        ...(problem === null ? [] : [{ path: 'url', message: problem }]),
        ...accessErrors(request.access, deps),
      ];
      if (errors.length > 0) return badRequest(c, request.url, errors);
      try {
        const needsBrowser = request.render === 'always' || request.formats.includes('screenshot');
        if (needsBrowser && !(await deps.anyBrowser()))
          return badRequest(c, request.url, [
            {
              path: request.render === 'always' ? 'render' : 'formats',
              message: 'asks for a browser, and no render worker has one',
            },
          ]);
        return await crawl(c, request, deps);
      } catch (error) {
        if (!isDependencyDown(error)) throw error;
        deps.log.warn({ err: error, path: c.req.path }, 'a dependency is unavailable');
        return refused(
          c,
          503,
          request.url,
          'DEPENDENCY_UNAVAILABLE',
          'Redis does not answer. The request may be repeated.',
        );
      }
    },
    // The schema's refusals, in the shape of this address.
    (result, c) => (result.success ? undefined : badInput(c, inputErrors(result.error.issues))),
  );
}

const BODY_STATUS = { BAD_REQUEST: 400, BODY_TOO_LARGE: 413, UNSUPPORTED_MEDIA_TYPE: 415 } as const;

const refuseBody: RefuseBody = (c, kind, detail, o = {}) =>
  refused(c, BODY_STATUS[kind], '', kind, detail, o.errors ? { errors: [...o.errors] } : {});

export const refuseKey = (c: Context, detail: string) => refused(c, 401, '', 'UNAUTHORIZED', detail);

function badRequest(c: Context, url: string, errors: readonly InputError[]) {
  const [first] = errors;
  const sentence = first
    ? `${first.path === '' ? 'The body' : first.path} ${first.message}`
    : 'The request is not valid';
  return refused(c, 400, url, 'BAD_REQUEST', sentence, { errors: [...errors] });
}

/** Names the page that was asked for, if that is in it. */
async function badInput(c: Context, errors: readonly InputError[]) {
  const { url } = Object(await c.req.json()) as { url?: unknown };
  return badRequest(c, typeof url === 'string' ? url.slice(0, 2048) : '', errors);
}

function refused<S extends Refused>(
  c: Context,
  status: S,
  url: string,
  code: string,
  error: string,
  more: { readonly httpStatus?: number | null; readonly errors?: InputError[] } = {},
) {
  const { httpStatus = null, errors } = more;
  const body = { success: false as const, url, error, code, httpStatus, ...(errors && { errors }), timestamp: now() };
  return c.json(body, status, status === 503 ? { 'Retry-After': RETRY_AFTER } : {});
}

async function crawl(c: Context, { access, ...request }: CrawlRequest, deps: ApiDeps) {
  const { url } = request;
  const { log, settings } = deps;
  const crawlMs = request.timeoutSeconds * 1000 + GRACE_MS;
  const askedAt = performance.now();
  const waiting = await deps.crawls.ask({
    request,
    access: access ? sealForPage(access, url, deps.vault) : null,
    userAgent: settings.userAgent,
    patienceMs: settings.queueTimeoutMs + crawlMs,
  });
  // Never a refusal of its own: whoever went away reads no answer.
  const left = AbortSignal.any([c.req.raw.signal, deps.stopping]);
  const withdraw = (): void => {
    waiting.withdraw().catch((err: unknown) => log.warn({ err, url }, 'a crawl could not be withdrawn'));
  };
  left.addEventListener('abort', withdraw, { once: true });
  // Gone while it was put in line.
  if (left.aborted) withdraw();
  try {
    log.info({ url }, `Request queued for URL: ${url}, waiting for available slot`);
    if (!(await hasSlot(waiting, settings.queueTimeoutMs, left))) {
      if (deps.stopping.aborted) return stops(c, url);
      const seconds = Math.round(settings.queueTimeoutMs / 1000);
      if (!left.aborted) log.warn({ url }, `Request timed out in queue for URL: ${url} after ${seconds}s`);
      // To the letter of the contract, which has no more in it.
      return c.json({ success: false as const, url, error: BUSY, timestamp: now() }, 503, {
        'Retry-After': RETRY_AFTER,
      });
    }
    const waited = ((performance.now() - askedAt) / 1000).toFixed(2);
    log.info({ url }, `Request acquired slot for URL: ${url} after ${waited}s`);
    const outcome = await settled(waiting, crawlMs, left);
    if (deps.stopping.aborted && outcome.kind === 'failed') return stops(c, url);
    if (outcome.kind === 'page') {
      const screenshot = outcome.shot === null ? null : shotPath(outcome.shot);
      return c.json({ success: true as const, ...outcome.page, screenshot, timestamp: now() }, 200);
    }
    const { code, message, httpStatus } = outcome;
    return refused(c, STATUS_OF[code] ?? 502, url, code, message, { httpStatus });
  } finally {
    left.removeEventListener('abort', withdraw);
  }
}

/** Neither the crawl's fault nor the client's: another process answers when it asks again. */
const stops = (c: Context, url: string) =>
  refused(c, 503, url, 'SHUTTING_DOWN', 'The API is stopping. The request may be repeated.');

/** False: it is out of line, and no worker will ever have it. */
async function hasSlot(waiting: Crawl, patienceMs: number, left: AbortSignal): Promise<boolean> {
  const first = await firstOf(
    waiting.started.then(() => 'started' as const),
    patienceMs,
    left,
  );
  if (first === 'started') return true;
  if (first === 'left') return false;
  // Between the two a worker may have taken it: then it has its slot.
  if (await waiting.leave()) return false;
  const then = await firstOf(
    waiting.started.then(() => 'started' as const),
    GRACE_MS,
    left,
  );
  // It was never told of: whoever has it, nobody waits for it.
  if (then === 'late') await waiting.withdraw();
  return then === 'started';
}

async function settled(waiting: Crawl, crawlMs: number, left: AbortSignal): Promise<CrawlOutcome> {
  const outcome = waiting.outcome.catch(
    (error: unknown): CrawlOutcome => ({
      kind: 'failed',
      code: 'LOST',
      message: `The worker that had it did not finish: ${error instanceof Error ? error.message : String(error)}.`,
      httpStatus: null,
    }),
  );
  const first = await firstOf(outcome, crawlMs, left);
  if (typeof first === 'object') return first;
  if (first === 'late') {
    await waiting.withdraw();
    // Its slot is free before the answer is sent.
    await firstOf(outcome, GRACE_MS, left);
  }
  return {
    kind: 'failed',
    code: 'TIMEOUT',
    message: 'The crawl took longer than its timeoutSeconds.',
    httpStatus: null,
  };
}

async function firstOf<T>(awaited: Promise<T>, patienceMs: number, left: AbortSignal): Promise<T | 'late' | 'left'> {
  const { promise, resolve } = Promise.withResolvers<'late' | 'left'>();
  const timer = setTimeout(() => resolve('late'), patienceMs);
  const onLeft = (): void => resolve('left');
  left.addEventListener('abort', onLeft, { once: true });
  if (left.aborted) onLeft();
  try {
    return await Promise.race([awaited, promise]);
  } finally {
    clearTimeout(timer);
    left.removeEventListener('abort', onLeft);
  }
}

const now = (): string => new Date().toISOString();
