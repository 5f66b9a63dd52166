/** A row of `sources`, checked and in the words of the rest of Trawl. */
import { accessSummarySchema, type RunInput, type SourceId } from '@trawl/contracts';
import { z } from 'zod';
import type { sources } from './schema.ts';
import type { SourceRow } from './source-types.ts';

/** Only that it is an object: an earlier version may have taken what this one would not, and a source must stay readable. */
const keptAccess = z.object({ sealed: z.string(), summary: accessSummarySchema }).nullable();
const stored = z.record(z.string(), z.unknown()).nullable();

export function toSourceRow(row: typeof sources.$inferSelect): SourceRow {
  return {
    ...sourceFields(row),
    // Checked by the API when it was written, and as a whole when a run is made of it.
    config: stored.parse(row.config) as RunInput | null,
    access: keptAccess.parse(row.access),
  };
}

export function sourceFields(
  row: Omit<typeof sources.$inferSelect, 'config' | 'access'>,
): Omit<SourceRow, 'config' | 'access'> {
  return {
    id: row.id as SourceId,
    name: row.name,
    schedule: row.schedule,
    timezone: row.timezone,
    overlap: row.overlap,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}
