/** What discovery has found, kept with the run. Overwritten by a discovery that starts again. */
import type { Discovery, RunId } from '@trawl/contracts';
import type { Db } from './db.ts';
import { storableJson } from './storable.ts';

export async function saveDiscovery(db: Db, runId: RunId, discovery: Discovery): Promise<void> {
  await db.sql`
    UPDATE runs SET discovery = ${storableJson(discovery)}::jsonb WHERE id = ${runId} AND finished_at IS NULL`;
}
