import { describe, expect, it } from 'vitest';
import { productTokenOf } from './product-token.ts';
import { parseRobotsTxt } from './robots-txt.ts';

describe('productTokenOf', () => {
  it.each([
    ['Trawl/0.1', 'Trawl'],
    ['Trawl', 'Trawl'],
    ['  Trawl/0.1 (+https://example.com/bot)', 'Trawl'],
    ['my_crawler-x/1', 'my_crawler-x'],
    ['MJ12bot/v1.4.8', 'MJ12bot'],
    ['Trawl (compatible; Other/1.0)', 'Trawl'],
    ['Mozilla/5.0 (compatible; ExampleBot/2.1; +https://example.com/bot)', 'ExampleBot'],
    ['mozilla/5.0 (Compatible;ExampleBot)', 'ExampleBot'],
    [
      'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ExampleBot/2.1; +http://e.x) Chrome/130.0 Safari/537.36',
      'ExampleBot',
    ],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15) AppleWebKit/605 (KHTML, like Gecko) Version/17 Safari/605 (ExampleBot/0.1; +http://e.x)',
      'ExampleBot',
    ],
    [
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0 Safari/537.36 ExampleBot/1.0',
      'ExampleBot',
    ],
    ['Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36', '*'],
    [
      'Mozilla/5.0 (Linux; Android 6.0; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130 Mobile Safari/537',
      '*',
    ],
    ['Mozilla/4.0 (compatible; MSIE 6.0; Windows NT 5.1)', '*'],
    ['Mozilla/5.0', '*'],
    ['', '*'],
    ['*', '*'],
    ['/1.0', '*'],
    ['(((((', '*'],
    ['1.0', '*'],
  ])('of %j is %s', (userAgent, expected) => {
    expect(productTokenOf(userAgent)).toBe(expected);
  });

  it('gives what forAgent finds the group by', () => {
    const robots = 'User-agent: *\nDisallow: /\nUser-agent: examplebot\nAllow: /';
    const isAllowed = (userAgent: string) =>
      parseRobotsTxt(robots, 'https://example.com/')
        .forAgent(productTokenOf(userAgent))
        .verdict('https://example.com/x').allowed;
    expect(isAllowed('Mozilla/5.0 (compatible; ExampleBot/2.1)')).toBe(true);
    expect(isAllowed('Mozilla/5.0')).toBe(false);
  });
});
