import type { NormalizeOptions } from '@trawl/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalizeUrl } from './normalize.ts';

const defaults: NormalizeOptions = {
  ignoreCase: false,
  stripWww: true,
  stripIndex: true,
  stripTracking: true,
  stripSession: true,
};
const key = (url: string, options: Partial<NormalizeOptions> = {}) => normalizeUrl(url, { ...defaults, ...options });

describe('the identity of a URL', () => {
  it.each([
    ['http://example.com', 'https://example.com/'],
    ['HTTPS://EXAMPLE.com/', 'https://example.com/'],
    ['http://example.com:80/a', 'https://example.com/a'],
    ['https://example.com:443/a', 'https://example.com/a'],
    ['http://example.com:443/a', 'https://example.com/a'],
    ['https://example.com:8443/a', 'https://example.com:8443/a'],
    ['https://example.com./a', 'https://example.com/a'],
    ['https://www.example.com/a', 'https://example.com/a'],
    ['https://www.www.example.com/a', 'https://example.com/a'],
    ['https://www.com/a', 'https://www.com/a'],
    ['https://www.localhost/a', 'https://www.localhost/a'],
    ['https://example.com/a#b', 'https://example.com/a'],
    ['https://example.com/a/', 'https://example.com/a'],
    ['https://example.com/a///', 'https://example.com/a'],
    ['https://example.com//', 'https://example.com/'],
    ['https://example.com/a//b', 'https://example.com/a//b'],
    ['https://example.com/a/./b/../c', 'https://example.com/a/c'],
    ['https://example.com/a?', 'https://example.com/a'],
    ['https://example.com/a/?b=1', 'https://example.com/a?b=1'],
    ['https://example.com/?b=2&a=1', 'https://example.com/?a=1&b=2'],
    ['https://example.com/?a=2&b=0&a=1', 'https://example.com/?a=2&a=1&b=0'],
    ['https://example.com/?&a=1&&', 'https://example.com/?a=1'],
    ['https://example.com/?a', 'https://example.com/?a'],
    ['https://example.com/?utm_source=x&a=1&UTM_medium=y', 'https://example.com/?a=1'],
    ['https://example.com/?gclid=1&fbclid=2&_ga=3&mc_cid=4&mc_eid=5&msclkid=6&yclid=7', 'https://example.com/'],
    ['https://example.com/?gbraid=1&wbraid=2', 'https://example.com/'],
    ['https://example.com/?utmost=1', 'https://example.com/?utmost=1'],
    ['https://example.com/index.html', 'https://example.com/'],
    ['https://example.com/a/index.php?x=1', 'https://example.com/a?x=1'],
    ['https://example.com/index.html/a', 'https://example.com/index.html/a'],
    ['https://example.com/a/index.html/index.htm/', 'https://example.com/a'],
    ['https://example.com/a/myindex.html', 'https://example.com/a/myindex.html'],
    ['https://example.com/A', 'https://example.com/A'],
    ['https://example.com/%7euser/%2fx', 'https://example.com/~user/%2Fx'],
    ['https://example.com/%61?%62=%63', 'https://example.com/a?b=c'],
    ['https://example.com/über', 'https://example.com/%C3%BCber'],
    ['https://example.com/100%', 'https://example.com/100%25'],
    ['https://example.com/%%361', 'https://example.com/%2561'],
    ['https://EXÄMPLE.com/', 'https://xn--exmple-cua.com/'],
    ['http://127.0.0.1:8080/', 'https://127.0.0.1:8080/'],
    ['http://[::1]/x/', 'https://[::1]/x'],
  ])('%s is %s', (url, expected) => {
    expect(key(url)).toBe(expected);
  });

  it.each<[string, Partial<NormalizeOptions>, string]>([
    ['https://www.example.com/', { stripWww: false }, 'https://www.example.com/'],
    ['https://example.com/index.html', { stripIndex: false }, 'https://example.com/index.html'],
    ['https://example.com/?utm_id=1', { stripTracking: false }, 'https://example.com/?utm_id=1'],
    ['https://example.com/a;jsessionid=1?sid=2', { stripSession: false }, 'https://example.com/a;jsessionid=1?sid=2'],
    ['https://example.com/?PHPSESSID=x', { stripSession: false }, 'https://example.com/?PHPSESSID=x'],
    ['https://example.com/(S(LIT3PY55T21Z5V55VLM25S55))/A', { ignoreCase: true }, 'https://example.com/a'],
    ['https://example.com/A%2fB?C=D', { ignoreCase: true }, 'https://example.com/a%2Fb?c=d'],
    ['https://example.com/%41/INDEX.HTML', { ignoreCase: true }, 'https://example.com/a'],
  ])('%s under %j is %s', (url, options, expected) => {
    expect(key(url, options)).toBe(expected);
  });

  const hex = 'd41d8cd98f00b204e9800998ecf8427e';
  it.each([
    // In the path.
    ['/a;jsessionid=1A2B.node1', '/a'],
    ['/a;JSESSIONID=1A2B!-3!4/b', '/a/b'],
    ['/a;jsessionid=', '/a'],
    ['/a/;jsessionid=1A2B', '/a'],
    ['/;jsessionid=1A2B', '/'],
    ['/index.jsp;jsessionid=1A2B?b=1', '/?b=1'],
    ['/a;v=1;jsessionid=1A2B;w=2', '/a;v=1;w=2'],
    [`/a;sid=${hex}`, '/a'],
    ['/a;sid=42', '/a;sid=42'],
    ['/a;v=1', '/a;v=1'],
    ['/jsessionid=1A2B', '/jsessionid=1A2B'],
    ['/a/..;jsessionid=1A2B/b', '/a/..;jsessionid=1A2B/b'],
    ['/a/%2e;jsessionid=1A2B', '/a/.;jsessionid=1A2B'],
    ['/(S(lit3py55t21z5v55vlm25s55))/a', '/a'],
    ['/x/(s(lit3py55t21z5v55vlm25s55))/', '/x'],
    ['/(X(1)S(lit3py55t21z5v55vlm25s55))/Default.aspx', '/Default.aspx'],
    ['/(X(1))/a', '/a'],
    ['/%28S%28lit3py55t21z5v55vlm25s55%29%29/a', '/a'],
    ['/(S(lit3py55t21z5v55vlm25s55))', '/'],
    ['/(S(n))/a', '/(S(n))/a'],
    ['/Bracket_(disambiguation)', '/Bracket_(disambiguation)'],
    // Names that always mean one.
    ['/a?PHPSESSID=abc&b=1', '/a?b=1'],
    ['/a?jsessionid=1A2B', '/a'],
    ['/a?ASPSESSIONIDQQGGGTFC=ABC', '/a'],
    ['/a?ASP.NET_SessionId=abc', '/a'],
    ['/a?sessionid=abc&session_id=def&sessid=ghi&s_id=jkl', '/a'],
    ['/a?zenid=abc&osCsid=def&XTCsid=ghi', '/a'],
    ['/a?CFID=123&CFTOKEN=456789012&b=1', '/a?b=1'],
    ['/a?cfid=123', '/a?cfid=123'],
    ['/agenda?session_id=42', '/agenda?session_id=42'],
    ['/a?phpsessid', '/a'],
    ['/a?%50HPSESSID=abc', '/a'],
    // Names that may mean something else.
    [`/a?sid=${hex}`, '/a'],
    [`/a?s=${hex}&t=5`, '/a?t=5'],
    [`/a?SID=${hex}&PHPSESSION=${hex}&session=${hex}&token=${hex}`, '/a'],
    ['/a?sid=42', '/a?sid=42'],
    ['/a?s=search+words', '/a?s=search+words'],
    ['/a?s=windows2000server', '/a?s=windows2000server'],
    ['/a?session=keynote-opening', '/a?session=keynote-opening'],
    ['/a?token=ERC20PresetMinterPauser', '/a?token=ERC20PresetMinterPauser'],
    ['/a?sid', '/a?sid'],
    [`/a?id=${hex}`, `/a?id=${hex}`],
    // Behind a semicolon in the query.
    ['/a?b=1;jsessionid=1A2B', '/a?b=1'],
    ['/a?PHPSESSID=abc;b=1', '/a?b=1'],
    ['/a?PHPSESSID=abc;utm_id=1', '/a'],
    ['/a?b=1;2', '/a?b=1;2'],
  ])('%s without its session is %s', (found, expected) => {
    expect(key(`https://example.com${found}`)).toBe(`https://example.com${expected}`);
  });

  it('is idempotent, and blind to scheme and fragment, for any URL and options', () => {
    const piece = fc.constantFrom(
      ...['a', 'B', '1', '/', '//', '.', '..', '%', '%2e', '%2E', '%41', '%2f', '%5c', '%zz', '~', ' ', 'ü', '+'],
      ...[';jsessionid=1', ';sid=a1b2c3d4e5f6a7b8', 'PHPSESSID=x', ';', 'cfid=1', 'cftoken=2', 'sid=a1b2c3d4e5f6a7b8'],
      ...[
        '(S(lit3py55t21z5v55vlm25s55))',
        '%28X(1)%29',
        'index.html',
        'index.php',
        '&',
        '=',
        '?',
        'utm_x=1',
        'www.',
        '\\',
        '|',
        "'",
        '[',
        ':',
        '@',
        ';',
      ],
    );
    const host = fc.constantFrom(
      ...['example.com', 'www.example.com', 'www.www.a.b', 'WWW.Example.COM.', 'a..', 'www.com', '127.1', '0x7f..'],
      ...['[::1]', 'localhost', 'www..a.b', 'xn--bcher-kva.de', 'a.b:80', 'a.b:443', 'a.b:8080', 'www.1.2.3.4'],
    );
    const options = fc.record({
      ignoreCase: fc.boolean(),
      stripWww: fc.boolean(),
      stripIndex: fc.boolean(),
      stripTracking: fc.boolean(),
      stripSession: fc.boolean(),
    });
    let tried = 0;
    fc.assert(
      fc.property(host, fc.array(piece, { maxLength: 12 }), options, (name, pieces, chosen) => {
        const url = URL.parse(`http://${name}/${pieces.join('')}`);
        if (!url) return;
        tried++;
        const once = normalizeUrl(url, chosen);
        expect(normalizeUrl(once, chosen)).toBe(once);
        expect(normalizeUrl(`${url.href}#x`, chosen)).toBe(once);
        expect(normalizeUrl(url.href.replace('http:', 'https:'), chosen)).toBe(once);
      }),
      { numRuns: 6000 },
    );
    expect(tried).toBeGreaterThan(4000);
  });
});
