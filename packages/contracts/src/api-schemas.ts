/**
 * What the HTTP API answers, as schemas: the OpenAPI document, the handlers' types and every client read the same ones.
 * What it accepts is in `run-config.ts`. Knows nothing of HTTP itself: statuses and headers belong to the API.
 */
import { z } from 'zod';
import { discoverySchema } from './discovery.ts';
import { runConfigSchema } from './run-config.ts';
import { PAGE_CHANGES, PAGE_OUTCOMES, REFUSALS, RUN_STATUSES } from './statuses.ts';

export const timestamp = z.iso.datetime().meta({ description: 'ISO 8601, UTC' });
const count = z.int().min(0);

/** RFC 9457, with the list of what is wrong with the input where that is the problem. */
export const problemSchema = z
  .object({
    type: z.string().meta({ description: 'A stable name of the kind of problem, as a URI reference' }),
    title: z.string(),
    status: z.int().min(400).max(599),
    detail: z.string(),
    code: z.string().meta({ description: 'The same kind as a word, e.g. BAD_REQUEST' }),
    instance: z.string().optional().meta({ description: 'Names this one occurrence, as the log does' }),
    errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
    runId: z.string().optional().meta({ description: 'RUN_IN_PROGRESS: the run that is not finished' }),
  })
  .meta({ id: 'Problem' });
export type Problem = z.output<typeof problemSchema>;

const runLinksSchema = z
  .object({ self: z.string(), progress: z.string(), pages: z.string(), events: z.string() })
  .meta({ id: 'RunLinks' });

export const runAcceptedSchema = z
  .object({
    id: z.string(),
    sourceId: z.string(),
    status: z.enum(RUN_STATUSES),
    createdAt: timestamp,
    links: runLinksSchema,
  })
  .meta({ id: 'RunAccepted' });
export type RunAccepted = z.output<typeof runAcceptedSchema>;

/** The final numbers of a run, kept with its row when Redis has forgotten it. */
export const runStatsSchema = z
  .object({
    total: count,
    queued: count,
    fetched: count,
    processed: count,
    failed: count,
    skipped: count,
    discoveredBeyondLimit: count,
    currentDepth: count,
    pagesPerSecond: z.number().min(0),
    bytes: count,
    rendered: count,
    new: count,
    changed: count,
    unchanged: count,
    gone: count,
    refused: z.partialRecord(z.enum(REFUSALS), count),
    durationMs: count,
  })
  .meta({ id: 'RunStats' });
export type RunStats = z.output<typeof runStatsSchema>;

const runFields = {
  id: z.string(),
  sourceId: z.string(),
  status: z.enum(RUN_STATUSES),
  createdAt: timestamp,
  startedAt: timestamp.nullable(),
  finishedAt: timestamp.nullable(),
  stats: runStatsSchema.nullable().meta({ description: 'Null until the run has ended; see its progress before' }),
  warnings: z.array(z.string()),
  error: z.string().nullable(),
  links: runLinksSchema,
};

export const runSchema = z
  .object({
    ...runFields,
    discovery: discoverySchema
      .nullable()
      .meta({ description: 'What was found of sitemaps; null: none was looked for' }),
    config: runConfigSchema.meta({ id: 'RunConfig' }),
  })
  .meta({ id: 'Run' });
export type Run = z.output<typeof runSchema>;

/** A run in a list: a configuration may name 10,000 start URLs, so a list shows the first few and how many there are. */
export const runSummarySchema = z
  .object({ ...runFields, urls: z.array(z.string()), urlCount: count })
  .meta({ id: 'RunSummary' });
export type RunSummary = z.output<typeof runSummarySchema>;

export const listOf = <T extends z.ZodType>(item: T) =>
  z.object({ items: z.array(item), nextCursor: z.string().nullable() });

export const runListSchema = listOf(runSummarySchema).meta({ id: 'RunList' });
export type RunList = z.output<typeof runListSchema>;

