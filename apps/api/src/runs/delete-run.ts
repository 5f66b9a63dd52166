/** `DELETE /v1/runs/:id`. Every step may be repeated and the row goes last, so a request that died can be sent again. */
import { createRoute, type OpenAPIHono } from '@hono/zod-openapi';
import { isFinal } from '@trawl/contracts';
import { deleteRun, setRunStatus } from '@trawl/db';
import type { ApiDeps } from '../deps.ts';
import { problem } from '../problem.ts';
import { anyTime, notFound, runParams } from '../route-parts.ts';
import { findRun, noSuchRun } from './read-run.ts';

const deleteRunRoute = createRoute({
  method: 'delete',
  path: '/v1/runs/{id}',
  summary: 'Delete a run and everything kept of it; one that is alive is cancelled first',
  request: { params: runParams },
  responses: { 204: { description: 'Gone' }, ...notFound, ...anyTime },
});

export function serveDeleteRun(app: OpenAPIHono, deps: ApiDeps): void {
  app.openapi(deleteRunRoute, async (c) => {
    const { id } = c.req.valid('param');
    const run = await findRun(deps, id);
    if (run === null) return problem(c, 'NOT_FOUND', noSuchRun(id));
    const runId = run.row.id;
    if (!isFinal(run.row.status)) {
      // The wake-up this owes would finalize a run that is gone in a moment, so it is not paid.
      await deps.state.cancel(runId);
      // A row that is still pending would be set up again by a coordinator between the next two steps.
      await setRunStatus(deps.db, runId, 'cancelled');
    }
    // Jobs of the run find no state and end by themselves.
    await deps.state.remove(runId);
    await deps.blobs.deletePrefix(runId);
    const deleted = await deleteRun(deps.db, runId);
    return deleted ? c.body(null, 204) : problem(c, 'NOT_FOUND', noSuchRun(id));
  });
}
