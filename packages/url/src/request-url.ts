/**
 * A short form of the URL to request, kept beside its key for the life of a run. Nearly every URL differs from its key
 * by the scheme, a `www.` or a trailing slash, so three letters usually do; anything else is kept whole.
 */
import type { UrlKey } from '@trawl/contracts';

const CODES = ['', 'h', 't', 'ht', 'w', 'hw', 'wt', 'hwt'] as const;
type Code = (typeof CODES)[number];

/** `h`: http. `w`: a leading `www.`. `t`: a trailing slash on the path. No code is the start of a URL longer than it. */
export function packRequestUrl(key: UrlKey, url: string): string {
  if (url === key) return '';
  const code: Code = `${url.startsWith('http:') ? 'h' : ''}${isWww(url) && !isWww(key) ? 'w' : ''}${
    hasTrailingSlash(url) && !hasTrailingSlash(key) ? 't' : ''
  }`;
  return apply(key, code) === url ? code : url;
}

export function unpackRequestUrl(key: UrlKey, packed: string): string {
  return (CODES as readonly string[]).includes(packed) ? apply(key, packed) : packed;
}

function apply(key: UrlKey, code: string): string {
  let rest = key.slice('https://'.length);
  if (code.includes('w')) rest = `www.${rest}`;
  if (code.includes('t')) {
    const end = pathEnd(rest);
    rest = `${rest.slice(0, end)}/${rest.slice(end)}`;
  }
  return `${code.includes('h') ? 'http' : 'https'}://${rest}`;
}

const isWww = (url: string): boolean => url.startsWith('www.', url.indexOf('//') + 2);

const hasTrailingSlash = (url: string): boolean => url.charCodeAt(pathEnd(url) - 1) === 47;

function pathEnd(url: string): number {
  const question = url.indexOf('?');
  return question < 0 ? url.length : question;
}
