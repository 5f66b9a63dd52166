import { describe, expect, it } from 'vitest';
import {
  type CreateRunInput,
  completeRunConfig,
  createRunSchema,
  EXTRACTOR_VERSION,
  rendersAll,
  runConfigSchema,
} from './run-config.ts';

const problems = (input: unknown): string[] => {
  const result = createRunSchema.safeParse(input);
  return result.success ? [] : result.error.issues.map((i) => `${i.path.join('.')}: ${i.message}`);
};

describe('the body of POST /v1/runs', () => {
  it('needs nothing but a URL, and fills in the defaults of the contract', () => {
    const config = completeRunConfig(createRunSchema.parse({ url: 'https://example.com/' }), { userAgent: 'Trawl/1' });
    expect(config).toMatchObject({
      urls: ['https://example.com/'],
      mode: 'crawl',
      maxPages: 1000,
      maxUrls: 10_000,
      maxDepth: 2,
      scope: 'domain',
      maxParallelPerHost: 8,
      timeoutSeconds: 30,
      maxRetries: 5,
      normalize: { ignoreCase: false, stripWww: true, stripIndex: true, stripTracking: true, stripSession: true },
      output: { markdown: true, html: false, chunks: { maxTokens: 500, overlap: 50 } },
      userAgent: 'Trawl/1',
    });
  });

  it('leaves a render time to be read', () => {
    const patient = { url: 'https://example.com/', renderWaitMs: 30_000 };
    expect(problems(patient)).toEqual([
      'renderWaitMs: must be less than timeoutSeconds, which bounds the whole render',
    ]);
    expect(problems({ ...patient, timeoutSeconds: 31 })).toEqual([]);
  });

  it("can't choose the version of the extractor, which is that of today; what was kept without one is of the first", () => {
    const config = completeRunConfig(createRunSchema.parse({ url: 'https://example.com/' }), { userAgent: 'Trawl/1' });
    expect(config.extractor).toBe(EXTRACTOR_VERSION);
    expect(problems({ url: 'https://example.com/', extractor: 1 })).toHaveLength(1);
    const { extractor: _, ...kept } = config;
    expect(runConfigSchema.parse(kept).extractor).toBe(1);
  });

  it('takes what a policy says where nothing else is said', () => {
    const of = (input: Partial<CreateRunInput>) =>
      completeRunConfig(createRunSchema.parse({ url: 'http://a.b/', ...input }), { userAgent: 'x' });
    const fast = { firstSeconds: 2, growth: 'doubling', circuitFailures: 5, circuitSeconds: 60 };
    expect(of({ policy: 'fast' })).toMatchObject({ maxParallelPerHost: 16, maxRetries: 3, backoff: fast });
    expect(of({ policy: 'gentle' })).toMatchObject({ maxParallelPerHost: 2, defaultCrawlDelay: 1 });
    expect(of({ policy: 'fast', maxRetries: 7, backoff: { circuitSeconds: 5 } })).toMatchObject({
      maxParallelPerHost: 16,
      maxRetries: 7,
      backoff: { ...fast, circuitSeconds: 5 },
    });
    expect(of({}).backoff).toEqual({ firstSeconds: 3, growth: 'fibonacci', circuitFailures: 5, circuitSeconds: 60 });
  });

  it('takes sites as bare host names, with a port where they have one', () => {
    const sites = ['example.com', '127.0.0.1:8080', '[::1]:8080', 'bücher.example'];
    const { urls, ...config } = completeRunConfig(createRunSchema.parse({ sites }), { userAgent: 'x' });
    expect(config.sites).toEqual(sites);
    expect(urls).toEqual(sites.map((site) => `https://${site}/`));
  });

  it('trusts sitemaps for a day, unless it is to find out what has changed', () => {
    const of = (input: Partial<CreateRunInput>) =>
      completeRunConfig(createRunSchema.parse({ url: 'http://a.b/', ...input }), { userAgent: 'x' }).sitemapCacheHours;
    expect([of({}), of({ updateStale: true }), of({ updateStale: true, sitemapCacheHours: 6 })]).toEqual([24, 0, 6]);
  });

  it('grows maxUrls with maxPages unless it is given', () => {
    const of = (input: CreateRunInput) => completeRunConfig(createRunSchema.parse(input), { userAgent: 'x' }).maxUrls;
    expect(of({ url: 'http://a.b/', maxPages: 5000 })).toBe(50_000);
    expect(of({ url: 'http://a.b/', maxUrls: 7 })).toBe(7);
  });

  it.each([
    [{}, 'url: is required'],
    [{ url: 'http://a.b/', urls: ['http://a.b/'] }, 'exclude each other'],
    [{ url: 'nonsense' }, 'url: is not an absolute URL'],
    [{ url: 'file:///etc/passwd' }, 'url: has the scheme file:'],
    [{ url: 'http://me:pw@a.b/' }, 'url: carries credentials'],
    [{ urls: ['http://a.b/', 'ftp://a.b/'] }, 'urls.1: has the scheme ftp:'],
    [{ urls: [] }, 'urls: names no URL'],
    [{ url: 'http://a.b/', maxPages: -1 }, 'maxPages:'],
    [{ url: 'http://a.b/', maxPages: '10' }, 'maxPages:'],
    [{ url: 'http://a.b/', maxPages: 1.5 }, 'maxPages:'],
    [{ url: 'http://a.b/', colour: 'red' }, 'colour'],
    [{ url: 'http://a.b/', normalize: { shout: true } }, 'shout'],
    [{ url: 'http://a.b/', respectRobots: 'yes' }, 'respectRobots:'],
    [{ url: 'http://a.b/', policy: 'rude' }, 'policy:'],
    [{ url: 'http://a.b/', minCrawlDelay: 5, maxCrawlDelay: 2 }, 'minCrawlDelay: must not be above maxCrawlDelay'],
    [{ url: 'http://a.b/', defaultCrawlDelay: -1 }, 'defaultCrawlDelay:'],
    [{ url: 'http://a.b/', backoff: { growth: 'wild' } }, 'backoff.growth:'],
    [{ url: 'http://a.b/', sitemap: 'maybe' }, 'sitemap:'],
    [{ url: 'http://a.b/', mode: 'guess' }, 'mode:'],
    [{ url: 'http://a.b/', sites: ['a.b'] }, 'exclude each other'],
    [{ sites: [] }, 'sites: names no site'],
    [{ sites: ['a.b', 'https://a.b/'] }, 'sites.1: is not a bare host name'],
    [{ sites: ['a.b/path'] }, 'sites.0: is not a bare host name'],
    [{ sites: ['a b'] }, 'sites.0: is not a bare host name'],
    [{ sites: ['me@a.b'] }, 'sites.0: is not a bare host name'],
    [{ sites: ['a.b'], mode: 'urls' }, 'mode: can\'t be "urls" with "sites"'],
    [{ url: 'http://a.b/', sitemapCacheHours: -1 }, 'sitemapCacheHours:'],
    [{ url: 'http://a.b/', nearDuplicateBits: 17 }, 'nearDuplicateBits:'],
    [{ url: 'http://a.b/', output: { chunks: { maxTokens: 100, overlap: 100 } } }, 'overlap: must be smaller'],
  ])('refuses %j', (input, message) => {
    expect(problems(input).join('\n')).toContain(message);
  });
});

