import { completeRunConfig, createRunSchema, type Refusal, type RunConfig } from '@trawl/contracts';
import { describe, expect, it } from 'vitest';
import { hostKey } from './host.ts';
import type { LinkRank } from './link-rank.ts';
import { normalizeUrl } from './normalize.ts';
import { compileRules, type UrlVerdict } from './rules.ts';

const base = 'https://example.com/docs/intro';
const rulesFor = (options: Partial<RunConfig> = {}) =>
  compileRules({
    ...completeRunConfig(createRunSchema.parse({ url: base, scope: 'any' }), { userAgent: 'test' }),
    ...options,
  });
const outcome = (verdict: UrlVerdict): Refusal | 'accepted' =>
  verdict.kind === 'accepted' ? 'accepted' : verdict.reason;
const outcomes = (options: Partial<RunConfig>, hrefs: readonly string[]) => {
  const rules = rulesFor(options);
  return Object.fromEntries(hrefs.map((href) => [href, outcome(rules.check(href, base))]));
};
const guards = { maxUrlLength: 2000, maxPathDepth: 24, maxRepeatedSegments: 3, templateQuota: 5000, endlessQuota: 50 };

describe('an accepted link', () => {
  it('carries its identity, the URL as found without fragment, its host, its template, its boost and its look', () => {
    const verdict = rulesFor({ boost: ['/docs/api'] }).check(
      'http://WWW.example.com/docs/api/List.html?b=1&a=2#x',
      base,
    );
    expect(verdict).toEqual({
      kind: 'accepted',
      link: {
        key: 'https://example.com/docs/api/List.html?a=2&b=1',
        url: 'http://www.example.com/docs/api/List.html?b=1&a=2',
        host: 'example.com',
        template: expect.stringMatching(/^[\w-]{8}$/),
        boosted: true,
        rank: 'documentation',
        endless: true,
      },
    });
  });

  it.each<[string, LinkRank, boolean]>([
    ['/library/os.html', 'ordinary', false],
    ['/docs/os.html?utm_source=x&PHPSESSID=y', 'documentation', false],
    ['/shop?color=red', 'listing', true],
    ['/blog/page/3', 'listing', false],
    ['/blog/page/30', 'listing', false],
  ])('%s is ranked as %s; endless: %s', (href, rank, endless) => {
    expect(rulesFor().check(href, base)).toMatchObject({ kind: 'accepted', link: { rank, endless } });
  });

  it('is judged by its path without the session, and requested with it', () => {
    const session = '/(S(lit3py55t21z5v55vlm25s55))';
    const options = { scope: 'path', urls: [`https://example.com${session}/docs/`], boost: ['/docs/api'] } as const;
    const rules = rulesFor({
      ...options,
      urls: [...options.urls],
      boost: [...options.boost],
      exclude: ['/docs/old/**'],
    });
    const verdict = rules.check('/(S(abcde1f2g3h4i5j6k7l8m9n0))/docs/api/a;jsessionid=1', base);
    expect(verdict).toMatchObject({
      link: {
        key: 'https://example.com/docs/api/a',
        url: 'https://example.com/(S(abcde1f2g3h4i5j6k7l8m9n0))/docs/api/a;jsessionid=1',
        boosted: true,
      },
    });
    expect(outcome(rules.check(`${session}/docs/old/a`, base))).toBe('excluded');
    expect(outcome(rules.check('/docs/style.css;jsessionid=1A2B.node1', base))).toBe('asset');
  });

  it.each([
    ['other', 'https://example.com/docs/other'],
    ['../up', 'https://example.com/up'],
    ['/root', 'https://example.com/root'],
    ['?q=1', 'https://example.com/docs/intro?q=1'],
    ['#part', 'https://example.com/docs/intro'],
    ['', 'https://example.com/docs/intro'],
    ['//other.org/x', 'https://other.org/x'],
    [' https://example.com/a b ', 'https://example.com/a%20b'],
    ['https:relative', 'https://example.com/docs/relative'],
  ])('%j is resolved to %s', (href, url) => {
    const verdict = rulesFor().check(href, base);
    expect(verdict.kind === 'accepted' && verdict.link.url).toBe(url);
  });

  it('has the same template as a sibling, and another than a stranger', () => {
    const rules = rulesFor();
    const template = (href: string) => {
      const verdict = rules.check(href, base);
      return verdict.kind === 'accepted' ? verdict.link.template : null;
    };
    expect(template('/api/util/List.html')).toBe(template('http://www.example.com/api/util/Map.html'));
    expect(template('/api/util/List.html')).not.toBe(template('/api/io/File.html'));
  });

  it('gets the same verdict however often it is asked for, and from any base', () => {
    const rules = rulesFor({ scope: 'host' });
    for (let n = 0; n < 120_000; n++) rules.check(`https://example.com/p/${n % 60_000}`, base);
    const first = rules.check('https://example.com/p/7', base);
    expect(rules.check('https://example.com/p/7', 'https://other.org/')).toEqual(first);
    expect(rules.check('7', 'https://example.com/p/')).toEqual(first);
    expect(first.kind === 'accepted' && first.link.host).toBe(hostKey('https://example.com/p/7'));
    expect(first.kind === 'accepted' && first.link.key).toBe(
      normalizeUrl('https://example.com/p/7', {
        ignoreCase: false,
        stripWww: true,
        stripIndex: true,
        stripTracking: true,
        stripSession: true,
      }),
    );
  });
});

