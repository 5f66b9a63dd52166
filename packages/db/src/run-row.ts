/** A row of `runs`, checked and in the words of the rest of Trawl. JSON from the database is parsed here and nowhere else. */
import {
  discoverySchema,
  RUN_STATUSES,
  type RunId,
  runConfigSchema,
  runStatsSchema,
  type SourceId,
} from '@trawl/contracts';
import { z } from 'zod';
import type { runs } from './schema.ts';
import type { RunRow } from './types.ts';

const stored = z.object({
  status: z.enum(RUN_STATUSES),
  config: runConfigSchema,
  stats: runStatsSchema.nullable(),
  warnings: z.array(z.string()),
  discovery: discoverySchema.nullable(),
});

export function toRunRow(row: typeof runs.$inferSelect): RunRow {
  return {
    // Ids were checked when they were written.
    id: row.id as RunId,
    sourceId: row.sourceId as SourceId,
    sealed: row.sealed,
    createdAt: row.createdAt.toISOString(),
    startedAt: row.startedAt?.toISOString() ?? null,
    finishedAt: row.finishedAt?.toISOString() ?? null,
    error: row.error,
    ...stored.parse(row),
  };
}
