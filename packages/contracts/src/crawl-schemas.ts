/** One page, now: what `POST /v1/crawl` takes and answers, and what a worker is told and tells of it. */
import { z } from 'zod';
import { accessSchema } from './access.ts';
import { selectors } from './output.ts';
import { httpUrl, locale, RENDER_MODES, TOO_PATIENT, userAgent, viewport } from './run-config.ts';

export const CRAWL_FORMATS = ['markdown', 'html', 'text', 'links', 'screenshot'] as const;
export type CrawlFormat = (typeof CRAWL_FORMATS)[number];

const fields = {
  url: httpUrl,
  render: z.enum(RENDER_MODES).default('auto'),
  renderWaitMs: z.int().min(0).max(60_000).default(0),
  viewport,
  locale,
  /** Of the crawl itself; waiting for a slot is not part of it. */
  timeoutSeconds: z.number().min(0.1).max(600).default(30),
  formats: z.array(z.enum(CRAWL_FORMATS)).min(1, 'names no format').max(10).default(['markdown', 'links']),
  mainContent: z.boolean().default(true),
  includeSelectors: selectors,
  excludeSelectors: selectors,
  respectRobots: z.boolean().default(true),
  userAgent: userAgent.optional(),
};

/** What a worker is told, through Redis; what its requests carry goes there sealed, and beside it. */
export const crawlTaskSchema = z.strictObject(fields);
export type CrawlTask = z.output<typeof crawlTaskSchema>;

export const crawlRequestSchema = z
  .strictObject({ ...fields, access: accessSchema.optional() })
  .superRefine((value, ctx) => {
    if (value.renderWaitMs > 0 && value.renderWaitMs >= value.timeoutSeconds * 1000)
      ctx.addIssue({ code: 'custom', path: ['renderWaitMs'], message: TOO_PATIENT });
    if (value.formats.includes('screenshot') && value.render === 'never')
      ctx.addIssue({ code: 'custom', path: ['render'], message: 'can\'t be "never" with the format "screenshot"' });
  })
  .meta({ id: 'CrawlRequest' });
export type CrawlRequest = z.output<typeof crawlRequestSchema>;

const link = z.object({ url: z.string(), text: z.string(), rel: z.string() });

/** What a page came to. What was not asked for is null. */
const crawledPageSchema = z.object({
  url: z.string(),
  finalUrl: z.string(),
  title: z.string().nullable(),
  language: z.string().nullable(),
  markdown: z.string().nullable(),
  text: z.string().nullable(),
  html: z.string().nullable(),
  links: z.array(link).nullable(),
  screenshot: z.string().nullable().meta({ description: 'Where its picture is, a PNG, for SCREENSHOT_KEEP_HOURS' }),
  metadata: z.record(z.string(), z.unknown()),
  httpStatus: z.int(),
  contentType: z.string().nullable(),
  rendered: z.boolean(),
  warnings: z.array(z.string()).meta({ description: 'Why it may not be all of the page' }),
  elapsedMs: z.int(),
});

export const crawlAnswerSchema = z
  .object({ success: z.literal(true), ...crawledPageSchema.shape, timestamp: z.iso.datetime() })
  .meta({ id: 'CrawlAnswer' });

export const crawlErrorSchema = z
  .object({
    success: z.literal(false),
    url: z.string(),
    error: z.string(),
    code: z.string().optional().meta({ description: 'Why. Absent where all slots were taken, which the status says' }),
    httpStatus: z.int().nullable().optional().meta({ description: 'What the server answered. Absent with the code' }),
    errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
    timestamp: z.iso.datetime(),
  })
  .meta({ id: 'CrawlError' });

/** What a worker tells of a crawl it was given. `code` is that of a URL, or `TIMEOUT`: its time was over. */
export const crawlOutcomeSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('page'),
    page: crawledPageSchema.omit({ screenshot: true }),
    /** By which id its picture is kept. */
    shot: z.string().nullable(),
  }),
  z.object({ kind: z.literal('failed'), code: z.string(), message: z.string(), httpStatus: z.int().nullable() }),
]);
export type CrawlOutcome = z.output<typeof crawlOutcomeSchema>;
