/** `GET /v1/runs`: newest first, each with the status it has now. */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import { isFinal, RUN_STATUSES, type RunStatus, runListSchema } from '@trawl/contracts';
import { listRuns } from '@trawl/db';
import type { ApiDeps } from '../deps.ts';
import { badCursor } from '../problem.ts';
import { anyTime, badRequest, cursorParam, json, limitParam } from '../route-parts.ts';
import { runSummaryView } from './read-run.ts';

const listRunsRoute = createRoute({
  method: 'get',
  path: '/v1/runs',
  summary: 'Runs, newest first',
  request: {
    query: z.object({
      limit: limitParam({ most: 100, usually: 20 }),
      cursor: cursorParam,
      status: z.enum(RUN_STATUSES).optional(),
    }),
  },
  responses: { 200: json('A part of the list', runListSchema), ...badRequest, ...anyTime },
});

export function serveListRuns(app: OpenAPIHono, deps: ApiDeps): void {
  app.openapi(listRunsRoute, async (c) => {
    const { limit, cursor, status } = c.req.valid('query');
    const listed = await listRuns(deps.db, { limit, cursor, status: storedAs(status) });
    if (listed.kind === 'bad-cursor') return badCursor(c);
    const runs = await Promise.all(
      listed.items.map(async (row) =>
        runSummaryView({ row, live: isFinal(row.status) ? null : await deps.state.progress(row.id) }),
      ),
    );
    // A row's status may lag a moment behind Redis; a list of running runs must not show a finished one.
    const items = status === undefined ? runs : runs.filter((run) => run.status === status);
    return c.json({ items, nextCursor: listed.nextCursor }, 200);
  });
}

/** Rows know no `discovering`: to them such a run is running. */
const storedAs = (status: RunStatus | undefined): RunStatus | undefined =>
  status === 'discovering' ? 'running' : status;
