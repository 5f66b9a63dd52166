/**
 * Which requests of a page are worth making: what a reader of its text would miss. Not the address guard (the gate is,
 * and sees what never comes by here), and not a promise of privacy.
 */
import { isAccessTo, type SiteAccess } from '@trawl/contracts';
import { getDomain } from 'tldts';
import { isTracker } from './trackers.ts';

export interface PageRequest {
  readonly url: string;
  /** As Playwright names it. */
  readonly resourceType: string;
  /** Does it open a page inside the page? */
  readonly isSubframe: boolean;
  /** Only ahead of time, in case it is wanted later? */
  readonly isPrefetch: boolean;
}

/** A page that asks for more than this is not being read any more, it is being used: as a load on somebody's server, say. */
export const MAX_REQUESTS = 1000;

/** Never part of the text. */
const NEVER: ReadonlySet<string> = new Set([
  'beacon',
  'csp_report',
  'cspviolationreport',
  'manifest',
  'media',
  'ping',
  'prefetch',
  'texttrack',
]);
/** Part of a picture of it. */
const FOR_LOOKS: ReadonlySet<string> = new Set(['font', 'image', 'imageset']);

export interface PagePolicy {
  /** A picture of it is wanted. */
  readonly showsPage: boolean;
  /** What requests to the page's own host carry. */
  readonly access: SiteAccess | null;
}

/** Of a page at `pageUrl`. */
export function requestPolicy(pageUrl: string, { showsPage, access }: PagePolicy): (request: PageRequest) => boolean {
  const site = siteOf(new URL(pageUrl).hostname);
  return ({ url, resourceType, isSubframe, isPrefetch }) => {
    const parsed = URL.parse(url);
    if (parsed === null) return false;
    switch (parsed.protocol) {
      case 'about:':
      case 'blob:':
      case 'data:':
        return true;
      case 'http:':
      case 'https:':
        break;
      default:
        return false;
    }
    if (isPrefetch || NEVER.has(resourceType) || (!showsPage && FOR_LOOKS.has(resourceType))) return false;
    const isForeign = siteOf(parsed.hostname) !== site;
    // Advertisements and players, for the most part; what such a frame holds is another page's text anyway.
    if (isForeign && isSubframe) return false;
    // What such a frame asks of the page's own host would go along with what is the page's alone.
    if (isSubframe && access !== null && !isAccessTo(url, access)) return false;
    return !(isForeign && isTracker(parsed.hostname));
  };
}

/** The registrable domain; an address or `localhost`, which has none, stands for itself. */
const siteOf = (hostname: string): string => getDomain(hostname, { allowPrivateDomains: true }) ?? hostname;