export const progressSchema = z
  .object({
    runId: z.string(),
    status: z.enum(RUN_STATUSES),
    total: count.meta({ description: 'queued + fetched + processed + failed + skipped' }),
    queued: count,
    fetched: count,
    processed: count,
    failed: count,
    skipped: count,
    inProgress: count.meta({ description: 'queued + fetched' }),
    percentComplete: z.int().min(0).max(100),
    currentDepth: count,
    discoveredBeyondLimit: count,
    pagesPerSecond: z.number().min(0),
    etaSeconds: count.nullable().meta({ description: 'Null while nothing allows an estimate' }),
    startedAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Progress' });
export type Progress = z.output<typeof progressSchema>;

const pageErrorSchema = z
  .object({ code: z.string(), message: z.string(), retryable: z.boolean(), attempts: count })
  .meta({ id: 'PageError' });

export const pageSummarySchema = z
  .object({
    id: z.string(),
    url: z.string(),
    finalUrl: z.string().nullable(),
    depth: count,
    parentUrl: z.string().nullable(),
    outcome: z.enum(PAGE_OUTCOMES),
    httpStatus: z.int().nullable(),
    contentType: z.string().nullable(),
    title: z.string().nullable(),
    language: z.string().nullable(),
    bytes: count.nullable(),
    elapsedMs: count.nullable(),
    rendered: z.boolean(),
    change: z.enum(PAGE_CHANGES).nullable(),
    contentHash: z.string().nullable(),
    duplicateOf: z.string().nullable(),
    crawledAt: timestamp,
    error: pageErrorSchema.nullable(),
  })
  .meta({ id: 'PageSummary' });
export type PageSummary = z.output<typeof pageSummarySchema>;

export const pageListSchema = listOf(pageSummarySchema).meta({ id: 'PageList' });
export type PageList = z.output<typeof pageListSchema>;

export const chunkSchema = z
  .object({
    id: z.string().meta({ description: 'Changes only if the text of the chunk does' }),
    index: count,
    text: z.string(),
    headingPath: z.array(z.string()),
    tokens: count,
    start: count.meta({ description: 'Where it begins in the markdown of the page, in UTF-16 code units' }),
    end: count,
    overlap: count.meta({ description: 'Code units at the start of `text` that repeat what stands before `start`' }),
  })
  .meta({ id: 'Chunk' });

export const pageSchema = z
  .object({
    ...pageSummarySchema.shape,
    markdown: z.string().nullable(),
    text: z.string().nullable(),
    links: z.array(z.object({ url: z.string(), text: z.string(), rel: z.string() })),
    chunks: z.array(chunkSchema),
    metadata: z.record(z.string(), z.unknown()),
    html: z.string().nullable().meta({ description: 'The page as it came, where the run kept it (output.html)' }),
    screenshot: z
      .string()
      .nullable()
      .meta({ description: 'Where its picture is, if the run kept one (output.screenshot)' }),
  })
  .meta({ id: 'Page' });
export type Page = z.output<typeof pageSchema>;

/** Why URLs of a run failed or were skipped, as groups of the same code on the same host. */
const errorGroupSchema = z
  .object({
    code: z.string(),
    host: z.string().meta({ description: 'Host name without www. and port' }),
    outcome: z.enum(['failed', 'skipped']),
    count: z.int().min(1),
    retryable: z.boolean(),
    message: z.string().meta({ description: 'Of one of them' }),
    examples: z.array(z.string()).max(3),
  })
  .meta({ id: 'ErrorGroup' });
export type ErrorGroup = z.output<typeof errorGroupSchema>;

export const runErrorsSchema = z
  .object({
    runId: z.string(),
    total: count.meta({ description: 'URLs of all groups, those that are not listed included' }),
    items: z.array(errorGroupSchema).meta({ description: 'Most frequent first' }),
    truncated: z.boolean().meta({ description: 'There are more groups than limit' }),
  })
  .meta({ id: 'RunErrors' });
export type RunErrors = z.output<typeof runErrorsSchema>;

export const runWhySchema = z
  .object({
    runId: z.string(),
    status: z.enum(RUN_STATUSES),
    waiting: count.meta({ description: 'URLs that could be fetched now' }),
    delayed: count.meta({ description: 'URLs whose next attempt is later' }),
    leased: count.meta({ description: 'URLs a worker is fetching' }),
    unprocessed: count.meta({ description: 'Pages fetched and not processed yet' }),
    relinking: count.meta({ description: 'Pages whose links are sent again because a shorter way to them was found' }),
    discovering: z.boolean(),
    held: z.boolean().meta({ description: 'No URL is handed out until pages are processed or fail' }),
    deferred: count,
    hosts: z.array(
      z.object({
        host: z.string(),
        renders: z.boolean().meta({ description: 'What waits here waits for a browser; a host may be named twice' }),
        waiting: count,
        leased: count,
        session: z.enum(['open', 'parked', 'none']),
        blockedUntil: timestamp.nullable(),
        failures: count.meta({ description: 'In a row' }),
        lastFailure: z.string().nullable().meta({ description: 'Code of the last failure while the host fails' }),
        crawlDelaySeconds: z.number().min(0).meta({ description: 'Between two requests; 0 = several at a time' }),
        slowedTo: count.nullable().meta({ description: 'Requests at a time, where slow answers have lowered them' }),
        reason: z.string().nullable(),
      }),
    ),
    explanation: z.array(z.string()).meta({ description: 'The same, as sentences for people' }),
  })
  .meta({ id: 'RunWhy' });
export type RunWhyAnswer = z.output<typeof runWhySchema>;

export const healthSchema = z.object({ status: z.literal('ok') }).meta({ id: 'Health' });
export const readySchema = z
  .object({ status: z.literal('ready'), roles: z.record(z.string(), count) })
  .meta({ id: 'Ready' });
