/** What the benchmark asks of Trawl's API: starts a run, waits for its end, reads which pages it got. */
import { setTimeout as delay } from 'node:timers/promises';
import { type CreateRunInput, isFinal, pageListSchema, progressSchema, runAcceptedSchema } from '@trawl/contracts';
import { Pool } from 'undici';
import type { z } from 'zod';
import { CONCURRENCY } from './bare-crawl.ts';

export interface CrawlTimes {
  readonly runId: string;
  /** From the POST to the first answer that says `completed`. */
  readonly elapsedMs: number;
}

export interface Api {
  untilReady(): Promise<void>;
  crawl(start: string): Promise<CrawlTimes>;
  processedUrls(runId: string): Promise<string[]>;
  close(): Promise<void>;
}

const READY_MS = 60_000;
/** How exact the end of a crawl is known. Asked more often, the asking would itself be a good part of the load. */
const POLL_SHARE = 0.02;
const LEAST_POLL_MS = 20;
const LONGEST_CRAWL_MS = 120_000;
const PAGES_AT_ONCE = 500;

/** As much as the bare loop is let to do, and nothing that would leave a page out. */
const runOf = (start: string): CreateRunInput => ({
  url: start,
  scope: 'host',
  include: ['/**/*.html'],
  maxDepth: 1000,
  maxPages: 100_000,
  maxParallelPerHost: CONCURRENCY,
  guards: { templateQuota: 1_000_000 },
  render: 'never',
});

export function openApi(url: string): Api {
  const pool = new Pool(url, { connections: 2 });
  const get = async <T extends z.ZodType>(path: string, schema: T): Promise<z.output<T>> => {
    const { statusCode, body } = await pool.request({ path, method: 'GET' });
    if (statusCode !== 200) throw new Error(`GET ${path} answers ${statusCode}: ${await body.text()}`);
    return schema.parse(await body.json());
  };
  return {
    untilReady: async () => {
      const untilMs = Date.now() + READY_MS;
      while (!(await isReady(pool))) {
        if (Date.now() > untilMs) throw new Error(`Not every role was ready after ${READY_MS / 1000} s.`);
        await delay(50);
      }
    },
    crawl: async (start) => {
      const startedAt = performance.now();
      const { statusCode, body } = await pool.request({
        path: '/v1/runs',
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(runOf(start)),
      });
      if (statusCode !== 202) throw new Error(`POST /v1/runs answers ${statusCode}: ${await body.text()}`);
      const { id } = runAcceptedSchema.parse(await body.json());
      for (;;) {
        await delay(Math.max(LEAST_POLL_MS, POLL_SHARE * (performance.now() - startedAt)));
        const progress = await get(`/v1/runs/${id}/progress`, progressSchema);
        const elapsedMs = performance.now() - startedAt;
        if (progress.status === 'completed') return { runId: id, elapsedMs };
        if (isFinal(progress.status)) throw new Error(`The run ended as ${progress.status}.`);
        if (elapsedMs > LONGEST_CRAWL_MS) {
          throw new Error(`The run was not over after ${LONGEST_CRAWL_MS / 1000} s: ${JSON.stringify(progress)}`);
        }
      }
    },
    processedUrls: async (runId) => {
      const urls: string[] = [];
      let cursor: string | null = null;
      do {
        const after: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
        const list: z.output<typeof pageListSchema> = await get(
          `/v1/runs/${runId}/pages?outcome=processed&limit=${PAGES_AT_ONCE}${after}`,
          pageListSchema,
        );
        urls.push(...list.items.map((page) => page.url));
        cursor = list.nextCursor;
      } while (cursor !== null);
      return urls;
    },
    close: () => pool.destroy(),
  };
}

async function isReady(pool: Pool): Promise<boolean> {
  try {
    const { statusCode, body } = await pool.request({ path: '/readyz', method: 'GET' });
    await body.dump();
    return statusCode === 200;
  } catch {
    // Not listening yet: the very thing that is asked.
    return false;
  }
}
