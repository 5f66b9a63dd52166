import type { NormalizeOptions } from '@trawl/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalizeUrl } from './normalize.ts';
import { packRequestUrl, unpackRequestUrl } from './request-url.ts';

const options: NormalizeOptions = {
  ignoreCase: false,
  stripWww: true,
  stripIndex: true,
  stripTracking: true,
  stripSession: true,
};

describe('the packed request URL', () => {
  it.each([
    ['https://example.com/a', ''],
    ['http://example.com/a', 'h'],
    ['https://example.com/a/', 't'],
    ['http://example.com/a/', 'ht'],
    ['http://example.com/a/?b=1', 'ht'],
    ['https://www.example.com/', 'w'],
    ['http://www.example.com/a/', 'hwt'],
    ['http://example.com/', 'h'],
    ['http://example.com/a?b=1&a=2', 'http://example.com/a?b=1&a=2'],
    ['http://example.com/a//', 'http://example.com/a//'],
    ['http://example.com/index.html', 'http://example.com/index.html'],
    ['https://example.com/a;jsessionid=1A2B', 'https://example.com/a;jsessionid=1A2B'],
    ['http://example.com/a/?PHPSESSID=x', 'http://example.com/a/?PHPSESSID=x'],
    ['https://example.com/(S(lit3py55t21z5v55vlm25s55))/a', 'https://example.com/(S(lit3py55t21z5v55vlm25s55))/a'],
  ])('of %s is %j', (url, packed) => {
    const key = normalizeUrl(url, options);
    expect(packRequestUrl(key, url)).toBe(packed);
    expect(unpackRequestUrl(key, packed)).toBe(url);
  });

  it('always unpacks to what was packed', () => {
    const part = fc.constantFrom(
      'www.',
      'a',
      'b.c',
      '/',
      '//',
      '?',
      'x=1',
      '&',
      'index.html',
      'h',
      't',
      '%41',
      ';jsessionid=1',
      'zenid=1',
    );
    fc.assert(
      fc.property(fc.boolean(), fc.array(part, { minLength: 1, maxLength: 8 }), (secure, parts) => {
        const url = URL.parse(`http${secure ? 's' : ''}://${parts.join('')}`)?.href;
        if (url === undefined) return;
        const key = normalizeUrl(url, options);
        expect(unpackRequestUrl(key, packRequestUrl(key, url))).toBe(url);
      }),
      { numRuns: 2000 },
    );
  });
});
