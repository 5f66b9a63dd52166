import { describe, expect, it } from 'vitest';
import { MAX_ROBOTS_BYTES, parseRobotsTxt, productTokenOf, type RobotsVerdict } from './robots-txt.ts';

const BASE = 'https://example.com/robots.txt';
const AT = 'https://example.com';

function verdict(robots: string, path: string): RobotsVerdict {
  return parseRobotsTxt(robots, BASE).forAgent('Trawl').verdict(`${AT}${path}`);
}

function elapsedMs(work: () => void): number {
  const started = performance.now();
  work();
  return performance.now() - started;
}

describe('limits', () => {
  const filler = (bytes: number) => `#${'x'.repeat(bytes - 2)}\n`;

  it('what is beyond 500 KiB is ignored', () => {
    const head = 'User-agent: *\nDisallow: /a\n';
    const robots = `${head}${filler(MAX_ROBOTS_BYTES - head.length)}Disallow: /b\nSitemap: /s.xml\n`;
    expect(verdict(robots, '/a').allowed).toBe(false);
    expect(verdict(robots, '/b').allowed).toBe(true);
    expect(parseRobotsTxt(robots, BASE).sitemaps).toEqual([]);
  });

  it.each(['\n', '\r', '\r\n'])('a rule that the limit cuts in two is dropped, lines ending in %j', (end) => {
    const head = `User-agent: *${end}Disallow: /a${end}`;
    const robots = `${head}#${'x'.repeat(MAX_ROBOTS_BYTES - head.length - end.length - 12)}${end}Disallow: /private`;
    expect(verdict(robots, '/other').allowed).toBe(true);
    expect(verdict(robots, '/a').allowed).toBe(false);
    expect(verdict(robots.slice(0, MAX_ROBOTS_BYTES), '/private').rule).toBeNull();
  });

  it('the limit counts octets, not characters', () => {
    const robots = `User-agent: *\n#${'ツ'.repeat(MAX_ROBOTS_BYTES / 3)}\nDisallow: /x`;
    expect(robots.length).toBeLessThan(MAX_ROBOTS_BYTES);
    expect(verdict(robots, '/x').allowed).toBe(true);
  });

  it('a file just below the limit is read to its last line, line end or not', () => {
    const head = 'User-agent: *\n';
    const robots = `${head}${filler(MAX_ROBOTS_BYTES - head.length - 40)}Disallow: /x`;
    expect(verdict(robots, '/xy').allowed).toBe(false);
  });

  it('a line is cut at 16 KiB, and the next one read', () => {
    const long = `/${'a'.repeat(20_000)}`;
    const robots = `User-agent: *\nDisallow: ${long}b\nDisallow: /next`;
    expect(verdict(robots, `${long}c`).allowed).toBe(false);
    expect(verdict(robots, '/aaa').allowed).toBe(true);
    expect(verdict(robots, '/next').rule?.line).toBe(3);
  });
});

// Bounds are ten and more times what was measured (docs/adr/0006), so that only another order of growth breaks them.
describe('hostile and huge files', () => {
  it('20,000 rules are parsed, compiled and asked in no time', () => {
    const lines = Array.from(
      { length: 20_000 },
      (_, index) => `Disallow: /a/${index}/x${index % 7 === 0 ? '*.y' : ''}`,
    );
    const text = `User-agent: *\n${lines.join('\n')}`;
    expect(elapsedMs(() => parseRobotsTxt(text, BASE).forAgent('Trawl'))).toBeLessThan(500);
    const rules = parseRobotsTxt(text, BASE).forAgent('Trawl');
    expect(rules.verdict(`${AT}/a/19998/x`).rule?.line).toBe(20_000);
    const asked = elapsedMs(() => {
      for (let index = 0; index < 1000; index += 1) rules.verdict(`${AT}/a/${index}/y?page=${index}`);
    });
    expect(asked).toBeLessThan(200);
  });

  it.each([
    ['stars that backtracking would not survive', (index: number) => `/*a*a*a*a*a*b${index}`],
    ['stars before an anchor', (index: number) => `/*a*a*a*a*a${index}*a$`],
    ['parts that nearly match everywhere', (index: number) => `/*aaaaaaab${index}`],
    ['the same rule again and again', () => '/*aab'],
    ['heads of a thousand lengths', (index: number) => `/${'a'.repeat(index % 1000)}b`],
  ])('10,000 rules with %s are answered within a second', (_, pattern) => {
    const lines = Array.from({ length: 10_000 }, (_unused, index) => `Disallow: ${pattern(index)}`);
    const rules = parseRobotsTxt(`User-agent: *\n${lines.join('\n')}`, BASE).forAgent('Trawl');
    let got: RobotsVerdict | null = null;
    const took = elapsedMs(() => {
      got = rules.verdict(`${AT}/${'a'.repeat(2000)}`);
    });
    expect(got).toEqual({ allowed: true, rule: null });
    expect(took).toBeLessThan(1000);
  });

  it.each([
    ['nothing but line ends', '\n'.repeat(510_000)],
    ['nothing but colons', ':'.repeat(510_000)],
    ['nothing but NULs', '\0'.repeat(510_000)],
    ['one endless rule', `User-agent: *\nDisallow: /${'*a'.repeat(250_000)}`],
    ['30,000 agents', Array.from({ length: 30_000 }, (_, index) => `User-agent: a${index}`).join('\n')],
    ['20,000 sitemaps', Array.from({ length: 20_000 }, (_, index) => `Sitemap: /${index}`).join('\n')],
    [
      'halves of surrogate pairs',
      'User-agent: \ud800\nDisallow: /\udc00*\ud800$\nSitemap: \udc00\nCrawl-delay: \ud800',
    ],
    ['names of what objects have', 'User-agent: __proto__\nUser-agent: constructor\nDisallow: /'],
  ])('%s are survived', (_, text) => {
    const took = elapsedMs(() => {
      const robots = parseRobotsTxt(text, BASE);
      expect(robots.forAgent('Trawl').verdict(`${AT}/x`).allowed).toBe(true);
    });
    expect(took).toBeLessThan(1500);
  });

  it('random bytes never throw', () => {
    let seed = 1;
    const alphabet = 'User-agent:*\nDisallow:/$%2FAllow #\r\t\0ü\ud800Sitemap:Crawl-delay:9.';
    for (let round = 0; round < 2000; round += 1) {
      let text = 'User-agent: *\n';
      for (let at = 0; at < 80; at += 1) {
        seed = (seed * 48271) % 2147483647;
        text += alphabet.charAt(seed % alphabet.length);
      }
      const robots = parseRobotsTxt(text, text);
      robots.forAgent(text).verdict(text);
      robots.forAgent('Trawl').verdict(`${AT}/${text}`);
      productTokenOf(text);
    }
  });
});
