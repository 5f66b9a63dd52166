import { describe, expect, it } from 'vitest';
import { ROBOTS_CASES } from './robots-cases.ts';
import { parseRobotsTxt, type RobotsVerdict } from './robots-txt.ts';

const BASE = 'https://example.com/robots.txt';
const AT = 'https://example.com';

function verdict(robots: string, path: string): RobotsVerdict {
  return parseRobotsTxt(robots, BASE).forAgent('Trawl').verdict(`${AT}${path}`);
}

function delay(robots: string, agent = 'Trawl'): number | null {
  return parseRobotsTxt(robots, BASE).forAgent(agent).crawlDelaySeconds;
}

describe('a robots.txt', () => {
  it.each(ROBOTS_CASES)('$fact', ({ robots, agent, url, allowed, rule }) => {
    const got = parseRobotsTxt(robots, BASE)
      .forAgent(agent)
      .verdict(url.startsWith('http') ? url : `${AT}${url}`);
    expect(got.allowed).toBe(allowed);
    if (rule !== undefined) expect(got.rule && `${got.rule.line} ${got.rule.text}`).toBe(rule);
  });

  it('has a case for each fact once', () => {
    expect(new Set(ROBOTS_CASES.map(({ fact }) => fact)).size).toBe(ROBOTS_CASES.length);
  });

  it('agrees with trying every split and every rule, on short patterns and paths of few characters', () => {
    const matches = (pattern: string, path: string): boolean => {
      if (pattern === '') return true;
      if (pattern === '$') return path === '';
      if (pattern.startsWith('*'))
        return matches(pattern.slice(1), path) || (path !== '' && matches(pattern, path.slice(1)));
      return path.startsWith(pattern.slice(0, 1)) && matches(pattern.slice(1), path.slice(1));
    };
    let seed = 7;
    const pick = (from: string): string => {
      seed = (seed * 48271) % 2147483647;
      return from.charAt(seed % from.length);
    };
    const word = (from: string, most: number): string =>
      Array.from({ length: Number(pick('0123456789')) % (most + 1) }, () => pick(from)).join('');
    for (let round = 0; round < 3000; round += 1) {
      const rules = Array.from({ length: 4 }, (_, index) => ({
        allow: pick('01') === '1',
        pattern: `/${word('ab/**', 5)}${pick('$---').replace('-', '')}`,
        line: index + 2,
      }));
      const path = `/${word('ab/', 6)}`;
      const [best] = rules
        .filter(({ pattern }) => matches(pattern, path))
        .sort((a, b) => b.pattern.length - a.pattern.length || Number(b.allow) - Number(a.allow) || a.line - b.line);
      const robots = `User-agent: *\n${rules.map((r) => `${r.allow ? 'Allow' : 'Disallow'}: ${r.pattern}`).join('\n')}`;
      const got = verdict(robots, path);
      expect([got.allowed, got.rule?.line], `${robots} on ${path}`).toEqual([best?.allow ?? true, best?.line]);
    }
  });

  it('gives the same rules for the same agent without compiling them again', () => {
    const robots = parseRobotsTxt('User-agent: trawl\nDisallow: /', BASE);
    expect(robots.forAgent('Trawl')).toBe(robots.forAgent('tRAWL/0.1'));
    expect(robots.forAgent('Other')).toBe(robots.forAgent('Another'));
    expect(robots.forAgent('Trawl')).not.toBe(robots.forAgent('Other'));
  });

  it('forgets the agent asked for first when there are too many, and still answers for it', () => {
    const names = Array.from({ length: 40 }, (_, index) => `bot${index}`);
    const robots = parseRobotsTxt(names.map((name) => `User-agent: ${name}\nDisallow: /${name}$`).join('\n'), BASE);
    const first = robots.forAgent('bot0');
    for (const name of names) expect(robots.forAgent(name).verdict(`${AT}/${name}`).allowed).toBe(false);
    expect(robots.forAgent('bot0')).not.toBe(first);
    expect(robots.forAgent('bot0').verdict(`${AT}/bot0`).allowed).toBe(false);
  });

  it('resolves a path without a host, and judges what is no URL as the front page', () => {
    const rules = parseRobotsTxt('User-agent: *\nDisallow: /$\nDisallow: /x', BASE).forAgent('Trawl');
    expect(rules.verdict('/x').allowed).toBe(false);
    expect(rules.verdict('/y').allowed).toBe(true);
    for (const url of ['http://', 'mailto:a@example.com']) expect(rules.verdict(url).rule?.line).toBe(2);
    expect(parseRobotsTxt('User-agent: *\nDisallow: /$', 'no base').forAgent('Trawl').verdict('/x').allowed).toBe(
      false,
    );
  });
});

