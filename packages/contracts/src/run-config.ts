/**
 * What a person may ask of a run: `POST /v1/runs` in, a complete `RunConfig` out.
 * Fields of the contract whose behaviour is not built yet are refused by name rather than accepted and ignored.
 */
import { z } from 'zod';
import { accessSchema } from './access.ts';
import { outputSchema } from './output.ts';
import { backoffSchema, POLICIES, POLICY_NAMES } from './politeness-policies.ts';

/** Of a wait that leaves no time to read the page. */
export const TOO_PATIENT = 'must be less than timeoutSeconds, which bounds the whole render';
export const RENDER_MODES = ['never', 'auto', 'always'] as const;

/** Whether every page of a run goes through the browser. */
export const rendersAll = (config: {
  readonly render: (typeof RENDER_MODES)[number];
  readonly output: { readonly screenshot: boolean };
}): boolean => config.render === 'always' || config.output.screenshot;

export const httpUrl = z
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

/** A bare host name, with a port where it has one of its own: `example.com`. Whether it speaks http or https is found out. */
const siteName = z.string().superRefine((value, ctx) => {
  const message = siteProblem(value);
  if (message) ctx.addIssue({ code: 'custom', message });
});

function siteProblem(value: string): string | null {
  const url = URL.parse(`https://${value}/`);
  if (url === null || value.length > 260 || /[\s/?#@\\]/.test(value))
    return 'is not a bare host name such as example.com';
  return startUrlProblem(url.href);
}

export const userAgent = z
  .string()
  .min(1)
  .max(500)
  .regex(/^[\x20-\x7e]+$/, 'must be printable ASCII');

/** What a browser shows of a page at once. */
export const viewport = z
  .strictObject({
    width: z.int().min(200).max(4000).default(1280),
    height: z.int().min(200).max(4000).default(800),
  })
  .prefault({});

/** The language that pages are asked for in; null: no language is asked for, and browsers have their own. */
export const locale = z
  .string()
  .regex(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$/, 'must be a language tag such as de or de-AT')
  .nullable()
  .default(null);

const seconds = (min: number, max: number) => z.number().min(min).max(max);

const patterns = z.array(z.string().min(1).max(500)).max(100).default([]);

const normalize = z
  .strictObject({
    ignoreCase: z.boolean().default(false),
    stripWww: z.boolean().default(true),
    stripIndex: z.boolean().default(true),
    stripTracking: z.boolean().default(true),
    stripSession: z.boolean().default(true),
  })
  .prefault({});

/** Limits against sites without end. Each refusal is counted under its own reason. */
const guards = z
  .strictObject({
    maxUrlLength: z.int().min(64).max(8192).default(2000),
    maxPathDepth: z.int().min(1).max(200).default(24),
    maxRepeatedSegments: z.int().min(1).max(50).default(3),
    templateQuota: z.int().min(1).max(1_000_000).default(5000),
    /** The same for URLs of a kind that sites make without end: calendars, filters, sessions. */
    endlessQuota: z.int().min(1).max(1_000_000).default(20),
  })
  .prefault({});

const options = {
  mode: z.enum(['crawl', 'sitemap', 'urls']).default('crawl'),
  maxPages: z.int().min(1).max(10_000_000).default(1000),
  maxUrls: z.int().min(1).max(50_000_000).optional(),
  maxDepth: z.int().min(0).max(1_000_000).default(2),
  scope: z.enum(['domain', 'host', 'path', 'any']).default('domain'),
  include: patterns,
  exclude: patterns,
  urlFilter: z.string().min(1).max(2000).nullable().default(null),
  preset: z.enum(['none', 'docs']).default('none'),
  boost: z.array(z.string().startsWith('/', 'must be a path that starts with /').max(500)).max(100).default([]),
  /** In mode `crawl`: whether sitemap entries are start pages too. */
  sitemap: z.enum(['include', 'skip']).default('include'),
  /** Of the pages known from earlier runs, ask only for those that may have changed. */
  updateStale: z.boolean().default(false),
  /** Pages whose texts differ in at most so many of 64 bits are duplicates; 0: only equal ones. */
  nearDuplicateBits: z.int().min(0).max(16).default(3),
  normalize,
  guards,
  /** Whether a browser reads pages: `auto`: those that are empty shells without one. */
  render: z.enum(RENDER_MODES).default('auto'),
  /** Further wait after a rendered page's network is idle. */
  renderWaitMs: z.int().min(0).max(60_000).default(0),
  viewport,
  locale,
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
  userAgent: userAgent.optional(),
  timeoutSeconds: z.number().min(0.1).max(600).default(30),
  maxBodyBytes: z
    .int()
    .min(1024)
    .max(256 * 1024 * 1024)
    .default(10 * 1024 * 1024),
  output: outputSchema,
} as const;

/** How long the sitemaps of a site are trusted once they were read, by whatever run. */
const sitemapCacheHours = z.number().min(0).max(8760);
const SITEMAP_CACHE_HOURS = 24;

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
    sites: z.array(siteName).min(1, 'names no site').max(10_000).optional(),
    sourceId: z
      .string()
      .regex(/^src_[0-9a-z]{20}$/, 'is not a source id')
      .optional(),
    access: accessSchema.optional(),
    ...options,
    sitemapCacheHours: sitemapCacheHours.optional(),
    maxParallelPerHost: byPolicy.maxParallelPerHost.optional(),
    defaultCrawlDelay: byPolicy.defaultCrawlDelay.optional(),
    maxRetries: byPolicy.maxRetries.optional(),
    maxRetryBackoffSeconds: byPolicy.maxRetryBackoffSeconds.optional(),
    backoff: backoffSchema.partial().optional(),
  })
  .superRefine((value, ctx) => {
    if (value.minCrawlDelay > value.maxCrawlDelay)
      ctx.addIssue({ code: 'custom', path: ['minCrawlDelay'], message: 'must not be above maxCrawlDelay' });
    const given = (['url', 'urls', 'sites'] as const).filter((name) => value[name] !== undefined);
    if (given.length !== 1) {
      const message =
        given.length === 0
          ? 'is required (or "urls" or "sites")'
          : `and ${given.slice(1).join(', ')} exclude each other`;
      ctx.addIssue({ code: 'custom', path: [given[0] ?? 'url'], message });
    }
    if (value.renderWaitMs > 0 && value.renderWaitMs >= value.timeoutSeconds * 1000)
      ctx.addIssue({ code: 'custom', path: ['renderWaitMs'], message: TOO_PATIENT });
    if (value.render === 'never' && value.output.screenshot)
      ctx.addIssue({ code: 'custom', path: ['render'], message: 'can\'t be "never" with "output.screenshot"' });
    if (value.sourceId !== undefined && value.access !== undefined)
      ctx.addIssue({ code: 'custom', path: ['access'], message: "is the source's: PATCH /v1/sources/:id gives it" });
    if (value.sites !== undefined && value.mode === 'urls')
      ctx.addIssue({ code: 'custom', path: ['mode'], message: 'can\'t be "urls" with "sites", which names no URL' });
  });
