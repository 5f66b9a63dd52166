/** Takes a run and what only it knew out of the store. Its keys, jobs and bodies are others' to remove. */
import type { RunId, SourceId } from '@trawl/contracts';
import type { Db } from './db.ts';
import { deleteUnseenPages, lockPagesOf } from './delete-pages.ts';
import { holdSource } from './mark-changes.ts';
import { forgetOwnSitemaps } from './sitemap-cache.ts';

export interface DeletedRun {
  /** Blobs of pages that went with it. */
  readonly blobRefs: readonly string[];
  /** The source, if it went too: it was nothing but this run. */
  readonly sourceId: SourceId | null;
}

/** Null where there is no such run. Waits for saves under way; later ones find no run. */
export async function deleteRun(db: Db, runId: RunId): Promise<DeletedRun | null> {
  return db.sql.begin(async (tx) => {
    const [run] = await tx<{ source_id: SourceId }[]>`SELECT source_id FROM runs WHERE id = ${runId} FOR UPDATE`;
    if (!run) return null;
    // Before any page is locked, as finalization does.
    await holdSource(tx, run.source_id);
    await lockPagesOf(tx, runId);
    // Before the pages: otherwise each of them sets its reference in a row that goes anyway to null.
    await tx`DELETE FROM run_pages WHERE run_id = ${runId}`;
    const blobRefs = await deleteUnseenPages(tx);
    await tx`DELETE FROM runs WHERE id = ${runId}`;
    // A statement of its own, so that the next one sees a run that was added while this one waited for the lock.
    await tx`SELECT FROM sources WHERE id = ${run.source_id} FOR UPDATE`;
    const [source] = await tx<{ had_access: boolean }[]>`
      DELETE FROM sources
      WHERE id = ${run.source_id} AND config IS NULL AND NOT EXISTS (SELECT FROM runs WHERE source_id = sources.id)
      RETURNING access IS NOT NULL AS had_access`;
    if (source?.had_access) await forgetOwnSitemaps(tx, run.source_id);
    return { blobRefs, sourceId: source ? run.source_id : null };
  });
}
