import { describe, expect, it } from 'vitest';
import {
  type AccessInput,
  accessSchema,
  bindAccess,
  carriedTo,
  headersTo,
  parseHost,
  parseSiteAccess,
  type SiteAccess,
  summaryOf,
  usableBy,
} from './access.ts';

const errorsOf = (input: unknown): string[] => {
  const checked = accessSchema.safeParse(input);
  return checked.success ? [] : checked.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
};
const bound = (input: object, ...urls: string[]): SiteAccess =>
  bindAccess(accessSchema.parse(input) as AccessInput, urls.length > 0 ? urls : ['https://a.test/docs']);
const headersAt = (access: SiteAccess, url: string): Record<string, string> =>
  Object.fromEntries(carriedTo(url, access).headers);

const TOKEN = { headers: { 'X-Token': 't0p' } };

describe('what may be given', () => {
  it.each<[string, object]>([
    ['headers', { headers: { Authorization: 'Bearer x', 'X-A': 'two words', accept: 'text/html' } }],
    [
      'cookies',
      {
        cookies: [
          { name: 'sid', value: 'a"b,c d' },
          { name: 'e', value: '', domain: '.a.test', path: '/x' },
        ],
      },
    ],
    ['a login', { basicAuth: { username: 'me', password: 'pä:ss wörd' } }],
    ['a proxy', { proxy: 'http://u:p%40ss@proxy.test:3128' }],
    ['hosts', { ...TOKEN, hosts: ['a.test', '*.b.test', 'localhost:8080', '[::1]:9'] }],
  ])('%s', (_, input) => {
    expect(errorsOf(input)).toEqual([]);
  });

  it.each<[string, unknown, string]>([
    ['nothing', {}, ': holds nothing: give headers, cookies, basicAuth or proxy'],
    ['only hosts', { hosts: ['a.test'] }, ': holds nothing'],
    ['what is not known', { ...TOKEN, token: 'x' }, 'Unrecognized key'],
    ['a header with a line end', { headers: { a: 'x\r\nb: y' } }, 'headers.a: must be printable ASCII'],
    ['a header that is no name', { headers: { 'a b': 'x' } }, 'headers.a b: is no name of a header'],
    ['a header twice', { headers: { 'X-A': '1', 'x-a': '2' } }, 'headers.x-a: is given twice'],
    ['Cookie as a header', { headers: { Cookie: 'a=b' } }, 'headers.Cookie: is made of "cookies"'],
    ['the user agent', { headers: { 'User-Agent': 'x' } }, 'is set by the option "userAgent"'],
    ...[
      'Host',
      'Content-Length',
      'Transfer-Encoding',
      'Connection',
      'Proxy-Authorization',
      'If-None-Match',
      'Range',
      'TE',
    ].map((name): [string, unknown, string] => [
      name,
      { headers: { [name]: 'x' } },
      `headers.${name}: is not yours to set`,
    ]),
    ['two logins', { headers: { authorization: 'x' }, basicAuth: { username: 'a', password: 'b' } }, 'basicAuth: and'],
    ['a colon in a user name', { basicAuth: { username: 'a:b', password: 'c' } }, 'must not hold a colon'],
    ['half a login', { basicAuth: { username: 'a' } }, 'basicAuth.password'],
    ['a cookie with a semicolon', { cookies: [{ name: 'a', value: 'b; c=d' }] }, 'cookies.0.value: must be printable'],
    ['a cookie for a URL', { cookies: [{ name: 'a', value: 'b', domain: 'https://a.test' }] }, 'is not a domain'],
    ['a SOCKS proxy', { proxy: 'socks5://p.test:1080' }, 'proxy: must be an http or https address'],
    ['a proxy with a path', { proxy: 'http://p.test/x' }, 'proxy: must be no more than'],
    ['a proxy whose login is cut', { proxy: 'http://u:%@p.test' }, 'proxy: holds a %'],
    ['a URL for a host', { ...TOKEN, hosts: ['https://a.test'] }, 'hosts.0: is not a host'],
    ['every host', { ...TOKEN, hosts: ['*'] }, 'hosts.0: is not a host'],
    ['more than fits', { headers: { a: 'x'.repeat(5000), b: 'x'.repeat(5000) } }, 'is longer than 8192 characters'],
  ])('not %s', (_, input, message) => {
    expect(errorsOf(input).join()).toContain(message);
  });

  it('is refused without a word of what was given', () => {
    const secret = 'hunter2';
    const wrong = {
      headers: { Host: secret, a: `${secret}\n` },
      cookies: [{ name: 'a', value: `${secret};` }],
      basicAuth: { username: `${secret}:`, password: secret },
      proxy: `ftp://${secret}@p.test`,
    };
    expect(errorsOf(wrong)).toHaveLength(5);
    expect(errorsOf(wrong).join()).not.toContain(secret);
  });
});

