/** `GET /v1/runs` and `GET /v1/sources/:id/runs`: newest first, each with the status it has now. */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import { isFinal, RUN_STATUSES, type RunStatus, runListSchema, type SourceId } from '@trawl/contracts';
import { listRuns } from '@trawl/db';
import type { Context } from 'hono';
import type { ApiDeps } from '../deps.ts';
import { badCursor, problem } from '../problem.ts';
import { anyTime, badRequest, cursorParam, json, limitParam, notFound, sourceParams } from '../route-parts.ts';
import { findSource, noSuchSource } from '../sources/find-source.ts';
import { runSummaryView } from './read-run.ts';

const query = z.object({
  limit: limitParam({ most: 100, usually: 20 }),
  cursor: cursorParam,
  status: z.enum(RUN_STATUSES).optional(),
});

const listRunsRoute = createRoute({
  method: 'get',
  path: '/v1/runs',
  summary: 'Runs, newest first',
  request: { query },
  responses: { 200: json('A part of the list', runListSchema), ...badRequest, ...anyTime },
});

const listSourceRunsRoute = createRoute({
  method: 'get',
  path: '/v1/sources/{id}/runs',
  summary: 'The runs of a source, newest first',
  request: { params: sourceParams, query },
  responses: { 200: json('A part of the list', runListSchema), ...badRequest, ...notFound, ...anyTime },
});

export function serveListRuns(app: OpenAPIHono, deps: ApiDeps): void {
  app.openapi(listRunsRoute, (c) => answerRuns(c, deps, c.req.valid('query')));

  app.openapi(listSourceRunsRoute, async (c) => {
    const { id } = c.req.valid('param');
    const source = await findSource(deps, id);
    if (source === null) return problem(c, 'NOT_FOUND', noSuchSource(id));
    return answerRuns(c, deps, { ...c.req.valid('query'), sourceId: source.id });
  });
}

async function answerRuns(c: Context, deps: ApiDeps, asked: z.output<typeof query> & { sourceId?: SourceId }) {
  const { status } = asked;
  const listed = await listRuns(deps.db, { ...asked, status: storedAs(status) });
  if (listed.kind === 'bad-cursor') return badCursor(c);
  const runs = await Promise.all(
    listed.items.map(async (row) =>
      runSummaryView({ row, live: isFinal(row.status) ? null : await deps.state.progress(row.id) }),
    ),
  );
  // A row's status may lag a moment behind Redis; a list of running runs must not show a finished one.
  const items = status === undefined ? runs : runs.filter((run) => run.status === status);
  return c.json({ items, nextCursor: listed.nextCursor }, 200);
}

/** Rows know no `discovering`: to them such a run is running. */
const storedAs = (status: RunStatus | undefined): RunStatus | undefined =>
  status === 'discovering' ? 'running' : status;
