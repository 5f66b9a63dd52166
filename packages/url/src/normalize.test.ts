import type { NormalizeOptions } from '@trawl/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalizeUrl } from './normalize.ts';

const defaults: NormalizeOptions = { ignoreCase: false, stripWww: true, stripIndex: true, stripTracking: true };
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
    ['https://example.com/A%2fB?C=D', { ignoreCase: true }, 'https://example.com/a%2Fb?c=d'],
    ['https://example.com/%41/INDEX.HTML', { ignoreCase: true }, 'https://example.com/a'],
  ])('%s under %j is %s', (url, options, expected) => {
    expect(key(url, options)).toBe(expected);
  });

  it('is idempotent, and blind to scheme and fragment, for any URL and options', () => {
    const piece = fc.constantFrom(
      ...['a', 'B', '1', '/', '//', '.', '..', '%', '%2e', '%2E', '%41', '%2f', '%5c', '%zz', '~', ' ', 'ü', '+'],
      ...['index.html', 'index.php', '&', '=', '?', 'utm_x=1', 'www.', '\\', '|', "'", '[', ':', '@', ';'],
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
      { numRuns: 3000 },
    );
    expect(tried).toBeGreaterThan(2000);
  });
});
