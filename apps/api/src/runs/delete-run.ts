/** `DELETE /v1/runs/:id`. Every step may be repeated and the row goes last, so a request that died can be sent again. */
import { createRoute, type OpenAPIHono } from '@hono/zod-openapi';
import type { BlobStore } from '@trawl/blobs';
import { isFinal, type RunId } from '@trawl/contracts';
import { abandonRun, blobRefsOf, deleteRun } from '@trawl/db';
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
    await deleteBlobs(deps.blobs, await blobRefsOf(deps.db, runId));
    const deleted = await deleteRun(deps.db, runId);
    if (deleted === null) return problem(c, 'NOT_FOUND', noSuchRun(id));
    // Kept while the others were being deleted.
    if (deleted.sourceId === null) await deleteBlobs(deps.blobs, deleted.blobRefs);
    else await deps.blobs.deletePrefix(deleted.sourceId);
    return c.body(null, 204);
  });
}

/** Many at once would take a file handle each. */
const BLOBS_AT_ONCE = 500;

async function deleteBlobs(blobs: Pick<BlobStore, 'delete'>, refs: readonly string[]): Promise<void> {
  for (let at = 0; at < refs.length; at += BLOBS_AT_ONCE) await blobs.delete(refs.slice(at, at + BLOBS_AT_ONCE));
}

/** What there is of a run outside of Postgres, but for the answers of its pages. Its row is left for later: while it is there, this can be done again. */
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
