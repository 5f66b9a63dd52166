/**
 * What a person may ask of a run: `POST /v1/runs` in, a complete `RunConfig` out.
 * Fields of the contract whose behaviour is not built yet are refused by name rather than accepted and ignored.
 */
import { z } from 'zod';
import { backoffSchema, POLICIES, POLICY_NAMES } from './politeness-policies.ts';

const httpUrl = z
  .string()
  .max(2048, 'is longer than 2048 characters')
  .superRefine((value, ctx) => {
    const message = startUrlProblem(value);
    if (message) ctx.addIssue({ code: 'custom', message });
  });

/** Why `value` can't be a start URL, or null. */
export function startUrlProblem(value: string): string | null {
  if (!URL.canParse(value)) return 'is not an absolute URL';
  const url = new URL(value);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return `has the scheme ${url.protocol} but only http: and https: can be crawled`;
  if (url.username || url.password) return 'carries credentials, which are not sent';
  if (!url.hostname) return 'has no host';
  return null;
}

/** A field of the contract that only takes the value describing what Trawl does today. */
const only = <T extends string | boolean>(value: T, because: string) =>
  z.literal(value, { error: `only ${JSON.stringify(value)} is supported by this version: ${because}` });

const seconds = (min: number, max: number) => z.number().min(min).max(max);

const patterns = z.array(z.string().min(1).max(500)).max(100).default([]);

const normalize = z
  .strictObject({
    ignoreCase: z.boolean().default(false),
    stripWww: z.boolean().default(true),
    stripIndex: z.boolean().default(true),
    stripTracking: z.boolean().default(true),
  })
  .prefault({});

/** Limits against sites without end. Each refusal is counted under its own reason. */
const guards = z
  .strictObject({
    maxUrlLength: z.int().min(64).max(8192).default(2000),
    maxPathDepth: z.int().min(1).max(200).default(24),
    maxRepeatedSegments: z.int().min(1).max(50).default(3),
    templateQuota: z.int().min(1).max(1_000_000).default(5000),
  })
  .prefault({});

const output = z
  .strictObject({
    markdown: z.boolean().default(true),
    html: only(false, 'raw HTML is not kept').default(false),
    chunks: z
      .strictObject({
        maxTokens: z.int().min(50).max(8000).default(500),
        overlap: z.int().min(0).max(1000).default(50),
      })
      .refine((c) => c.overlap < c.maxTokens, { path: ['overlap'], message: 'must be smaller than maxTokens' })
      .prefault({}),
  })
  .prefault({});

const options = {
  mode: z
    .enum(['crawl', 'urls'], { error: 'must be "crawl" or "urls"; "sitemap" is not supported by this version' })
    .default('crawl'),
  maxPages: z.int().min(1).max(10_000_000).default(1000),
  maxUrls: z.int().min(1).max(50_000_000).optional(),
  maxDepth: z.int().min(0).max(1_000_000).default(2),
  scope: z.enum(['domain', 'host', 'path', 'any']).default('domain'),
  include: patterns,
  exclude: patterns,
  urlFilter: z.string().min(1).max(2000).nullable().default(null),
  preset: z.enum(['none', 'docs']).default('none'),
  boost: z.array(z.string().startsWith('/', 'must be a path that starts with /').max(500)).max(100).default([]),
  sitemap: only('skip', 'sitemaps are not read').default('skip'),
  normalize,
  guards,
  render: z
    .enum(['never', 'auto'], { error: 'must be "never" or "auto"; no browser is available in this version' })
    .default('auto'),
  respectRobots: z.boolean().default(true),
  /** The page's own `<meta name="robots">`: noindex = not kept, nofollow = its links are not taken. */
  respectMetaRobots: z.boolean().default(true),
  /** The same as a header. */
  respectXRobotsTag: z.boolean().default(true),
  /** Links marked `rel="nofollow"` are not taken. */
  respectNofollow: z.boolean().default(false),
  logSkipped: z.boolean().default(true),
  policy: z.enum(POLICY_NAMES).default('standard'),
  minCrawlDelay: seconds(0, 86_400).default(0),
  maxCrawlDelay: seconds(0, 86_400).default(60),
  /** A host that has done nothing but fail for so long is given up: what waits there fails. */
  maxHostDownSeconds: seconds(1, 30 * 86_400).default(900),
  /** Count a frozen worker's open requests until they have timed out, rather than until its lease is over. */
  strictHostLimit: z.boolean().default(false),
  userAgent: z
    .string()
    .min(1)
    .max(500)
    .regex(/^[\x20-\x7e]+$/, 'must be printable ASCII')
    .optional(),
  timeoutSeconds: z.number().min(0.1).max(600).default(30),
  maxBodyBytes: z
    .int()
    .min(1024)
    .max(256 * 1024 * 1024)
    .default(10 * 1024 * 1024),
  output,
} as const;

