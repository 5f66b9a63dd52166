/**
 * What the API takes and answers about sources: what is crawled again and again, when, and what has changed since. Whether
 * a schedule is one that the queue understands is checked by the API, which knows the queue's cron reader.
 */
import { z } from 'zod';
import { accessSchema, accessSummarySchema } from './access.ts';
import { listOf, timestamp } from './api-schemas.ts';
import { runInputSchema } from './run-input.ts';
import { RUN_STATUSES } from './statuses.ts';

const name = z.string().max(200).regex(/\S/, 'must not be blank');

const schedule = z
  .string()
  .max(200)
  .refine((line) => [5, 6].includes(line.trim().split(/\s+/).length), 'must be a cron line of 5 or 6 fields')
  .meta({
    description: 'Cron: minute, hour, day of month, month, day of week; with six fields the first is the second',
    example: '0 3 * * *',
  });

/** Not by Intl alone: it also takes offsets such as +02:00, which know no summer time. */
const timezone = z
  .string()
  .max(100)
  .refine((zone) => /^[a-z]/i.test(zone) && isTimezone(zone), 'must be an IANA time zone such as Europe/Berlin')
  .meta({ description: 'IANA name; what the schedule is read in', example: 'Europe/Berlin' });

const overlap = z
  .boolean()
  .meta({ description: 'Whether a run may start while another of this source is not finished' });

/** The body of `POST /v1/sources`. */
export const createSourceSchema = z.strictObject({
  name,
  config: runInputSchema,
  access: accessSchema.nullable().default(null),
  schedule: schedule.nullable().default(null),
  timezone: timezone.default('UTC'),
  overlap: overlap.default(false),
});

/** The body of `PATCH /v1/sources/:id`: what is absent stays. */
export const patchSourceSchema = z.strictObject({
  name: name.optional(),
  config: runInputSchema.optional(),
  /** As a whole; null takes it away. */
  access: accessSchema.nullable().optional(),
  schedule: schedule.nullable().optional(),
  timezone: timezone.optional(),
  overlap: overlap.optional(),
});

const count = z.int().min(0);

const sourceFields = {
  id: z.string(),
  name: z.string(),
  schedule: z.string().nullable(),
  timezone: z.string(),
  overlap,
  nextRunAt: timestamp.nullable().meta({ description: 'The next time the schedule names; null without a schedule' }),
  lastRun: z
    .object({
      id: z.string(),
      status: z.enum(RUN_STATUSES),
      createdAt: timestamp,
      finishedAt: timestamp.nullable(),
    })
    .nullable()
    .meta({ description: 'The newest run' }),
  createdAt: timestamp,
  updatedAt: timestamp,
  links: z
    .object({ self: z.string(), runs: z.string(), pages: z.string(), changes: z.string() })
    .meta({ id: 'SourceLinks' }),
};

/** A source in a list: without its configuration, which may name 10,000 start URLs, and without counting its pages. */
const sourceSummarySchema = z.object(sourceFields).meta({ id: 'SourceSummary' });
export type SourceSummary = z.output<typeof sourceSummarySchema>;

export const sourceSchema = z
  .object({
    ...sourceFields,
    config: runInputSchema.nullable().meta({
      description: 'What its runs are started with. Null: it came with a run, and the newest run says it',
    }),
    access: accessSummarySchema.nullable(),
    pages: count.meta({ description: 'Pages that are there' }),
    gone: count.meta({ description: 'Pages that were there' }),
  })
  .meta({ id: 'Source' });
export type Source = z.output<typeof sourceSchema>;

export const sourceListSchema = listOf(sourceSummarySchema).meta({ id: 'SourceList' });

export const SOURCE_CHANGES = ['new', 'changed', 'gone'] as const;

const sourceChangeSchema = z
  .object({
    change: z.enum(SOURCE_CHANGES),
    key: z.string().meta({ description: 'What the page is known by: the same in all of its changes' }),
    url: z.string(),
    pageId: z.string().nullable().meta({ description: 'For GET /v1/pages/:id: the page as it was last seen' }),
    title: z.string().nullable(),
    contentHash: z.string(),
    runId: z.string().nullable().meta({ description: 'The run that found it; null: it has been deleted' }),
    changedAt: timestamp,
  })
  .meta({ id: 'SourceChange' });
export type SourceChange = z.output<typeof sourceChangeSchema>;

export const sourceChangesSchema = listOf(sourceChangeSchema)
  .extend({
    asOf: timestamp.nullable().meta({
      description: 'What to send as "since" next time, once nextCursor is null. Null: nothing has happened yet',
    }),
  })
  .meta({ id: 'SourceChanges' });

function isTimezone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    // A RangeError is how Intl says no.
    return false;
  }
}
