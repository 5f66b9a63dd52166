/**
 * URL identity: which spellings name one page. The key is for comparing and storing only; what is requested is the URL
 * as it was found (see request-url.ts), since a server may well answer only one of the spellings.
 */
import type { NormalizeOptions, UrlKey } from '@trawl/contracts';
import { withoutRootDot, withoutWww } from './host.ts';
import { withoutPathSessions, withoutQuerySessions } from './session-ids.ts';

const INDEX_FILES = new Set(['index.html', 'index.htm', 'index.php', 'index.asp', 'index.aspx', 'index.jsp']);

/** Parameters that say how a visitor came, never what the page shows. Compared in lower case. */
const TRACKING_PARAMETERS = new Set([
  ...['gclid', 'gclsrc', 'dclid', 'gbraid', 'wbraid', 'srsltid', '_ga', '_gl', 'gad_source', 'gad_campaignid'],
  ...['fbclid', 'igshid', 'igsh', 'msclkid', 'twclid', 'ttclid', 'li_fat_id', 'epik', 'rdt_cid', 'scclid'],
  ...['yclid', 'ysclid', '_openstat', 'mc_cid', 'mc_eid', 'mkt_tok', 'vero_id', 'vero_conv', 'wickedid'],
  ...['_hsenc', '_hsmi', '__hstc', '__hssc', '__hsfp', 'hsctatracking', 'oly_anon_id', 'oly_enc_id', 's_cid'],
]);
const TRACKING_PREFIXES = ['utm_', 'pk_', 'mtm_', 'piwik_', 'matomo_'];

/** The parts of a key, for rules that look at one of them. */
export interface UrlParts {
  readonly key: UrlKey;
  /** Host and, unless it is the default of http or https, the port. */
  readonly authority: string;
  readonly path: string;
  /** With its leading `?`, or empty. */
  readonly query: string;
}

/** The identity of an http(s) URL; idempotent. Throws a TypeError for a string that is not an absolute URL. */
export function normalizeUrl(url: string | URL, options: NormalizeOptions): UrlKey {
  return normalizedParts(typeof url === 'string' ? new URL(url) : url, options).key;
}

/** What every run starts with. */
const DEFAULTS: NormalizeOptions = {
  ignoreCase: false,
  stripWww: true,
  stripIndex: true,
  stripTracking: true,
  stripSession: true,
};

/** The identity of an http(s) URL outside a run, such as in a sitemap: by the default normalization. */
export const pageIdentity = (url: string): UrlKey => normalizeUrl(url, DEFAULTS);

export function normalizedParts(url: URL, options: NormalizeOptions): UrlParts {
  const authority = normalizedAuthority(url, options);
  const path = normalizedPath(url.pathname, options);
  const query = normalizedQuery(url.search, options);
  return { key: `https://${authority}${path}${query}` as UrlKey, authority, path, query };
}

/**
 * RFC 3986, section 6.2.2: escapes of unreserved characters are decoded, the others get upper-case digits. A percent
 * sign that starts no escape stands for itself and becomes `%25`: left alone, it could form an escape with what follows.
 */
export function normalizePercent(text: string): string {
  if (!text.includes('%')) return text;
  return text.replace(/%([0-9a-f]{2})?/gi, (sequence, digits: string | undefined) => {
    if (digits === undefined) return '%25';
    const character = String.fromCharCode(Number.parseInt(digits, 16));
    return /[\w.~-]/.test(character) ? character : sequence.toUpperCase();
  });
}

function normalizedAuthority(url: URL, options: NormalizeOptions): string {
  const hostname = withoutRootDot(url.hostname);
  const host = options.stripWww ? withoutWww(hostname) : hostname;
  // The URL parser has dropped the default of its own scheme; one identity for both schemes needs both dropped.
  const port = url.port;
  return port === '' || port === '80' || port === '443' ? host : `${host}:${port}`;
}

function normalizedPath(pathname: string, options: NormalizeOptions): string {
  let path = foldCase(normalizePercent(pathname), options);
  // Before the index file is looked for: `/index.jsp;jsessionid=…` is one.
  if (options.stripSession) path = withoutPathSessions(path);
  // In a loop, as `/index.php/index.html/` has to end where its own result would.
  for (;;) {
    let end = path.length;
    while (end > 1 && path.charCodeAt(end - 1) === 47) end--;
    if (end < path.length) path = path.slice(0, end);
    const lastSegment = path.lastIndexOf('/') + 1;
    if (!options.stripIndex || !INDEX_FILES.has(path.slice(lastSegment))) return path;
    path = path.slice(0, lastSegment);
  }
}

function normalizedQuery(search: string, options: NormalizeOptions): string {
  if (search.length <= 1) return '';
  const text = foldCase(normalizePercent(search.slice(1)), options);
  let parameters = text.split('&');
  // Before the filter, which has to see what remains of `PHPSESSID=…;utm_id=1`.
  if (options.stripSession) parameters = parameters.map((parameter) => withoutQuerySessions(parameter, text));
  parameters = parameters.filter(
    (parameter) => parameter !== '' && !(options.stripTracking && isTracking(nameOf(parameter))),
  );
  if (parameters.length === 0) return '';
  if (parameters.length > 1) {
    // Stable: the order of equal names may matter to the server.
    parameters.sort((a, b) => compare(nameOf(a), nameOf(b)));
  }
  return `?${parameters.join('&')}`;
}

/** Only ASCII letters fold: others are percent-encoded by now, and their escapes stay upper-case. */
function foldCase(text: string, options: NormalizeOptions): string {
  if (!options.ignoreCase) return text;
  const folded = text.toLowerCase();
  return folded.includes('%') ? folded.replace(/%[0-9a-f]{2}/g, (sequence) => sequence.toUpperCase()) : folded;
}

function nameOf(parameter: string): string {
  const equals = parameter.indexOf('=');
  return equals < 0 ? parameter : parameter.slice(0, equals);
}

function isTracking(name: string): boolean {
  const lower = name.toLowerCase();
  return TRACKING_PARAMETERS.has(lower) || TRACKING_PREFIXES.some((prefix) => lower.startsWith(prefix));
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