describe('what is no page of the web', () => {
  it.each<[string, Refusal]>([
    ['http://', 'not-a-url'],
    ['http://a b/', 'not-a-url'],
    ['https://exa mple.com/', 'not-a-url'],
    ['mailto:me@example.com', 'scheme'],
    ['javascript:void(0)', 'scheme'],
    ['data:text/html,x', 'scheme'],
    ['ftp://example.com/', 'scheme'],
    ['https://me@example.com/', 'credentials'],
    ['https://me:pw@example.com/', 'credentials'],
    ['https://:pw@example.com/', 'credentials'],
  ])('%j is refused as %s', (href, reason) => {
    expect(outcome(rulesFor().check(href, base))).toBe(reason);
  });
});

describe('scope', () => {
  it('domain: the registrable domain of any start URL, with its subdomains', () => {
    const urls = [
      'https://www.example.co.uk/a',
      'https://jane.github.io/',
      'http://localhost:3000/',
      'http://10.0.0.1/',
    ];
    expect(
      outcomes({ scope: 'domain', urls }, [
        'http://example.co.uk/',
        'https://docs.example.co.uk:8080/x',
        'https://EXAMPLE.co.uk./x',
        'https://other.co.uk/',
        'https://co.uk/',
        'https://notexample.co.uk/',
        'https://jane.github.io/x',
        'https://joe.github.io/',
        'http://localhost:3000/x',
        'http://localhost:3001/x',
        'http://10.0.0.1:80/x',
        'http://10.0.0.1:81/x',
        'http://10.0.0.2/',
      ]),
    ).toEqual({
      'http://example.co.uk/': 'accepted',
      'https://docs.example.co.uk:8080/x': 'accepted',
      'https://EXAMPLE.co.uk./x': 'accepted',
      'https://other.co.uk/': 'out-of-scope',
      'https://co.uk/': 'out-of-scope',
      'https://notexample.co.uk/': 'out-of-scope',
      'https://jane.github.io/x': 'accepted',
      'https://joe.github.io/': 'out-of-scope',
      'http://localhost:3000/x': 'accepted',
      'http://localhost:3001/x': 'out-of-scope',
      'http://10.0.0.1:80/x': 'accepted',
      'http://10.0.0.1:81/x': 'out-of-scope',
      'http://10.0.0.2/': 'out-of-scope',
    });
  });

  it('host: the same host and port, www aside', () => {
    expect(
      outcomes({ scope: 'host', urls: [base] }, [
        'http://www.example.com/x',
        'https://docs.example.com/',
        'https://example.com:8443/',
      ]),
    ).toEqual({
      'http://www.example.com/x': 'accepted',
      'https://docs.example.com/': 'out-of-scope',
      'https://example.com:8443/': 'out-of-scope',
    });
    const strict = { ignoreCase: false, stripWww: false, stripIndex: true, stripTracking: true, stripSession: true };
    expect(outcomes({ scope: 'host', urls: [base], normalize: strict }, ['https://www.example.com/'])).toEqual({
      'https://www.example.com/': 'out-of-scope',
    });
  });

  it.each([
    [
      'https://example.com/docs/intro.html',
      ['/docs/a', '/docs', '/docs/', '/docs/a/b?c'],
      ['/', '/docs-old/a', '/blog'],
    ],
    [
      'https://example.com/docs/intro',
      ['/docs/intro', '/docs/intro/a'],
      ['/', '/docs', '/docs/a', '/docs/introduction'],
    ],
    ['https://example.com/docs/', ['/docs/a', '/docs', '/docs/index.html'], ['/', '/docsx']],
    ['https://example.com/docs', ['/docs', '/docs/a'], ['/', '/blog', '/docsx', 'https://docs.example.com/docs/']],
    ['https://example.com', ['/', '/docs', '/blog'], ['https://docs.example.com/']],
    ['https://example.com/%7Ejane/', ['/~jane/x'], ['/~joe/x']],
  ])('path: below %s', (start, inside, outside) => {
    const found = outcomes({ scope: 'path', urls: [start] }, [...inside, ...outside]);
    for (const href of inside) expect(found[href], href).toBe('accepted');
    for (const href of outside) expect(found[href], href).toBe('out-of-scope');
  });

  it('path: letter case does not matter where identity ignores it', () => {
    const normalize = { ignoreCase: true, stripWww: true, stripIndex: true, stripTracking: true, stripSession: true };
    expect(
      outcomes({ scope: 'path', urls: ['https://example.com/Docs/%C3%BC/'], normalize }, ['/dOCS/%c3%bc/x']),
    ).toEqual({ '/dOCS/%c3%bc/x': 'accepted' });
  });

  it('any: the whole web', () => {
    expect(outcomes({ scope: 'any' }, ['https://other.org/'])).toEqual({ 'https://other.org/': 'accepted' });
  });
});