export type CreateRunInput = z.input<typeof createRunSchema>;

/**
 * Counted up when pages come out of extraction in another way than before: what an earlier version made of a page is then not
 * taken for known, and the page is read again though it has not changed.
 */
export const EXTRACTOR_VERSION = 3;

/** What a run works by, complete; kept with the run and handed to every role. */
export const runConfigSchema = z.object({
  /** Of sites: their start pages, as https until it is found out. */
  urls: z.array(z.string()).min(1),
  sites: z.array(z.string()).default([]),
  ...options,
  // What an earlier version has kept may lack some of these.
  sitemapCacheHours: sitemapCacheHours.default(SITEMAP_CACHE_HOURS),
  maxParallelPerHost: byPolicy.maxParallelPerHost.default(POLICIES.standard.maxParallelPerHost),
  defaultCrawlDelay: byPolicy.defaultCrawlDelay.default(POLICIES.standard.defaultCrawlDelay),
  maxRetries: byPolicy.maxRetries.default(POLICIES.standard.maxRetries),
  maxRetryBackoffSeconds: byPolicy.maxRetryBackoffSeconds.default(POLICIES.standard.maxRetryBackoffSeconds),
  backoff: backoffSchema.default(POLICIES.standard.backoff),
  maxUrls: z.int(),
  userAgent: z.string(),
  /** The version its pages are extracted by; kept configurations of the first one do not say. Nobody's to choose. */
  extractor: z.int().default(1),
});
export type RunConfig = z.output<typeof runConfigSchema>;
export type NormalizeOptions = RunConfig['normalize'];

/** Fills in what depends on other fields or on the environment. */
export function completeRunConfig(input: z.output<typeof createRunSchema>, defaults: { userAgent: string }): RunConfig {
  const { url, urls, sites = [], sourceId: _sourceId, access: _access, maxUrls, userAgent, backoff, ...rest } = input;
  const policy = POLICIES[input.policy];
  return {
    ...rest,
    // Who asks what has changed is not to be told what had changed yesterday.
    sitemapCacheHours: input.sitemapCacheHours ?? (input.updateStale ? 0 : SITEMAP_CACHE_HOURS),
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
    sites,
    urls: urls ?? (url === undefined ? sites.map((site) => `https://${site}/`) : [url]),
    maxUrls: maxUrls ?? Math.max(10 * input.maxPages, 10_000),
    userAgent: userAgent ?? defaults.userAgent,
    extractor: EXTRACTOR_VERSION,
  };
}
