/** Writes depths that changed after a page was saved. What the depths are is crawl-state's to say. */
import type { RunId } from '@trawl/contracts';
import type postgres from 'postgres';
import type { Db } from './db.ts';
import { keyHash } from './key-hash.ts';
import type { KeyDepth } from './types.ts';

/** Depths only fall, so a call that comes late changes nothing; a sealed run is left to its finalization. */
export async function updateDepths(db: Db, runId: RunId, depths: readonly KeyDepth[]): Promise<void> {
  if (depths.length === 0) return;
  await db.sql`
    UPDATE run_pages SET depth = known.depth
    FROM json_to_recordset(${depthRows(depths)}::json) AS known(key_hash uuid, depth int)
    WHERE run_id = (SELECT id FROM runs WHERE id = ${runId} AND NOT sealed)
      AND run_pages.key_hash = known.key_hash AND run_pages.depth > known.depth`;
}

/** For finalization: the given depths are the truth. */
export async function correctDepths(tx: postgres.ISql, runId: RunId, depths: readonly KeyDepth[]): Promise<void> {
  if (depths.length === 0) return;
  await tx`
    UPDATE run_pages SET depth = known.depth
    FROM json_to_recordset(${depthRows(depths)}::json) AS known(key_hash uuid, depth int)
    WHERE run_id = ${runId} AND run_pages.key_hash = known.key_hash AND run_pages.depth <> known.depth`;
}

const depthRows = (depths: readonly KeyDepth[]): string =>
  JSON.stringify(depths.map(({ key, depth }) => ({ key_hash: keyHash(key), depth })));
