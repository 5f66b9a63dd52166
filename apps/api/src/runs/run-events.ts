/**
 * `GET /v1/runs/:id/events`: what happens in a run, as Server-Sent Events, until its final status. Every page of the run
 * comes once and in the order of its row; `Last-Event-ID` goes on after the row it names, without it the first row is first.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import { isFinal, type PageSummary, type RunId } from '@trawl/contracts';
import { parsePageId, runPagesSince } from '@trawl/db';
import { type SSEStreamingApi, streamSSE } from 'hono/streaming';
import type { ApiDeps } from '../deps.ts';
import { problem } from '../problem.ts';
import { anyTime, badRequest, notFound, runParams } from '../route-parts.ts';
import { progressView } from './progress-view.ts';
import { findRun, noSuchRun } from './read-run.ts';

/** At most two progress events a second. */
const LOOK_EVERY_MS = 500;
/** Proxies drop connections that are silent for a minute or so. */
const SILENT_FOR_MS = 15_000;
/**
 * Rows get their numbers before they are committed, so a smaller one may appear after a larger one. A row is sent when it
 * has been visible this long: a batch commits within milliseconds, and resuming after a number then never skips a row.
 */
const SETTLE_MS = 900;
const ROWS_PER_LOOK = 1000;

const runEventsRoute = createRoute({
  method: 'get',
  path: '/v1/runs/{id}/events',
  summary: 'What happens in a run: progress, page and status events until it is over',
  request: {
    params: runParams,
    headers: z.object({
      'last-event-id': z
        .string()
        .refine((value) => parsePageId(value) !== null, 'is not the id of an event')
        .optional()
        .openapi({ description: 'Go on after the page of this id' }),
    }),
  },
  responses: {
    200: { description: 'Server-Sent Events', content: { 'text/event-stream': { schema: z.string() } } },
    ...badRequest,
    ...notFound,
    ...anyTime,
  },
});

export function serveRunEvents(app: OpenAPIHono, deps: ApiDeps): void {
  app.openapi(runEventsRoute, async (c) => {
    const { id } = c.req.valid('param');
    const run = await findRun(deps, id);
    if (run === null) return problem(c, 'NOT_FOUND', noSuchRun(id));
    // Hono answers HEAD with the headers of GET and never reads the body, which would leave a loop behind.
    if (c.req.method === 'HEAD') return c.body(null, 200, { 'Content-Type': 'text/event-stream' });

    const lastEventId = c.req.valid('header')['last-event-id'];
    const after = lastEventId === undefined ? 0 : rowOf(lastEventId);
    // Nginx would collect events before it passes them on.
    c.header('X-Accel-Buffering', 'no');
    return streamSSE(c, async (stream) => {
      const ended = new AbortController();
      stream.onAbort(() => ended.abort());
      const signal = AbortSignal.any([ended.signal, deps.stopping]);
      try {
        await sendEvents(deps, run.row.id, after, stream, signal);
      } catch (error) {
        // The status line is long gone. Ending the stream makes a client come back with its Last-Event-ID.
        deps.log.warn({ err: error, runId: run.row.id }, 'an event stream ended early');
      }
    });
  });
}

async function sendEvents(
  deps: ApiDeps,
  runId: RunId,
  after: number,
  stream: SSEStreamingApi,
  signal: AbortSignal,
): Promise<void> {
  const pages = settledPages(deps, runId, after);
  let sentStatus = '';
  let sentProgress = '';
  let sentAt = Date.now();
  const send = async (event: string, data: unknown, id?: string): Promise<void> => {
    await stream.writeSSE({ event, data: JSON.stringify(data), ...(id === undefined ? {} : { id }) });
    sentAt = Date.now();
  };

  while (!signal.aborted) {
    const run = await findRun(deps, runId);
    if (run === null) return; // deleted meanwhile
    const progress = progressView(run.row, run.live);
    const over = isFinal(progress.status);

    const status = { runId, status: progress.status };
    if (!over && status.status !== sentStatus) await send('status', status);
    sentStatus = progress.status;
    for await (const page of pages.next(over)) {
      if (signal.aborted) return;
      await send('page', page, page.id);
    }
    const numbers = JSON.stringify(progress);
    if (numbers !== sentProgress) await send('progress', progress);
    sentProgress = numbers;
    if (over) return send('status', status);

    if (Date.now() - sentAt > SILENT_FOR_MS) {
      await stream.write(': still here\n\n');
      sentAt = Date.now();
    }
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => {}); // aborted: the loop's condition says so
  }
}

/** The rows after `after`, in order, each once; see SETTLE_MS. When the run is over all rows are committed, and none waits. */
function settledPages(deps: ApiDeps, runId: RunId, after: number) {
  let cursor = after;
  /** When each row that still waits was first seen. */
  let firstSeen = new Map<string, number>();

  async function* next(over: boolean): AsyncGenerator<PageSummary> {
    for (;;) {
      const pages = await runPagesSince(deps.db, runId, cursor, ROWS_PER_LOOK);
      const now = Date.now();
      firstSeen = new Map(pages.map(({ id }) => [id, firstSeen.get(id) ?? now]));
      const settledAt = over ? now : now - SETTLE_MS;
      const last = pages.findLastIndex(({ id }) => (firstSeen.get(id) ?? now) <= settledAt);
      for (const page of pages.slice(0, last + 1)) {
        cursor = rowOf(page.id);
        yield page;
      }
      // Less than a full look, or one whose end has yet to settle: the next look is the next chance.
      if (last + 1 < ROWS_PER_LOOK) return;
    }
  }
  return { next };
}

/** A page's public id names its row in the run. */
function rowOf(pageId: string): number {
  const row = parsePageId(pageId);
  if (row === null) throw new Error(`${pageId} is not the id of a page`);
  return row;
}
