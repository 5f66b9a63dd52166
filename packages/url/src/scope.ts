/** Which URLs belong to a run by where they are. Other filters on the path are in path-filters.ts. */
import type { NormalizeOptions, RunConfig } from '@trawl/contracts';
import { getDomain } from 'tldts';
import { withoutRootDot } from './host.ts';
import { normalizedParts, normalizePercent, type UrlParts } from './normalize.ts';
import { withoutPathSessions } from './session-ids.ts';

/** `hostname` is that of the URL as found; `parts` are those of its key. */
export type InScope = (hostname: string, parts: UrlParts) => boolean;

/** In scope of any one of the start URLs is in scope. */
export function compileScope(config: Pick<RunConfig, 'scope' | 'urls' | 'normalize'>): InScope {
  const starts = config.urls.map((url) => new URL(url));
  switch (config.scope) {
    case 'any':
      return () => true;
    case 'host': {
      const authorities = new Set(starts.map((start) => normalizedParts(start, config.normalize).authority));
      return (_hostname, parts) => authorities.has(parts.authority);
    }
    case 'domain': {
      const places = new Set(starts.map((start) => siteOf(start.hostname, normalizedParts(start, config.normalize))));
      return (hostname, parts) => places.has(siteOf(hostname, parts));
    }
    case 'path':
      return belowPaths(starts, config.normalize);
  }
}

/**
 * The registrable domain. Private suffixes count, so two users of `github.io` are two sites. Addresses, `localhost` and
 * bare suffixes have no such domain: there a site is one host with its port, since ports of one address are often
 * unrelated services. (A colon keeps the two kinds apart.)
 */
function siteOf(hostname: string, parts: UrlParts): string {
  const domain = getDomain(withoutRootDot(hostname), {
    allowPrivateDomains: true,
    extractHostname: false,
    validateHostname: false,
  });
  return domain ?? `host:${parts.authority}`;
}

/** Whole segments: below `/docs` and `/docs/` are `/docs` and `/docs/a`, not `/docs-old`. A file stands for its folder. */
function belowPaths(starts: readonly URL[], normalize: NormalizeOptions): InScope {
  const folders = starts.map((start) => {
    const { authority } = normalizedParts(start, normalize);
    const path = normalize.stripSession ? withoutPathSessions(start.pathname) : start.pathname;
    const folder = normalizePercent(folderOf(path));
    return { authority, folder: normalize.ignoreCase ? folder.toLowerCase() : folder };
  });
  return (_hostname, { authority, path }) => {
    const inside = normalize.ignoreCase ? `${path.toLowerCase()}/` : `${path}/`;
    return folders.some((start) => start.authority === authority && inside.startsWith(start.folder));
  };
}

/** A last segment with a dot is a file, as in `/docs/intro.html`. */
function folderOf(path: string): string {
  const lastSlash = path.lastIndexOf('/');
  return path.includes('.', lastSlash) || path.endsWith('/') ? path.slice(0, lastSlash + 1) : `${path}/`;
}
