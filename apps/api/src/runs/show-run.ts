/** `GET` of one run: itself, its progress (at two addresses), and why it is not finished. */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import { isFinal, progressSchema, runSchema, runWhySchema } from '@trawl/contracts';
import type { ApiDeps } from '../deps.ts';
import { problem } from '../problem.ts';
import { anyTime, json, notFound, runParams } from '../route-parts.ts';
import { explainWhy } from './explain-why.ts';
import { progressView, statusOf } from './progress-view.ts';
import { findProgress, findRun, noSuchRun, runView } from './read-run.ts';

const showRunRoute = createRoute({
  method: 'get',
  path: '/v1/runs/{id}',
  summary: 'A run with its configuration',
  request: { params: runParams },
  responses: { 200: json('The run', runSchema), ...notFound, ...anyTime },
});

const progressRoute = createRoute({
  method: 'get',
  path: '/v1/runs/{id}/progress',
  summary: 'The numbers of a run, live while it runs and the same for good afterwards',
  request: { params: runParams },
  responses: { 200: json('The numbers', progressSchema), ...notFound, ...anyTime },
});

const sourceProgressRoute = createRoute({
  method: 'get',
  path: '/v1/sources/{sourceId}/runs/{id}/progress',
  summary: 'The numbers of a run of this source',
  request: {
    params: runParams.extend({ sourceId: z.string().openapi({ param: { name: 'sourceId', in: 'path' } }) }),
  },
  responses: { 200: json('The numbers', progressSchema), ...notFound, ...anyTime },
});

const whyRoute = createRoute({
  method: 'get',
  path: '/v1/runs/{id}/why',
  summary: 'Why a run is not finished',
  request: { params: runParams },
  responses: { 200: json('What it waits for', runWhySchema), ...notFound, ...anyTime },
});

export function serveShowRun(app: OpenAPIHono, deps: ApiDeps): void {
  app.openapi(showRunRoute, async (c) => {
    const { id } = c.req.valid('param');
    const run = await findRun(deps, id);
    return run === null ? problem(c, 'NOT_FOUND', noSuchRun(id)) : c.json(runView(run), 200);
  });

  app.openapi(progressRoute, async (c) => {
    const { id } = c.req.valid('param');
    const progress = await findProgress(deps, id);
    return progress === null ? problem(c, 'NOT_FOUND', noSuchRun(id)) : c.json(progress, 200);
  });

  app.openapi(sourceProgressRoute, async (c) => {
    const { id, sourceId } = c.req.valid('param');
    const run = await findRun(deps, id);
    if (run === null || run.row.sourceId !== sourceId)
      return problem(c, 'NOT_FOUND', `The source has no run ${JSON.stringify(id.slice(0, 100))}.`);
    return c.json(progressView(run.row, run.live), 200);
  });

  app.openapi(whyRoute, async (c) => {
    const { id } = c.req.valid('param');
    const run = await findRun(deps, id);
    if (run === null) return problem(c, 'NOT_FOUND', noSuchRun(id));
    const runId = run.row.id;
    const status = statusOf(run.row, run.live);
    // What Redis still remembers of a run that is over (its sets live a while longer) keeps nothing from finishing.
    const why = isFinal(status) ? null : await deps.state.why(runId);
    const hosts = why === null ? [] : await deps.gate.describe(why.hosts.map(({ host }) => host));
    return c.json(explainWhy({ runId, status, why, hosts, now: new Date() }), 200);
  });
}
