/**
 * The arguments of `crawl` as a request: what to ask of the API, where to write. Checks everything that can be checked
 * before a server is started, by the API's own schema. Starts nothing.
 */
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type CreateRunInput, createRunSchema } from '@trawl/contracts';
import { EXPORT_FORMATS, type ExportFormat, FORMAT_FILES } from '@trawl/exports';
import { readAccessFile } from './access-file.ts';
import { firstSentence } from './wrong-argument.ts';

/** `files` is a directory with a markdown file per page and an index; the others are one file each. */
const OUTPUT_FORMATS = ['files', ...EXPORT_FORMATS] as const;
type OutputFormat = (typeof OUTPUT_FORMATS)[number];

interface CrawlOutput {
  readonly format: OutputFormat;
  readonly path: string;
}

export interface CrawlRequest {
  readonly run: CreateRunInput & { readonly url: string };
  readonly outputs: readonly CrawlOutput[];
  /** Where all of it is, for people: the one file or directory, or the directory that holds several. */
  readonly output: string;
  readonly isForced: boolean;
  readonly isJson: boolean;
}

export type CrawlArguments =
  | { kind: 'request'; request: CrawlRequest }
  | { kind: 'help' }
  | { kind: 'wrong'; message: string };

export const CRAWL_HELP = `Crawls one site and writes its pages, as markdown files or in another format.

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
  --access FILE              JSON of what requests carry: {"headers", "cookies", "basicAuth", "proxy", "hosts"} (docs/access.md)
  --locale TAG               the language pages are asked for in, such as de or de-AT
  --render MODE              auto (a browser for what is empty without one), always or never (auto)
  --render-wait MS           further wait after a rendered page's network is idle (0)
  --screenshots              a PNG of each page beside its file; takes a browser for every page
  --viewport WxH             the window that pages are rendered in (1280x800)
  --no-main-content          keep whole pages: navigation, banners and footers too
  --include-selector CSS     where a page has one of these, it is the content; may be repeated
  --exclude-selector CSS     never content; may be repeated
  --chunk-tokens N           most tokens of a chunk (500)
  --chunk-overlap N          tokens that a chunk repeats of the one before (50)
  --tokenizer NAME           what tokens are counted by: cl100k_base or o200k_base (cl100k_base)
  --html                     keep each answer as it came; jsonl has it as html, and warc is made of it
  --format FORMAT            files (a directory, a markdown file per page), zip (the same, packed), markdown (all in one),
                             jsonl, csv, parquet, warc, llms or llms-full; may be repeated (files)
  --output PATH              the directory of files, the one file of another format, or the directory of several
                             formats (trawl-output/<host>-<time>, with the format's extension for one file)
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
  access: { type: 'string' },
  locale: { type: 'string' },
  render: { type: 'string' },
  'render-wait': { type: 'string' },
  screenshots: { type: 'boolean' },
  viewport: { type: 'string' },
  html: { type: 'boolean' },
  'no-main-content': { type: 'boolean' },
  'include-selector': { type: 'string', multiple: true },
  'exclude-selector': { type: 'string', multiple: true },
  'chunk-tokens': { type: 'string' },
  'chunk-overlap': { type: 'string' },
  tokenizer: { type: 'string' },
  format: { type: 'string', multiple: true },
  output: { type: 'string' },
  force: { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** Which field of a run each option sets, by its path; the API's schema says what it may be. */
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
  locale: 'locale',
  render: 'render',
  'render-wait': 'renderWaitMs',
  screenshots: 'output.screenshot',
  html: 'output.html',
  'include-selector': 'output.includeSelectors',
  'exclude-selector': 'output.excludeSelectors',
  'chunk-tokens': 'output.chunks.maxTokens',
  'chunk-overlap': 'output.chunks.overlap',
  tokenizer: 'output.chunks.tokenizer',
} as const;
const NUMBERS: ReadonlySet<string> = new Set([
  'max-pages',
  'max-depth',
  'crawl-delay',
  'max-parallel-per-host',
  'timeout',
  'max-retries',
  'render-wait',
  'chunk-tokens',
  'chunk-overlap',
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
    if (!NUMBERS.has(option)) setField(fields, field, value);
    else if (typeof value === 'string' && value.trim() && Number.isFinite(Number(value)))
      setField(fields, field, Number(value));
    else return { kind: 'wrong', message: `--${option} must be a number, not "${value}".` };
  }
  if (values.viewport !== undefined) {
    const [, width, height] = /^(\d+)x(\d+)$/.exec(values.viewport) ?? [];
    if (width === undefined) return { kind: 'wrong', message: '--viewport must be WIDTHxHEIGHT, such as 1280x800.' };
    fields.viewport = { width: Number(width), height: Number(height) };
  }
  if (values.access !== undefined) {
    const file = readAccessFile(values.access, directory);
    if (file.kind === 'wrong') return file;
    fields.access = file.access;
  }
  if (values['ignore-robots']) fields.respectRobots = false;
  if (values['no-main-content']) setField(fields, 'output.mainContent', false);
  const formats = [...new Set(values.format ?? ['files'])];
  if (!formats.every(isOutputFormat)) {
    const unknown = formats.find((format) => !isOutputFormat(format));
    return { kind: 'wrong', message: `--format must be one of ${OUTPUT_FORMATS.join(', ')}, not "${unknown}".` };
  }
  if (values.screenshots && !formats.includes('files'))
    return { kind: 'wrong', message: '--screenshots are written beside the files of pages: --format files.' };
  if (formats.includes('warc')) setField(fields, 'output.html', true);
  const checked = createRunSchema.safeParse(fields);
  if (!checked.success) return { kind: 'wrong', message: complaint(checked.error.issues[0], address) };
  const run = fields as CrawlRequest['run'];
  const stem = defaultOutput(new URL(run.url).host, now);
  const { outputs, output } = outputsOf(formats, (extension) => resolve(directory, values.output ?? stem + extension));
  return {
    kind: 'request',
    request: { run, outputs, output, isForced: values.force ?? false, isJson: values.json ?? false },
  };
}

/** `place` takes what a default name ends with. */
function outputsOf(formats: readonly OutputFormat[], place: (extension: string) => string) {
  const [first] = formats;
  if (formats.length === 1 && first !== undefined) {
    const output = place(first === 'files' ? '' : FORMAT_FILES[first].extension);
    return { outputs: [{ format: first, path: output }], output };
  }
  const output = place('');
  return { outputs: formats.map((format) => ({ format, path: join(output, nameAmongOthers(format)) })), output };
}

/** No file of a page lies beside these, so none can have the same name. */
function nameAmongOthers(format: OutputFormat): string {
  if (format === 'files') return 'files';
  return isLlms(format) ? `${format}.txt` : `pages${FORMAT_FILES[format].extension}`;
}

const isLlms = (format: ExportFormat): boolean => format === 'llms' || format === 'llms-full';

const isOutputFormat = (word: string): word is OutputFormat => (OUTPUT_FORMATS as readonly string[]).includes(word);

function setField(fields: Record<string, unknown>, path: string, value: unknown): void {
  const [name = '', ...rest] = path.split('.');
  if (rest.length === 0) {
    fields[name] = value;
    return;
  }
  const inner = (fields[name] ?? {}) as Record<string, unknown>;
  fields[name] = inner;
  setField(inner, rest.join('.'), value);
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
  // Of a list, the number of the entry says nothing to whoever gave it as options.
  const field = (issue?.path ?? []).filter((part) => typeof part === 'string').join('.');
  if (field === 'url') return `"${address}" ${issue?.message}.`;
  if (field.startsWith('access.')) return `--access: ${field.slice('access.'.length)} ${issue?.message}.`;
  if (field.startsWith('viewport.')) return `--viewport: ${field.slice('viewport.'.length)} ${issue?.message}.`;
  const option = Object.entries(FIELDS).find(([, name]) => name === field)?.[0] ?? field;
  return `--${option}: ${issue?.message}.`;
}
