/**
 * What the requests of a source carry so that its sites let them in: headers, cookies, a login, a proxy. Says what may be
 * given, and which of it goes to which address. The values are secrets: they are kept sealed, and nobody is shown more of
 * them than `summaryOf` says.
 */
import { z } from 'zod';

/** Ours to say, or the connection's: what they are follows from other settings, or would break the request. */
const OUR_HEADERS =
  /^(accept-encoding|connection|content-.*|cookie2?|expect|host|http2-settings|if-.*|keep-alive|proxy-.*|range|sec-.*|set-cookie2?|te|trailer|transfer-encoding|upgrade|user-agent|via)$/i;
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/i;
const PRINTABLE = /^[\x20-\x7e]*$/;
/** Servers take heads of 8 KiB and more; what a browser or a proxy adds has to fit in, too. */
const MAX_CHARS = 8192;

const headers = z.record(z.string(), z.string().max(MAX_CHARS)).superRefine((given, ctx) => {
  const seen = new Set<string>();
  for (const [name, value] of Object.entries(given)) {
    const message = headerProblem(name, value) ?? (seen.has(name.toLowerCase()) ? 'is given twice' : null);
    if (message) ctx.addIssue({ code: 'custom', path: [name.slice(0, 100)], message });
    seen.add(name.toLowerCase());
  }
});

function headerProblem(name: string, value: string): string | null {
  if (!TOKEN.test(name) || name.length > 100) return 'is no name of a header';
  if (/^cookie$/i.test(name)) return 'is made of "cookies"';
  if (/^user-agent$/i.test(name)) return 'is set by the option "userAgent"';
  if (OUR_HEADERS.test(name)) return 'is not yours to set';
  return PRINTABLE.test(value) && value.trim() === value && value !== ''
    ? null
    : 'must be printable ASCII without spaces around it';
}

/** `*.` in front: the domain and everything below. A port is said where it is not the usual one. */
const hostPattern = z
  .string()
  .max(260)
  .refine(
    (pattern) => parseHost(pattern) !== null,
    'is not a host such as example.com, *.example.com or localhost:8080',
  );

const cookie = z.strictObject({
  name: z.string().max(200).regex(TOKEN, 'is no name of a cookie'),
  value: z
    .string()
    .max(4096)
    .regex(
      /^[\x21-\x3a\x3c-\x7e]([\x20-\x3a\x3c-\x7e]*[\x21-\x3a\x3c-\x7e])?$|^$/,
      'must be printable ASCII without ";"',
    ),
  domain: z
    .string()
    .max(255)
    .regex(/^\.?[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i, 'is not a domain such as example.com or .example.com')
    .optional()
    .meta({ description: 'A dot in front: subdomains too. Default: the hosts of the access' }),
  path: z
    .string()
    .max(1024)
    .regex(/^\/[\x21-\x3a\x3c-\x7e]*$/, 'must be a path that starts with /')
    .default('/'),
  httpOnly: z.boolean().default(true).meta({
    description: 'No script of a rendered page can read it, of whatever site that script is',
  }),
});

/** No control characters: RFC 7617. */
const loginPart = z
  .string()
  .max(1024)
  .refine((value) => !/\p{Cc}/u.test(value), 'must not hold control characters');

const basicAuth = z.strictObject({
  username: loginPart.refine((value) => !value.includes(':'), 'must not hold a colon'),
  password: loginPart,
});

const proxy = z
  .string()
  .max(2048)
  .superRefine((value, ctx) => {
    const message = proxyProblem(value);
    if (message) ctx.addIssue({ code: 'custom', message });
  })
  .meta({ description: 'http://user:password@proxy.example:8080, or https' });

function proxyProblem(value: string): string | null {
  const url = URL.parse(value);
  if (url === null || !/^https?:$/.test(url.protocol)) return 'must be an http or https address';
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '')
    return 'must be no more than scheme, login, host and port';
  return decodes(url.username) && decodes(url.password) ? null : 'holds a % that stands for nothing: write %25';
}