describe('patterns on the path', () => {
  it.each<[string, string[], string[]]>([
    ['/docs/**', ['/docs', '/docs/', '/docs/a', '/docs/a/b', '/docs/.hidden/x'], ['/', '/docsx', '/x/docs/a']],
    ['docs/*', ['/docs/a'], ['/docs/a/b', '/docs']],
    ['**/api/**', ['/api', '/v1/api/x', '/api/x/y'], ['/v1/apis']],
    ['/**', ['/', '/a', '/a/b'], []],
    ['/{a,b}/?.html', ['/a/1.html', '/b/x.html'], ['/c/1.html', '/a/12.html']],
    ['/über/**', ['/%c3%bcber/x', '/über'], ['/uber/x']],
    ['/a+(b)', ['/a+(b)'], ['/abb']],
  ])('%s', (pattern, matching, others) => {
    const included = outcomes({ include: [pattern] }, [...matching, ...others]);
    const excluded = outcomes({ exclude: [pattern] }, [...matching, ...others]);
    for (const href of matching) expect([included[href], excluded[href]], href).toEqual(['accepted', 'excluded']);
    for (const href of others) expect([included[href], excluded[href]], href).toEqual(['not-included', 'accepted']);
  });

  it('exclude wins over include, and one of several includes is enough', () => {
    expect(outcomes({ include: ['/a/**', '/b/**'], exclude: ['/a/x/**'] }, ['/a/y', '/b/y', '/a/x/y', '/c'])).toEqual({
      '/a/y': 'accepted',
      '/b/y': 'accepted',
      '/a/x/y': 'excluded',
      '/c': 'not-included',
    });
  });

  it('the LIKE filter sees the whole URL as it is requested', () => {
    expect(
      outcomes({ urlFilter: 'https://example.com/%/api_.html?v=%' }, [
        '/x/api1.html?v=2#top',
        '/x/api12.html?v=2',
        'http://example.com/x/api1.html?v=2',
      ]),
    ).toEqual({
      '/x/api1.html?v=2#top': 'accepted',
      '/x/api12.html?v=2': 'url-filter',
      'http://example.com/x/api1.html?v=2': 'url-filter',
    });
  });
});

describe('assets', () => {
  it.each([
    '/a.png',
    '/a.JPG',
    '/x/app.js',
    '/style.css?v=1',
    '/a.b.zip',
    '/doc.docx',
    '/feed.xml',
    '/f.woff2',
    '/x.mp4',
  ])('%s is refused', (href) => {
    expect(outcome(rulesFor().check(href, base))).toBe('asset');
  });

  it.each([
    '/',
    '/a',
    '/a.html',
    '/a.PHP',
    '/v1.2',
    '/a.png/page',
    '/asp.net',
    '/x?file=a.png',
    '/notes.txt',
    '/notes.md',
    '/doc.pdf',
    '/data.json',
    '/a.',
  ])('%s passes', (href) => {
    expect(outcome(rulesFor().check(href, base))).toBe('accepted');
  });
});