/** What a policy decides where the person does not. */
const byPolicy = {
  maxParallelPerHost: z.int().min(1).max(256),
  defaultCrawlDelay: seconds(0, 86_400),
  maxRetries: z.int().min(0).max(100),
  maxRetryBackoffSeconds: z.number().min(1).max(86_400),
} as const;

/** The body of `POST /v1/runs`. */
export const createRunSchema = z
  .strictObject({
    url: httpUrl.optional(),
    urls: z.array(httpUrl).min(1, 'names no URL').max(10_000).optional(),
    sourceId: z
      .string()
      .regex(/^src_[0-9a-z]{20}$/, 'is not a source id')
      .optional(),
    ...options,
    maxParallelPerHost: byPolicy.maxParallelPerHost.optional(),
    defaultCrawlDelay: byPolicy.defaultCrawlDelay.optional(),
    maxRetries: byPolicy.maxRetries.optional(),
    maxRetryBackoffSeconds: byPolicy.maxRetryBackoffSeconds.optional(),
    backoff: backoffSchema.partial().optional(),
  })
  .superRefine((value, ctx) => {
    if (value.minCrawlDelay > value.maxCrawlDelay)
      ctx.addIssue({ code: 'custom', path: ['minCrawlDelay'], message: 'must not be above maxCrawlDelay' });
    if ((value.url === undefined) === (value.urls === undefined)) {
      ctx.addIssue({
        code: 'custom',
        path: ['url'],
        message: value.url === undefined ? 'is required (or "urls")' : 'and "urls" exclude each other',
      });
    }
  });
export type CreateRunInput = z.input<typeof createRunSchema>;

/** What a run works by, complete; kept with the run and handed to every role. */
export const runConfigSchema = z.object({
  urls: z.array(z.string()).min(1),
  ...options,
  // What an earlier version has kept may lack some of these.
  maxParallelPerHost: byPolicy.maxParallelPerHost.default(POLICIES.standard.maxParallelPerHost),
  defaultCrawlDelay: byPolicy.defaultCrawlDelay.default(POLICIES.standard.defaultCrawlDelay),
  maxRetries: byPolicy.maxRetries.default(POLICIES.standard.maxRetries),
  maxRetryBackoffSeconds: byPolicy.maxRetryBackoffSeconds.default(POLICIES.standard.maxRetryBackoffSeconds),
  backoff: backoffSchema.default(POLICIES.standard.backoff),
  maxUrls: z.int(),
  userAgent: z.string(),
});
export type RunConfig = z.output<typeof runConfigSchema>;
export type NormalizeOptions = RunConfig['normalize'];

/** Fills in what depends on other fields or on the environment. */
export function completeRunConfig(input: z.output<typeof createRunSchema>, defaults: { userAgent: string }): RunConfig {
  const { url, urls, sourceId: _sourceId, maxUrls, userAgent, backoff, ...rest } = input;
  const policy = POLICIES[input.policy];
  return {
    ...rest,
    maxParallelPerHost: input.maxParallelPerHost ?? policy.maxParallelPerHost,
    defaultCrawlDelay: input.defaultCrawlDelay ?? policy.defaultCrawlDelay,
    maxRetries: input.maxRetries ?? policy.maxRetries,
    maxRetryBackoffSeconds: input.maxRetryBackoffSeconds ?? policy.maxRetryBackoffSeconds,
    backoff: {
      firstSeconds: backoff?.firstSeconds ?? policy.backoff.firstSeconds,
      growth: backoff?.growth ?? policy.backoff.growth,
      circuitFailures: backoff?.circuitFailures ?? policy.backoff.circuitFailures,
      circuitSeconds: backoff?.circuitSeconds ?? policy.backoff.circuitSeconds,
    },
    urls: urls ?? (url === undefined ? [] : [url]),
    maxUrls: maxUrls ?? Math.max(10 * input.maxPages, 10_000),
    userAgent: userAgent ?? defaults.userAgent,
  };
}