const NOTHING = 'holds nothing: give headers, cookies, basicAuth or proxy';

/** As a person gives it. */
export const accessSchema = z
  .strictObject({
    hosts: z.array(hostPattern).min(1, 'names no host').max(100).optional().meta({
      description:
        'What headers, login and cookies are for. Default: the hosts of the start URLs. www. makes no difference',
    }),
    headers: headers.default({}),
    cookies: z.array(cookie).max(100).default([]),
    basicAuth: basicAuth.optional(),
    proxy: proxy.optional(),
  })
  .superRefine((value, ctx) => {
    const names = Object.keys(value.headers);
    if (names.length + value.cookies.length === 0 && !value.basicAuth && !value.proxy)
      ctx.addIssue({ code: 'custom', message: NOTHING });
    if (value.basicAuth && names.some((name) => /^authorization$/i.test(name)))
      ctx.addIssue({ code: 'custom', path: ['basicAuth'], message: 'and the header Authorization exclude each other' });
    const size = [...Object.entries(value.headers).flat(), ...value.cookies.flatMap((c) => [c.name, c.value])];
    if (size.join('    ').length > MAX_CHARS)
      ctx.addIssue({ code: 'custom', message: `is longer than ${MAX_CHARS} characters, headers and cookies together` });
  })
  .meta({ id: 'Access' });
export type AccessInput = z.output<typeof accessSchema>;

/** Complete, as it is sealed: where it may go is decided when it is given, and by nobody later. */
const siteAccessSchema = z.object({
  hosts: z.array(z.string()),
  /** Whether what is secret may go over http. */
  plainHttp: z.boolean(),
  headers: z.record(z.string(), z.string()),
  cookies: z.array(
    z.object({
      ...{ name: z.string(), value: z.string(), domain: z.string().nullable(), path: z.string() },
      httpOnly: z.boolean(),
    }),
  ),
  basicAuth: z.object({ username: z.string(), password: z.string() }).nullable(),
  proxy: z.string().nullable(),
});
export type SiteAccess = z.output<typeof siteAccessSchema>;

/** Throws for what `bindAccess` did not make. */
export const parseSiteAccess = (json: string): SiteAccess => siteAccessSchema.parse(JSON.parse(json));

export function bindAccess(input: AccessInput, startUrls: readonly string[]): SiteAccess {
  const starts = startUrls.map((url) => new URL(url));
  return {
    hosts: input.hosts ?? [...new Set(starts.map(({ host }) => host))],
    // A link from an https page to http must not tell the line what only the site may know.
    plainHttp: starts.some(({ protocol }) => protocol === 'http:'),
    headers: input.headers,
    cookies: input.cookies.map(({ domain = null, ...rest }) => ({ ...rest, domain })),
    basicAuth: input.basicAuth ?? null,
    proxy: input.proxy ?? null,
  };
}

/** All that is ever shown of an access. */
export const accessSummarySchema = z
  .object({
    hosts: z.array(z.string()),
    headers: z.array(z.string()).meta({ description: 'Names' }),
    cookies: z.array(z.string()).meta({ description: 'Names' }),
    basicAuth: z.boolean(),
    proxy: z.boolean(),
  })
  .meta({ id: 'AccessSummary', description: 'What is kept of access: never a value' });
export type AccessSummary = z.output<typeof accessSummarySchema>;

export const summaryOf = ({ hosts, headers, cookies, basicAuth, proxy }: SiteAccess): AccessSummary => ({
  hosts,
  headers: Object.keys(headers),
  cookies: [...new Set(cookies.map(({ name }) => name))],
  basicAuth: basicAuth !== null,
  proxy: proxy !== null,
});

export type HeaderPair = readonly [name: string, value: string];