describe('headers and login go', () => {
  const auth = `Basic ${Buffer.from('me:pä:ss').toString('base64')}`;
  const access = bound({ ...TOKEN, basicAuth: { username: 'me', password: 'pä:ss' } }, 'https://www.a.test/docs');

  it.each(['https://a.test/', 'https://www.a.test/x?y', 'https://A.test/'])('to %s', (url) => {
    expect(headersAt(access, url)).toEqual({ 'X-Token': 't0p', authorization: auth });
  });

  it.each([
    'https://docs.a.test/',
    'https://a.test.evil.test/',
    'https://evil.test/?a.test',
    'https://a.test:8443/',
    'http://a.test/',
    'ftp://a.test/',
    'https://xa.test/',
  ])('not to %s', (url) => {
    expect(headersAt(access, url)).toEqual({});
  });

  it('over http where a start page is http', () => {
    expect(headersAt(bound(TOKEN, 'http://a.test/'), 'http://a.test/x')).toEqual({ 'X-Token': 't0p' });
  });

  it('to the port of the start page', () => {
    const local = bound(TOKEN, 'http://localhost:8080/');
    expect(headersAt(local, 'http://localhost:8080/x')).toEqual({ 'X-Token': 't0p' });
    expect(headersAt(local, 'http://localhost:9090/x')).toEqual({});
    expect(headersAt(local, 'http://localhost/x')).toEqual({});
  });

  it('to hosts that are named, in place of those of the start pages', () => {
    const named = bound({ ...TOKEN, hosts: ['*.b.test', 'c.test:81', '[::1]'] });
    const reached = ['https://b.test/', 'https://x.y.b.test/', 'https://c.test:81/', 'https://[::1]/'];
    expect(reached.filter((url) => headersTo(new URL(url), named).length > 0)).toEqual(reached);
    const others = ['https://a.test/', 'https://c.test/', 'https://xb.test/'];
    expect(others.filter((url) => headersTo(new URL(url), named).length > 0)).toEqual([]);
  });
});

describe('cookies go', () => {
  const access = bound({
    cookies: [
      { name: 'own', value: '1' },
      { name: 'deep', value: '2', path: '/docs' },
      { name: 'all', value: '3', domain: '.a.test' },
      { name: 'other', value: '4', domain: 'b.test' },
    ],
  });

  it.each([
    ['https://a.test/', 'own=1; all=3'],
    ['https://a.test/docs', 'own=1; deep=2; all=3'],
    ['https://a.test/docs/x', 'own=1; deep=2; all=3'],
    ['https://a.test/docsx', 'own=1; all=3'],
    ['https://x.a.test/', 'all=3'],
    ['https://b.test/', 'other=4'],
    ['https://x.b.test/', undefined],
    ['http://a.test/', undefined],
    ['https://xa.test/', undefined],
  ])('to %s: %s', (url, cookie) => {
    expect(headersAt(access, url).cookie).toBe(cookie);
  });
});

describe('a page in a browser has the use of', () => {
  const access = bound({
    ...TOKEN,
    basicAuth: { username: 'u', password: 'p' },
    cookies: [
      { name: 'own', value: '1' },
      { name: 'deep', value: '2', domain: '.a.test', path: '/docs' },
    ],
  });

  it('all of it, where it is of its hosts', () => {
    expect(usableBy('https://www.a.test/x', access)).toEqual(access);
  });

  it.each([
    ['https://x.a.test/', ['deep']],
    ['https://evil.test/', []],
    ['http://a.test/', []],
    ['https://a.test:8443/', ['deep']],
  ])('no more than cookies of its own, where it is %s', (url, names) => {
    const { headers, basicAuth, cookies } = usableBy(url, access);
    expect({ headers, basicAuth, cookies: cookies.map(({ name }) => name) }).toEqual({
      headers: {},
      basicAuth: null,
      cookies: names,
    });
  });
});

it('what is shown has no value in it', () => {
  const access = bound({
    ...TOKEN,
    cookies: [{ name: 'sid', value: 'c00k' }],
    proxy: 'http://user:pr0x@p.test',
    hosts: ['a.test'],
  });
  expect(summaryOf(access)).toEqual({
    hosts: ['a.test'],
    headers: ['X-Token'],
    cookies: ['sid'],
    basicAuth: false,
    proxy: true,
  });
  expect(JSON.stringify(summaryOf(access))).not.toMatch(/t0p|c00k|pr0x|user/);
});

it('comes back from its JSON as it was', () => {
  const access = bound({ ...TOKEN, cookies: [{ name: 'a', value: 'b' }], basicAuth: { username: 'u', password: 'p' } });
  expect(parseSiteAccess(JSON.stringify(access))).toEqual(access);
});

it('without access nothing is carried', () => {
  expect(carriedTo('https://a.test/', null)).toEqual({ headers: [], proxy: null });
});

it.each([
  ['example.com', { name: 'example.com', port: '', isWhole: false }],
  ['WWW.Example.com:443', { name: 'example.com', port: '', isWhole: false }],
  ['*.example.com:8443', { name: 'example.com', port: '8443', isWhole: true }],
  ['a/b', null],
  ['u@a.test', null],
  ['', null],
])('the host %j is %j', (pattern, host) => {
  expect(parseHost(pattern)).toEqual(host);
});
