/** `GET /v1/runs/:id/errors`: what went wrong in a run, grouped by code and host; live while it runs, the same afterwards. */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import { isFinal, runErrorsSchema } from '@trawl/contracts';
import { groupErrors } from '@trawl/db';
import type { ApiDeps } from '../deps.ts';
import { problem } from '../problem.ts';
import { anyTime, badRequest, json, limitParam, notFound, runParams } from '../route-parts.ts';
import { statusOf } from './progress-view.ts';
import { findRun, noSuchRun } from './read-run.ts';

const OUTCOMES = ['failed', 'skipped'] as const;

const listErrorsRoute = createRoute({
  method: 'get',
  path: '/v1/runs/{id}/errors',
  summary: 'Failed and skipped URLs of a run, grouped by code and host',
  request: {
    params: runParams,
    query: z.object({
      limit: limitParam({ most: 1000, usually: 100 }),
      outcome: z.enum(OUTCOMES).optional().openapi({ description: 'Both unless given' }),
    }),
  },
  responses: { 200: json('The groups', runErrorsSchema), ...badRequest, ...notFound, ...anyTime },
});

export function serveListErrors(app: OpenAPIHono, deps: ApiDeps): void {
  app.openapi(listErrorsRoute, async (c) => {
    const { id } = c.req.valid('param');
    const run = await findRun(deps, id);
    if (run === null) return problem(c, 'NOT_FOUND', noSuchRun(id));
    const { limit, outcome } = c.req.valid('query');
    const asked = { limit, outcomes: outcome === undefined ? OUTCOMES : [outcome] };
    const runId = run.row.id;
    // Rows of failed URLs are written by finalization, so until then only Redis knows them.
    const isOver = isFinal(statusOf(run.row, run.live)) || run.live === null;
    const { total, groups, truncated } = isOver
      ? await groupErrors(deps.db, runId, asked)
      : await deps.state.errors(runId, asked);
    return c.json({ runId, total, items: [...groups], truncated }, 200);
  });
}
