/**
 * Reads the sitemaps of one site: those that are given, that robots.txt names, or the first that is found in the usual places; and all that these
 * lead to, each once. Entries are handed on while a file still arrives.
 */
import { carriedTo, type SitemapRead } from '@trawl/contracts';
import { createSitemapReader, type SitemapBatch } from '@trawl/extract';
import type { StreamReply } from '@trawl/fetcher';
import { hostLimits, newHolder, type SiteDeps, type SiteRobots, takeTurn } from '@trawl/turns';
import { hostKey } from '@trawl/url';
import type { DiscoveryReport } from './report.ts';

/** Where sitemaps are, in the order they are looked for. */
const WELL_KNOWN = [
  '/sitemap.xml',
  '/sitemap_index.xml',
  '/sitemap-index.xml',
  '/sitemapindex.xml',
  '/sitemap/sitemap.xml',
  '/sitemaps/sitemap.xml',
  '/sitemap1.xml',
  '/sitemap-1.xml',
  '/post-sitemap.xml',
  '/page-sitemap.xml',
  '/product-sitemap.xml',
  '/category-sitemap.xml',
  '/wp-sitemap.xml',
];

/** The protocol allows 50 MB; some sites do not keep to it. */
const MAX_SITEMAP_BYTES = 128 * 1024 * 1024;
const MAX_SITEMAPS = 50_000;
const MAX_INDEX_DEPTH = 10;
const MAX_REDIRECTS = 5;
const ATTEMPTS = 3;
/** A large file takes longer than a page, and what becomes of its entries is part of that time. */
const TIMES_LONGER = 20;
const ACCEPT = 'application/xml,text/xml,text/plain;q=0.9,*/*;q=0.5';

export interface SitemapsRead {
  readonly from: 'given' | 'robots' | 'well-known' | 'none';
  readonly sitemaps: number;
  readonly entries: number;
  /** False where something there is was not read. */
  readonly complete: boolean;
  readonly reads: readonly SitemapRead[];
}

export interface SitemapsDeps extends SiteDeps {
  readonly report: DiscoveryReport;
  /** Takes entries; false: the run has enough. */
  take(batch: SitemapBatch): Promise<boolean>;
}

/** What is kept with the cache of a site. */
const KEPT_READS = 100;

export async function readSitemaps(
  site: { readonly origin: string; readonly given: readonly string[]; readonly robots: SiteRobots },
  deps: SitemapsDeps,
): Promise<SitemapsRead> {
  const named = site.given.length > 0 ? site.given : (site.robots.file?.sitemaps ?? []);
  const walk = new Walk(site.robots, deps);
  if (named.length > 0) {
    await walk.all(named);
    return walk.result(site.given.length > 0 ? 'given' : 'robots');
  }
  for (const path of WELL_KNOWN) {
    if (await walk.guess(new URL(path, site.origin).href)) return walk.result('well-known');
    if (walk.isHostDown) break;
  }
  return walk.result('none');
}

interface Queued {
  readonly url: string;
  readonly depth: number;
}

class Walk {
  readonly #robots: SiteRobots;
  readonly #deps: SitemapsDeps;
  readonly #known = new Set<string>();
  readonly #reads: SitemapRead[] = [];
  #sitemaps = 0;
  #entries = 0;
  #isComplete = true;
  #hasEnough = false;
  /** A host did not answer in all the time that was given to it: it need not be waited for again. */
  isHostDown = false;

  constructor(robots: SiteRobots, deps: SitemapsDeps) {
    this.#robots = robots;
    this.#deps = deps;
  }

