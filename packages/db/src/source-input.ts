/** What the next run of a source is started with, before anything is laid over it. */
import { type RunInput, runConfigAsInput, type SourceId } from '@trawl/contracts';
import { desc, eq } from 'drizzle-orm';
import type { Db } from './db.ts';
import { toRunRow } from './run-row.ts';
import { runs } from './schema.ts';
import type { SourceRow } from './source-types.ts';
import { getSource } from './sources.ts';

export type SourceInput =
  | { readonly kind: 'found'; readonly source: SourceRow; readonly input: RunInput }
  | { readonly kind: 'no-source' }
  /** It came with a run, and none of its runs is left. */
  | { readonly kind: 'no-config' };

export async function readSourceInput(db: Db, sourceId: SourceId): Promise<SourceInput> {
  const source = await getSource(db, sourceId);
  if (source === null) return { kind: 'no-source' };
  if (source.config !== null) return { kind: 'found', source, input: source.config };
  const [newest] = await db.orm
    .select()
    .from(runs)
    .where(eq(runs.sourceId, sourceId))
    .orderBy(desc(runs.createdAt), desc(runs.id))
    .limit(1);
  return newest ? { kind: 'found', source, input: runConfigAsInput(toRunRow(newest).config) } : { kind: 'no-config' };
}
