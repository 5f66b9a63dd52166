/**
 * The arguments of `crawl` as a request: what to ask of the API, where to write. Checks everything that can be checked
 * before a server is started, by the API's own schema. Starts nothing.
 */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type CreateRunInput, createRunSchema } from '@trawl/contracts';
import { firstSentence } from './wrong-argument.ts';

export interface CrawlRequest {
  readonly run: CreateRunInput & { readonly url: string };
  readonly outputDirectory: string;
  readonly isForced: boolean;
  readonly isJson: boolean;
}

export type CrawlArguments =
  | { kind: 'request'; request: CrawlRequest }
  | { kind: 'help' }
  | { kind: 'wrong'; message: string };

export const CRAWL_HELP = `Crawls one site and writes its pages as markdown files.

  npm run crawl -- <url> [options]

  --max-pages N              most pages to process (1000)
  --max-depth N              most links away from the start page (2; 0 = that page only)
  --mode MODE                crawl (follow links), sitemap (only what sitemaps name) or urls (that page only) (crawl)
  --sitemap WHAT             include (sitemap entries are start pages too) or skip (include)
  --scope SCOPE              domain (subdomains included), host, path (below the start path) or any (domain)
  --include GLOB             only paths that match, e.g. '/docs/**'; may be repeated
  --exclude GLOB             no paths that match; wins over --include; may be repeated
  --url-filter PATTERN       only URLs that match this SQL LIKE pattern (% and _)
  --preset docs              leaves out commercial, legal, sign-in and similar paths
  --boost PREFIX             paths to fetch before others; may be repeated
  --policy NAME              how hard to be on hosts: gentle, standard or fast (standard)
  --crawl-delay SECONDS      between two requests to a host whose robots.txt names no delay (0: several at a time)
  --max-parallel-per-host N  requests to one host at the same time (8)
  --timeout SECONDS          for one request (30)
  --max-retries N            tries per page, where a failure may pass (5)
  --ignore-robots            take no notice of robots.txt; for sites of your own
  --user-agent TEXT          the User-Agent header
  --output DIR               where the files go (trawl-output/<host>-<time>)
  --force                    write into --output even if it is not empty; files of the same name are replaced
  --json                     print the summary as JSON; the progress stays on stderr

Redis and Postgres are started for this one run unless REDIS_URL and DATABASE_URL name some. Pages of this machine
or of a private network need ALLOW_PRIVATE_NETWORKS=true. The exit code is 0 if the run completed with at least one
page, 1 if not, 2 for a wrong argument, 130 after Ctrl+C: the run is cancelled then and what it has is written.`;

const OPTIONS = {
  'max-pages': { type: 'string' },
  'max-depth': { type: 'string' },
  mode: { type: 'string' },
  sitemap: { type: 'string' },
  scope: { type: 'string' },
  include: { type: 'string', multiple: true },
  exclude: { type: 'string', multiple: true },
  'url-filter': { type: 'string' },
  preset: { type: 'string' },
  boost: { type: 'string', multiple: true },
  policy: { type: 'string' },
  'crawl-delay': { type: 'string' },
  'ignore-robots': { type: 'boolean' },
  'max-parallel-per-host': { type: 'string' },
  timeout: { type: 'string' },
  'max-retries': { type: 'string' },
  'user-agent': { type: 'string' },
  output: { type: 'string' },
  force: { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** Which field of a run each option sets; the API's schema says what it may be. */
const FIELDS = {
  'max-pages': 'maxPages',
  'max-depth': 'maxDepth',
  mode: 'mode',
  sitemap: 'sitemap',
  scope: 'scope',
  include: 'include',
  exclude: 'exclude',
  'url-filter': 'urlFilter',
  preset: 'preset',
  boost: 'boost',
  policy: 'policy',
  'crawl-delay': 'defaultCrawlDelay',
  'max-parallel-per-host': 'maxParallelPerHost',
  timeout: 'timeoutSeconds',
  'max-retries': 'maxRetries',
  'user-agent': 'userAgent',
} as const;
const NUMBERS: ReadonlySet<string> = new Set([
  'max-pages',
  'max-depth',
  'crawl-delay',
  'max-parallel-per-host',
  'timeout',
  'max-retries',
]);

export function parseCrawlArguments(args: readonly string[], directory: string, now: Date): CrawlArguments {
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse(args);
  } catch (error) {
    return { kind: 'wrong', message: firstSentence(error) };
  }
  const { values, positionals } = parsed;
  if (values.help) return { kind: 'help' };
  const [address, ...more] = positionals;
  if (address === undefined) return { kind: 'wrong', message: 'Which site? Give a URL, such as https://example.com.' };
  if (more.length > 0) return { kind: 'wrong', message: `One URL at a time: "${more[0]}" is one too many.` };

  const fields: Record<string, unknown> = { url: withScheme(address) };
  for (const [option, field] of Object.entries(FIELDS)) {
    const value = values[option as keyof typeof FIELDS];
    if (value === undefined) continue;
    if (!NUMBERS.has(option)) fields[field] = value;
    else if (typeof value === 'string' && value.trim() && Number.isFinite(Number(value))) fields[field] = Number(value);
    else return { kind: 'wrong', message: `--${option} must be a number, not "${value}".` };
  }
  if (values['ignore-robots']) fields.respectRobots = false;
  const checked = createRunSchema.safeParse(fields);
  if (!checked.success) return { kind: 'wrong', message: complaint(checked.error.issues[0], address) };
  const run = fields as CrawlRequest['run'];
  const outputDirectory = resolve(directory, values.output ?? defaultOutput(new URL(run.url).host, now));
  return {
    kind: 'request',
    request: { run, outputDirectory, isForced: values.force ?? false, isJson: values.json ?? false },
  };
}

export function defaultOutput(name: string, now: Date): string {
  const time = now.toISOString().slice(0, 19).replaceAll(':', '').replace('T', '-');
  return `trawl-output/${name.replace(/[^a-z0-9.-]+/gi, '-')}-${time}`;
}

function parse(args: readonly string[]) {
  return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true, strict: true });
}

/** `example.com` is what people type. */
function withScheme(address: string): string {
  return /^[a-z][a-z0-9+.-]*:(?!\d)/i.test(address) ? address : `https://${address}`;
}

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

function complaint(issue: Issue | undefined, address: string): string {
  const field = String(issue?.path[0] ?? '');
  if (field === 'url') return `"${address}" ${issue?.message}.`;
  const option = Object.entries(FIELDS).find(([, name]) => name === field)?.[0] ?? field;
  return `--${option}: ${issue?.message}.`;
}