  result(from: SitemapsRead['from']): SitemapsRead {
    const complete = this.#isComplete && !this.#hasEnough;
    return { from, sitemaps: this.#sitemaps, entries: this.#entries, complete, reads: this.#reads };
  }

  async all(urls: readonly string[]): Promise<void> {
    const queue: Queued[] = [];
    this.#add(urls, 0, queue);
    for (let next = queue.shift(); next && !this.#hasEnough && !this.isHostDown; next = queue.shift()) {
      const { read, children, failure } = await this.#read(next.url);
      this.#keep(read, failure);
      if (next.depth < MAX_INDEX_DEPTH) this.#add(children, next.depth + 1, queue);
      else if (children.length > 0)
        this.#problem(`Sitemaps below ${next.url} were not read: it is ${MAX_INDEX_DEPTH} indexes deep.`);
    }
  }

  /** True if there was a sitemap. What is found instead of one is nothing to complain about: nobody said that there is one. */
  async guess(url: string): Promise<boolean> {
    this.#known.add(url);
    const { read, children, failure } = await this.#read(url);
    if (this.isHostDown) this.#problem(`Sitemaps could not be looked for (${url}): ${failure}`);
    if (read.format === null) return false;
    this.#keep(read, failure);
    await this.all(children);
    return true;
  }

  #add(urls: readonly string[], depth: number, queue: Queued[]): void {
    for (const url of urls) {
      if (this.#known.has(url)) continue;
      if (this.#known.size >= MAX_SITEMAPS) {
        this.#problem(`Only the first ${MAX_SITEMAPS} sitemaps were read.`);
        return;
      }
      this.#known.add(url);
      queue.push({ url, depth });
    }
  }

  #keep(read: SitemapRead, failure: string | null): void {
    this.#sitemaps += 1;
    this.#entries += read.entries;
    const problems =
      failure === null
        ? read.problems
        : [...read.problems, { code: 'NOT_READ', message: `It could not be read: ${failure}` }];
    const kept = { ...read, problems };
    this.#deps.report.sitemap(kept);
    if (this.#reads.length < KEPT_READS) this.#reads.push(kept);
    for (const { code, message } of problems) {
      if (!HARMLESS.has(code)) this.#problem(`Sitemap ${read.url}: ${message}`);
    }
  }

  #problem(sentence: string): void {
    this.#isComplete = false;
    this.#deps.report.problem(sentence, true);
  }

  async #read(url: string): Promise<{ read: SitemapRead; children: string[]; failure: string | null }> {
    let at = url;
    let redirects = 0;
    for (let attempt = 1; ; ) {
      const children: string[] = [];
      const reader = createSitemapReader({ url: at, maxBytes: MAX_SITEMAP_BYTES });
      const reply = await this.#request(at, reader, children);
      const { format, entries, sitemaps, problems } = reader.report();
      const read = { url, format, entries, sitemaps, problems: reply?.kind === 'streamed' ? [...problems] : [] };
      if (reply === null) {
        this.isHostDown = true;
        return { read, children, failure: 'its host can not be asked.' };
      }
      if (reply.kind === 'streamed') return { read, children, failure: null };
      if (reply.kind === 'redirect') {
        redirects += 1;
        if (redirects > MAX_REDIRECTS) return { read, children, failure: 'it redirects too often.' };
        at = reply.location;
      } else if (reply.error.retryable && attempt < ATTEMPTS) attempt += 1;
      else {
        this.isHostDown ||= reply.error.retryable;
        return { read, children, failure: reply.error.message };
      }
    }
  }

  #request(
    url: string,
    reader: ReturnType<typeof createSitemapReader>,
    children: string[],
  ): Promise<StreamReply | null> {
    const { config, access, signal, fetcher, take } = this.#deps;
    const limits = hostLimits(config, config.respectRobots ? this.#robots.host : null);
    const patienceMs = config.maxHostDownSeconds * 1000;
    return takeTurn(
      { host: hostKey(url), holder: newHolder(), limits, patienceMs, signal },
      async (onSent) => {
        const { body, reply } = fetcher.stream({
          url,
          userAgent: config.userAgent,
          timeoutMs: config.timeoutSeconds * 1000 * TIMES_LONGER,
          // One more than the reader takes, so that it is the one to notice.
          maxBytes: MAX_SITEMAP_BYTES + 1,
          accept: ACCEPT,
          ...carriedTo(url, access),
          signal,
          onSent,
        });
        for await (const batch of reader.read(body)) {
          children.push(...batch.sitemaps);
          if (await take(batch)) continue;
          this.#hasEnough = true;
          break;
        }
        return reply;
      },
      this.#deps,
    );
  }
}

/** Slips that cost no entry. */
const HARMLESS: ReadonlySet<string> = new Set([
  'STRAY_AMPERSANDS',
  'VALUES_IGNORED',
  'CONTENT_OUTSIDE',
  'TAGS_MISMATCHED',
  'EMPTY',
]);