describe('the deciding rule', () => {
  it('is shown as it stands in the file, under the proper name', () => {
    expect(verdict('User-agent: *\n\n  disalow :  /%7ejoe/ü  # no', '/~joe/ü').rule).toEqual({
      line: 3,
      text: 'Disallow: /%7ejoe/ü',
    });
  });

  it('is cut at 200 characters', () => {
    const path = `/${'x'.repeat(500)}`;
    expect(verdict(`User-agent: *\nDisallow: ${path}`, path).rule?.text).toBe(`Disallow: ${path}`.slice(0, 200));
  });

  it('holds nothing that a database refuses', () => {
    const text = verdict('User-agent: *\nDisallow: /a\0b\ud800\n', '/a%00b%EF%BF%BD').rule?.text ?? '';
    expect(text).toBe('Disallow: /a\uFFFDb\uFFFD');
  });
});

describe('sitemaps', () => {
  const sitemaps = (robots: string, base = BASE) => parseRobotsTxt(robots, base).sitemaps;

  it('are found in, between and outside groups, in order', () => {
    expect(
      sitemaps(
        'Sitemap: https://a.example/1.xml\nUser-agent: x\nSITEMAP:https://a.example/2.xml\nDisallow: /\nSite-map: https://b.example/3.xml # c',
      ),
    ).toEqual(['https://a.example/1.xml', 'https://a.example/2.xml', 'https://b.example/3.xml']);
  });

  it('are resolved against the base', () => {
    expect(sitemaps('Sitemap: /s.xml\nSitemap: t.xml\nSitemap: //cdn.example/u.xml')).toEqual([
      'https://example.com/s.xml',
      'https://example.com/t.xml',
      'https://cdn.example/u.xml',
    ]);
  });

  it('are listed once, however they are spelled', () => {
    expect(sitemaps('Sitemap: /s.xml\nSitemap: https://EXAMPLE.com:443/s.xml\nSitemap: /s.xml')).toEqual([
      'https://example.com/s.xml',
    ]);
  });

  it('are left out when they are empty, no URL, or not on the web', () => {
    expect(
      sitemaps('Sitemap:\nSitemap: http://\nSitemap: ftp://a.example/s.xml\nSitemap: javascript:alert(1)'),
    ).toEqual([]);
  });

  it('are left out when relative to a base that is no URL', () => {
    expect(sitemaps('Sitemap: /s.xml\nSitemap: https://a.example/s.xml', 'nonsense')).toEqual([
      'https://a.example/s.xml',
    ]);
  });
});

describe('a crawl delay', () => {
  it.each([
    ['10', 10],
    ['0', 0],
    ['0.5', 0.5],
    ['.5', 0.5],
    ['2.', 2],
    ['-1', null],
    ['NaN', null],
    ['Infinity', null],
    ['1e3', null],
    ['0x10', null],
    ['1.2.1', null],
    ['10s', null],
    ['0,5', null],
    ['soon', null],
    ['', null],
    ['9'.repeat(400), null],
  ])('of %j is %s seconds', (value, expected) => {
    expect(delay(`User-agent: *\nCrawl-delay: ${value}`)).toBe(expected);
  });

  it('is that of the group', () => {
    const robots =
      'User-agent: *\nCrawl-delay: 1\nUser-agent: a\nCrawl-delay: 12\nUser-agent: b\nUser-agent: c\nCrawl-delay: 10';
    expect(['x', 'a', 'b', 'c'].map((agent) => delay(robots, agent))).toEqual([1, 12, 10, 10]);
  });

  it('is not inherited from the * group', () => {
    expect(delay('User-agent: *\nCrawl-delay: 1\nUser-agent: trawl\nDisallow:')).toBeNull();
  });

  it('is the largest of merged groups and repeated lines', () => {
    expect(delay('User-agent: trawl\nCrawl-delay: 3\nCrawl-delay: 9\nUser-agent: Trawl/2\nCrawl-delay: 4')).toBe(9);
  });

  it('is for nobody above every User-agent', () => {
    expect(delay('Crawl-delay: 5\nUser-agent: *\nDisallow: /')).toBeNull();
  });

  it('may lack its colon or hyphen', () => {
    expect(delay('User-agent: *\nCrawl-delay 5')).toBe(5);
    expect(delay('User-agent: *\nCrawldelay: 6')).toBe(6);
  });
});
