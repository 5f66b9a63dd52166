/**
 * What the command line asks of the API, over HTTP like any other client. Reads are repeated while the API is away for a
 * moment (a restart takes seconds); starting a run is not.
 */
import { setTimeout as delay } from 'node:timers/promises';
import {
  type CreateRunInput,
  type Page,
  type PageSummary,
  type Progress,
  pageListSchema,
  pageSchema,
  problemSchema,
  progressSchema,
  type RunAccepted,
  runAcceptedSchema,
  runSchema,
  TrawlError,
} from '@trawl/contracts';
import type { ExportFormat } from '@trawl/exports';
import type { z } from 'zod';

type StartRunResult = { kind: 'accepted'; run: RunAccepted } | { kind: 'refused'; message: string };

export interface ApiClient {
  isReady(): Promise<boolean>;
  startRun(input: CreateRunInput): Promise<StartRunResult>;
  progress(runId: string): Promise<Progress>;
  /** What a person should know of a run that is over. */
  warnings(runId: string): Promise<readonly string[]>;
  /** Also fine when the run has ended already. */
  cancel(runId: string): Promise<void>;
  /** Every page of a run, processed or not, over as many requests as it takes. */
  pages(runId: string): AsyncGenerator<PageSummary>;
  page(pageId: string): Promise<Page>;
  /** A PNG, by the path that its page says. */
  screenshot(path: string): Promise<Uint8Array>;
  /** The pages of a run as a file, as it comes. A failure in the middle is one of reading it. */
  exportRun(runId: string, format: ExportFormat): Promise<ReadableStream<Uint8Array>>;
}

const REQUEST_MS = 30_000;
const AWAY_MS = 15_000;
const AGAIN_MS = 250;
const PAGES_AT_ONCE = 500;

/** Without a key for an API that asks for none. */
export function createApiClient(baseUrl: string, apiKey?: string): ApiClient {
  const request = (
    path: string,
    init: { method?: string; headers?: Record<string, string>; body?: string } = {},
  ): Promise<Response> =>
    fetch(`${baseUrl}${path}`, {
      ...init,
      headers: { ...init.headers, ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}) },
      signal: AbortSignal.timeout(REQUEST_MS),
    });

  /** As long as it takes: what is sent may be gigabytes. One that stands still is given up by `fetch` itself, after five minutes. */
  const download = (path: string): Promise<Response> =>
    fetch(`${baseUrl}${path}`, { headers: apiKey ? { authorization: `Bearer ${apiKey}` } : {} });

  const read = async <T extends z.ZodType>(path: string, schema: T): Promise<z.output<T>> => {
    const untilMs = Date.now() + AWAY_MS;
    for (;;) {
      const reply = await request(path).catch((error: unknown) => ({ error }));
      if (reply instanceof Response && reply.ok) return schema.parse(await reply.json());
      const isAway = !(reply instanceof Response) || reply.status >= 500;
      if (!isAway || Date.now() >= untilMs) {
        const why = reply instanceof Response ? await sentenceOf(reply) : causeOf(reply.error);
        throw unavailable(`The API did not answer GET ${path}: ${why}`);
      }
      if (reply instanceof Response) await reply.body?.cancel();
      await delay(AGAIN_MS);
    }
  };

  return {
    isReady: async () => {
      try {
        const reply = await request('/readyz');
        await reply.body?.cancel();
        return reply.status === 200;
      } catch {
        // Not listening yet: the very thing that is asked.
        return false;
      }
    },
    startRun: async (input) => {
      const reply = await request('/v1/runs', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(input),
      });
      if (!reply.ok) return { kind: 'refused', message: await sentenceOf(reply) };
      return { kind: 'accepted', run: runAcceptedSchema.parse(await reply.json()) };
    },
    progress: (runId) => read(`/v1/runs/${runId}/progress`, progressSchema),
    warnings: async (runId) => (await read(`/v1/runs/${runId}`, runSchema)).warnings,
    cancel: async (runId) => {
      const reply = await request(`/v1/runs/${runId}/cancel`, { method: 'POST' });
      if (!reply.ok && reply.status !== 409) throw unavailable(`The run was not cancelled: ${await sentenceOf(reply)}`);
      await reply.body?.cancel();
    },
    pages: async function* (runId) {
      let cursor: string | null = null;
      do {
        const after: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
        const list: z.output<typeof pageListSchema> = await read(
          `/v1/runs/${runId}/pages?limit=${PAGES_AT_ONCE}${after}`,
          pageListSchema,
        );
        yield* list.items;
        cursor = list.nextCursor;
      } while (cursor !== null);
    },
    page: (pageId) => read(`/v1/pages/${pageId}`, pageSchema),
    screenshot: async (path) => {
      const reply = await download(path);
      if (!reply.ok) throw unavailable(`The screenshot ${path} can't be had: ${await sentenceOf(reply)}`);
      return reply.bytes();
    },
    exportRun: async (runId, format) => {
      const reply = await download(`/v1/runs/${runId}/export?format=${format}`);
      if (!reply.ok || reply.body === null)
        throw unavailable(`There is no export as ${format}: ${await sentenceOf(reply)}`);
      return reply.body;
    },
  };
}

/** One sentence out of a refusal: what is wrong with which field, or what the problem document says. */
async function sentenceOf(reply: Response): Promise<string> {
  const text = await reply.text();
  const problem = problemSchema.safeParse(parseLoosely(text));
  if (!problem.success) return `HTTP ${reply.status}${text ? `: ${text.slice(0, 200)}` : ''}`;
  const errors = problem.data.errors?.map(({ path, message }) => (path ? `${path}: ${message}` : message));
  return errors?.length ? errors.join('; ') : problem.data.detail || problem.data.title;
}

function unavailable(message: string): TrawlError {
  return new TrawlError('DEPENDENCY_UNAVAILABLE', message, { retryable: true });
}

function parseLoosely(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A proxy's HTML, say; the caller shows the text as it is.
    return null;
  }
}

/** The global `fetch` says "fetch failed" and keeps what happened in the cause. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}
