/** `POST /v1/runs/:id/pause|resume|cancel`. Whether the status allows it is decided by the run's state, in one step. */
import { createRoute, type OpenAPIHono } from '@hono/zod-openapi';
import { assertNever, type RunStatus, runSchema } from '@trawl/contracts';
import { setRunStatus } from '@trawl/db';
import type { ApiDeps } from '../deps.ts';
import { problem } from '../problem.ts';
import { anyTime, conflict, json, notFound, runParams } from '../route-parts.ts';
import { statusOf } from './progress-view.ts';
import { findRun, noSuchRun, runView } from './read-run.ts';

type Verb = 'pause' | 'resume' | 'cancel';

/** What the row says once the state has changed. A cancelled run is final only when finalization has sealed its row. */
const ROW_STATUS: Record<Verb, RunStatus> = { pause: 'paused', resume: 'running', cancel: 'finalizing' };

export function serveControlRun(app: OpenAPIHono, deps: ApiDeps): void {
  serveVerb(app, deps, 'pause', 'Stop fetching; what is under way is still finished');
  serveVerb(app, deps, 'resume', 'Continue a paused run');
  serveVerb(app, deps, 'cancel', 'End a run now; URLs not done yet are skipped');
}

function serveVerb(app: OpenAPIHono, deps: ApiDeps, verb: Verb, summary: string): void {
  const route = createRoute({
    method: 'post',
    path: `/v1/runs/{id}/${verb}`,
    summary,
    request: { params: runParams },
    responses: { 200: json('The run, changed', runSchema), ...notFound, ...conflict, ...anyTime },
  });
  app.openapi(route, async (c) => {
    const { id } = c.req.valid('param');
    const run = await findRun(deps, id);
    if (run === null) return problem(c, 'NOT_FOUND', noSuchRun(id));
    const refuse = (status: RunStatus) => problem(c, 'CONFLICT', `The run is ${status}; it can't ${verb}.`);

    const result = await deps.state[verb](run.row.id);
    switch (result.kind) {
      case 'no-run':
        return refuse(statusOf(run.row, null));
      case 'refused':
        return refuse(statusOf(run.row, run.live));
      case 'changed': {
        await deps.wakeups.pay(run.row.id, result.owed);
        await setRunStatus(deps.db, run.row.id, ROW_STATUS[verb]);
        const changed = await findRun(deps, id);
        return changed === null ? problem(c, 'NOT_FOUND', noSuchRun(id)) : c.json(runView(changed), 200);
      }
      default:
        return assertNever(result);
    }
  });
}