describe('how pages are shown', () => {
  const parse = (input: object) => createRunSchema.safeParse({ url: 'https://example.com/', ...input });

  it('is a window of the usual size and no language, unless something is said', () => {
    expect(parse({}).data).toMatchObject({ viewport: { width: 1280, height: 800 }, locale: null });
    expect(parse({ viewport: { width: 400 }, locale: 'de-AT' }).data).toMatchObject({
      viewport: { width: 400, height: 800 },
      locale: 'de-AT',
    });
  });

  it.each([
    [{ viewport: { width: 0 } }],
    [{ viewport: { width: 100_000 } }],
    [{ viewport: { depth: 3 } }],
    [{ locale: 'German' }],
    [{ locale: 'de\r\nX-Evil: 1' }],
    [{ render: 'never', output: { screenshot: true } }],
  ])('is not %j', (input) => {
    expect(parse(input).success).toBe(false);
  });

  it('means a browser for every page where it is asked for, or for pictures', () => {
    const renders = (input: object): boolean =>
      rendersAll(completeRunConfig(createRunSchema.parse({ url: 'http://a.b/', ...input }), { userAgent: 'x' }));
    expect([renders({}), renders({ render: 'always' }), renders({ output: { screenshot: true } })]).toEqual([
      false,
      true,
      true,
    ]);
  });
});