/** What one request takes along. */
export interface Carried {
  readonly headers: readonly HeaderPair[];
  readonly proxy: string | null;
}

const NOTHING_CARRIED: Carried = { headers: [], proxy: null };

/** Of a request that is made without a browser, which has its cookies in a jar of its own. */
export function carriedTo(address: string, access: SiteAccess | null): Carried {
  const url = access === null ? null : URL.parse(address);
  if (access === null || url === null) return NOTHING_CARRIED;
  const cookies = access.cookies.filter((one) => isForCookie(access, one, url));
  const pairs = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  const headers = headersTo(url, access);
  return { headers: pairs === '' ? headers : [...headers, ['cookie', pairs]], proxy: access.proxy };
}

/**
 * What the requests that a page at `address` makes by itself may carry, in a browser. A page asks whom it likes, and reads what it is answered:
 * so one that the access is not for has the use of none of it, but for cookies that are its own.
 */
export function usableBy(address: string, access: SiteAccess): SiteAccess {
  if (isAccessTo(address, access)) return access;
  const url = new URL(address);
  return {
    ...access,
    headers: {},
    basicAuth: null,
    cookies: access.cookies.filter((cookie) => isForDomain(access, cookie, url)),
  };
}

/** Whether the address is one of those that headers and login are for. */
export const isAccessTo = (address: string, access: SiteAccess): boolean => isFor(access, new URL(address));

/** Headers and login, where `url` is one that they are for. */
export function headersTo(url: URL, access: SiteAccess): readonly HeaderPair[] {
  if (!isFor(access, url)) return [];
  const own = Object.entries(access.headers);
  if (access.basicAuth === null) return own;
  const { username, password } = access.basicAuth;
  return [...own, ['authorization', `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`]];
}

function isFor(access: SiteAccess, url: URL): boolean {
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && access.plainHttp)) return false;
  return access.hosts.some((pattern) => {
    const host = parseHost(pattern);
    if (host === null || host.port !== usualAsNone(url.port)) return false;
    const name = withoutWww(url.hostname);
    return name === host.name || (host.isWhole && name.endsWith(`.${host.name}`));
  });
}

type SiteCookie = SiteAccess['cookies'][number];

function isForCookie(access: SiteAccess, cookie: SiteCookie, url: URL): boolean {
  const { path } = cookie;
  const isBelow =
    path === '/' || url.pathname === path || url.pathname.startsWith(path.endsWith('/') ? path : `${path}/`);
  return isBelow && isForDomain(access, cookie, url);
}

function isForDomain(access: SiteAccess, { domain }: SiteCookie, url: URL): boolean {
  if (domain === null) return isFor(access, url);
  if (url.protocol !== 'https:' && !access.plainHttp) return false;
  const name = domain.replace(/^\./, '').toLowerCase();
  return url.hostname === name || (domain.startsWith('.') && url.hostname.endsWith(`.${name}`));
}

export interface AccessHost {
  /** Without `www.`. */
  readonly name: string;
  /** Empty: the usual one. */
  readonly port: string;
  /** Everything below it, too. */
  readonly isWhole: boolean;
}

/** A pattern of `hosts`; null for what is none. */
export function parseHost(pattern: string): AccessHost | null {
  const isWhole = pattern.startsWith('*.');
  const host = isWhole ? pattern.slice(2) : pattern;
  const url = /[\s/?#@\\*]/.test(host) ? null : URL.parse(`http://${host}/`);
  if (url === null || url.hostname === '') return null;
  return { name: withoutWww(url.hostname), port: usualAsNone(url.port), isWhole };
}

const usualAsNone = (port: string): string => (port === '80' || port === '443' ? '' : port);
const withoutWww = (host: string): string => host.toLowerCase().replace(/^www\./, '');

function decodes(part: string): boolean {
  try {
    decodeURIComponent(part);
    return true;
  } catch {
    // A URIError is how it says no.
    return false;
  }
}