describe('the docs preset', () => {
  it.each(['/pricing', '/Pricing/', '/company/careers', '/legal/privacy', '/login.php', '/en/about', '/blog/events/x'])(
    '%s is dropped',
    (href) => {
      expect(outcome(rulesFor({ preset: 'docs' }).check(href, base))).toBe('preset');
      expect(outcome(rulesFor().check(href, base))).toBe('accepted');
    },
  );

  it.each(['/docs/pricing-api', '/docs/api/login', '/guides/events', '/pricing-api', '/', '/blog/post'])(
    '%s stays',
    (href) => {
      expect(outcome(rulesFor({ preset: 'docs' }).check(href, base))).toBe('accepted');
    },
  );
});

describe('guards against sites without end', () => {
  it('a URL over the length limit is refused, its fragment not counted', () => {
    const options = { guards: { ...guards, maxUrlLength: 100 } };
    const fitting = `https://example.com/${'a'.repeat(80)}`;
    expect(outcomes(options, [fitting, `${fitting}#${'x'.repeat(500)}`, `${fitting}b`])).toEqual({
      [fitting]: 'accepted',
      [`${fitting}#${'x'.repeat(500)}`]: 'accepted',
      [`${fitting}b`]: 'url-too-long',
    });
  });

  it('a path over the depth limit is refused, empty segments not counted', () => {
    expect(outcomes({ guards: { ...guards, maxPathDepth: 3 } }, ['/a/b/c/', '/a//b//c', '/a/b/c/d'])).toEqual({
      '/a/b/c/': 'accepted',
      '/a//b//c': 'accepted',
      '/a/b/c/d': 'path-too-deep',
    });
  });

  it.each<[number, string, Refusal | 'accepted']>([
    [3, '/a/x/a/y/a', 'accepted'],
    [3, '/a/x/a/y/a/z/a', 'repeated-segments'],
    [3, '/a/a/a', 'accepted'],
    [3, '/a/a/a/a', 'repeated-segments'],
    [3, '/a/b/a/b', 'accepted'],
    [3, '/a/b/a/b/a/b', 'repeated-segments'],
    [3, '/x/a/b/c/a/b/c/a/b/c/y', 'repeated-segments'],
    [3, '/a/b/x/a/b/y/a/b', 'accepted'],
    [2, '/a/b/a/b', 'repeated-segments'],
    [2, '/a/b/b/a', 'accepted'],
    [1, '/a/b/a', 'repeated-segments'],
    [1, '/a/a', 'repeated-segments'],
    [1, '/a/b/c', 'accepted'],
  ])('at most %i: %s is %s', (maxRepeatedSegments, href, expected) => {
    expect(outcome(rulesFor({ guards: { ...guards, maxRepeatedSegments } }).check(href, base))).toBe(expected);
  });
});

describe('a start URL', () => {
  const rules = rulesFor({
    scope: 'path',
    include: ['/never'],
    exclude: ['/**'],
    urlFilter: 'never',
    preset: 'docs',
    guards: { ...guards, maxUrlLength: 100, maxPathDepth: 2 },
  });

  it('is exempt from every filter and from the guards on its path', () => {
    expect(outcome(rules.checkStart('https://other.org/pricing/x/y/y/y/y/y.pdf'))).toBe('accepted');
  });

  it('does not open the door to the same URL found as a link', () => {
    expect(outcome(rules.checkStart('https://other.org/pricing'))).toBe('accepted');
    expect(outcome(rules.check('https://other.org/pricing', base))).toBe('out-of-scope');
    expect(outcome(rules.checkStart('https://other.org/pricing'))).toBe('accepted');
  });

  it.each<[string, Refusal]>([
    ['/relative', 'not-a-url'],
    ['ftp://example.com/', 'scheme'],
    ['https://me:pw@example.com/', 'credentials'],
    [`https://example.com/${'a'.repeat(100)}`, 'url-too-long'],
  ])('%s is refused as %s', (url, reason) => {
    expect(outcome(rules.checkStart(url))).toBe(reason);
  });
});
