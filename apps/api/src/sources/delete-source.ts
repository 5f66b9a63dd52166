/** `DELETE /v1/sources/:id`. Every step may be repeated and the rows go last, so a request that died can be sent again. */
import { createRoute, type OpenAPIHono } from '@hono/zod-openapi';
import type { RunId } from '@trawl/contracts';
import { deleteSource, tracedRuns, updateSource } from '@trawl/db';
import type { ApiDeps } from '../deps.ts';
import { problem } from '../problem.ts';
import { anyTime, notFound, sourceParams } from '../route-parts.ts';
import { removeTraces } from '../runs/delete-run.ts';
import { findSource, noSuchSource } from './find-source.ts';

/** Keys of a finished run live for an hour, and bodies go at its end. Removing a run walks all of Redis, so older ones are left out. */
const TRACES_MS = 2 * 3600_000;

const deleteSourceRoute = createRoute({
  method: 'delete',
  path: '/v1/sources/{id}',
  summary: 'Delete a source with its runs and pages; a run that is alive is cancelled first',
  request: { params: sourceParams },
  responses: { 204: { description: 'Gone' }, ...notFound, ...anyTime },
});

export function serveDeleteSource(app: OpenAPIHono, deps: ApiDeps): void {
  app.openapi(deleteSourceRoute, async (c) => {
    const { id } = c.req.valid('param');
    const source = await findSource(deps, id);
    if (source === null) return problem(c, 'NOT_FOUND', noSuchSource(id));
    // Its schedule must not start a run meanwhile. Coordinators take it out of the queue.
    await updateSource(deps.db, source.id, { schedule: null });
    const removed = new Set<RunId>();
    for (const run of await tracedRuns(deps.db, source.id, TRACES_MS)) {
      await removeTraces(deps, run);
      removed.add(run.id);
    }
    // Answers of its pages, kept as they came.
    await deps.blobs.deletePrefix(source.id);
    const unfinished = await deleteSource(deps.db, source.id);
    if (unfinished === null) return problem(c, 'NOT_FOUND', noSuchSource(id));
    // Started while the others were being removed.
    for (const runId of unfinished) if (!removed.has(runId)) await removeTraces(deps, { id: runId, isFinished: false });
    await deps.blobs.deletePrefix(source.id);
    return c.body(null, 204);
  });
}
