/**
 * Decides for each link of a run whether it belongs to it, and as what. Compiled once per run and process. Does not know
 * what was seen before (crawl-state does), how many a template may have, or what robots.txt says.
 */
import type { Refusal, RunConfig, UrlKey } from '@trawl/contracts';
import { machineName } from './host.ts';
import { compileLike } from './like-pattern.ts';
import { type LinkRank, linkRank } from './link-rank.ts';
import { normalizedParts, type UrlParts } from './normalize.ts';
import { compileGlobs, hasRepeatedSegments, isAsset, isCommercial } from './path-filters.ts';
import { compileScope } from './scope.ts';
import { withoutPathSessions } from './session-ids.ts';
import { isEndlessLooking, templateHash, templateOf } from './template.ts';

/** A link as the pipeline carries it. Shared between calls, so never changed. */
export interface CheckedUrl {
  /** Its identity. */
  readonly key: UrlKey;
  /** As found, absolute, without fragment: what is requested. */
  readonly url: string;
  /** What politeness is counted by: `hostKey(url)`. */
  readonly host: string;
  /** Short hash of its path template. */
  readonly template: string;
  readonly boosted: boolean;
  /** How soon it is worth fetching, where the run says nothing else. */
  readonly rank: LinkRank;
  /** Whether sites make its kind without end. The same for all URLs of a template. */
  readonly endless: boolean;
}

export type UrlVerdict =
  | { readonly kind: 'accepted'; readonly link: CheckedUrl }
  | { readonly kind: 'refused'; readonly reason: Refusal };

export interface UrlRules {
  /** A link found on a page. `base` is only used where `href` is relative. */
  check(href: string, base: string): UrlVerdict;
  /** A URL the user named: only its form and length are checked, no filter and no other guard. */
  checkStart(url: string): UrlVerdict;
  /** Whether the user named this page. */
  isStart(key: UrlKey): boolean;
}

interface FoundUrl {
  readonly url: URL;
  /** Without fragment. */
  readonly href: string;
  readonly parts: UrlParts;
}

/** Most links of a page are on many others too. 50,000 verdicts are a few tens of MB at most. */
const REMEMBERED_VERDICTS = 50_000;

/** The start URLs are `config.urls`: absolute http(s) URLs, or this throws. */
export function compileRules(config: RunConfig): UrlRules {
  const { guards } = config;
  const inScope = compileScope(config);
  const includes = compileGlobs(config.include, config.normalize);
  const excludes = compileGlobs(config.exclude, config.normalize);
  const likes = config.urlFilter === null ? null : compileLike(config.urlFilter);
  const remembered = new Map<string, UrlVerdict>();
  let starts: ReadonlySet<UrlKey> | null = null;
  const startKeys = (): ReadonlySet<UrlKey> => {
    starts ??= new Set(config.urls.map((url) => normalizedParts(new URL(url), config.normalize).key));
    return starts;
  };

  const refusalOf = (found: FoundUrl, path: string, segments: readonly string[]): Refusal | null => {
    if (!inScope(found.url.hostname, found.parts)) return 'out-of-scope';
    if (isAsset(path)) return 'asset';
    if (excludes?.(path)) return 'excluded';
    if (includes && !includes(path)) return 'not-included';
    if (likes && !likes(found.href)) return 'url-filter';
    if (config.preset === 'docs' && isCommercial(segments)) return 'preset';
    return null;
  };

  const guardRefusalOf = (segments: readonly string[]): Refusal | null => {
    if (segments.length > guards.maxPathDepth) return 'path-too-deep';
    if (hasRepeatedSegments(segments, guards.maxRepeatedSegments)) return 'repeated-segments';
    return null;
  };

  const judge = (url: URL | null, isStart: boolean): UrlVerdict => {
    if (!url) return refused('not-a-url');
    if (url.protocol !== 'https:' && url.protocol !== 'http:') return refused('scheme');
    if (url.username !== '' || url.password !== '') return refused('credentials');
    const href = withoutFragment(url.href);
    if (href.length > guards.maxUrlLength) return refused('url-too-long');
    const known = isStart ? undefined : remembered.get(href);
    if (known) return known;

    const found: FoundUrl = { url, href, parts: normalizedParts(url, config.normalize) };
    // Rules are about pages: `/a.css;jsessionid=…` is an asset, and below `/docs` is also what has a session before it.
    const path = config.normalize.stripSession ? withoutPathSessions(url.pathname) : url.pathname;
    const segments = path.split('/').filter((segment) => segment !== '');
    const reason = isStart ? null : (refusalOf(found, path, segments) ?? guardRefusalOf(segments));
    const verdict: UrlVerdict = reason === null ? accepted(found, path) : refused(reason);
    if (!isStart) {
      if (remembered.size >= REMEMBERED_VERDICTS) remembered.clear();
      // By the parser's own string: a caller's is often a slice that would keep a whole page in memory.
      remembered.set(href, verdict);
    }
    return verdict;
  };

  const accepted = ({ url, href, parts }: FoundUrl, path: string): UrlVerdict => {
    const { key, path: keyPath, query } = parts;
    const host = machineName(url.hostname);
    const endless = isEndlessLooking(keyPath, query);
    const template = templateHash(templateOf(host, keyPath, query, endless));
    const boosted = config.boost.some((prefix) => path.startsWith(prefix));
    const rank = linkRank(keyPath, query);
    return { kind: 'accepted', link: { key, url: href, host, template, boosted, rank, endless } };
  };

  return {
    // What is remembered is absolute and canonical, so a hit needs neither parsing nor the base.
    check: (href, base) => remembered.get(href) ?? judge(URL.parse(href, base), false),
    checkStart: (url) => judge(URL.parse(url), true),
    isStart: (key) => startKeys().has(key),
  };
}

function withoutFragment(href: string): string {
  const hash = href.indexOf('#');
  return hash < 0 ? href : href.slice(0, hash);
}

const refused = (reason: Refusal): UrlVerdict => ({ kind: 'refused', reason });
