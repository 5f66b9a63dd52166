/** `DELETE /v1/runs/:id`. Every step may be repeated and the row goes last, so a request that died can be sent again. */
import { createRoute, type OpenAPIHono } from '@hono/zod-openapi';
import { isFinal, type RunId } from '@trawl/contracts';
import { abandonRun, deleteRun } from '@trawl/db';
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
    await removeTraces(deps, { id: runId, isFinished: isFinal(run.row.status) });
    const deleted = await deleteRun(deps.db, runId);
    return deleted ? c.body(null, 204) : problem(c, 'NOT_FOUND', noSuchRun(id));
  });
}

/** What there is of a run outside of Postgres. Its row is left for later: while it is there, this can be done again. */
export async function removeTraces(
  deps: Pick<ApiDeps, 'state' | 'db' | 'blobs'>,
  run: { readonly id: RunId; readonly isFinished: boolean },
): Promise<void> {
  if (!run.isFinished) {
    // The wake-up this owes would finalize a run that is gone in a moment, so it is not paid.
    await deps.state.cancel(run.id);
    // A row that is not over would be set up again by a coordinator before it is deleted.
    await abandonRun(deps.db, run.id);
  }
  // Jobs of the run find no state and end by themselves.
  await deps.state.remove(run.id);
  await deps.blobs.deletePrefix(run.id);
}
