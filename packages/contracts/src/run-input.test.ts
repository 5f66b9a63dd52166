import { describe, expect, it } from 'vitest';
import { type CreateRunInput, completeRunConfig, createRunSchema, type RunConfig } from './run-config.ts';
import { overlayRunInput, runConfigAsInput, runInputSchema, runOverridesSchema } from './run-input.ts';

const problems = (schema: typeof runInputSchema | typeof runOverridesSchema, input: unknown): string[] => {
  const result = schema.safeParse(input);
  return result.success ? [] : result.error.issues.map((i) => `${i.path.join('.')}: ${i.message}`);
};

const complete = (input: CreateRunInput): RunConfig =>
  completeRunConfig(createRunSchema.parse(input), { userAgent: 'Trawl/1' });

describe('the configuration of a source', () => {
  it.each([
    { url: 'https://example.com/' },
    {
      urls: ['https://example.com/'],
      maxPages: 5,
      normalize: { stripWww: false },
      output: { chunks: { maxTokens: 100 } },
    },
    { url: 'https://example.com/', urlFilter: null, backoff: { firstSeconds: 1 }, include: [] },
  ])('is kept as it was given, without defaults: %j', (input) => {
    expect(runInputSchema.parse(input)).toEqual(input);
  });

  it.each([
    [{}, 'url: is required'],
    [{ url: 'nonsense' }, 'url: is not an absolute URL'],
    [{ url: 'http://a.b/', colour: 'red' }, 'Unrecognized key'],
    [{ url: 'http://a.b/', normalize: { shout: true } }, 'normalize: Unrecognized key'],
    [{ url: 'http://a.b/', sourceId: 'src_00000000000000000000' }, 'Unrecognized key'],
    [{ url: 'http://a.b/', maxPages: -1 }, 'maxPages:'],
    [{ url: 'http://a.b/', minCrawlDelay: 5, maxCrawlDelay: 2 }, 'minCrawlDelay: must not be above'],
    [
      { url: 'http://a.b/', output: { chunks: { maxTokens: 100, overlap: 100 } } },
      'output.chunks.overlap: must be smaller',
    ],
    [{ url: 'http://a.b/', overlap: true }, 'Unrecognized key'],
  ])('is refused as the body of POST /v1/runs is: %j', (input, message) => {
    expect(problems(runInputSchema, input).join('\n')).toContain(message);
  });
});

describe('what is laid over it', () => {
  it('may be nothing, or any option by itself, and says whether to overlap', () => {
    for (const over of [{}, { maxPages: 5 }, { overlap: true }, { normalize: { stripWww: false } }])
      expect(runOverridesSchema.parse(over)).toEqual(over);
  });

  it.each([
    [{ colour: 'red' }, 'Unrecognized key'],
    [{ maxPages: 0 }, 'maxPages:'],
    [{ url: 'ftp://a.b/' }, 'url: has the scheme ftp:'],
    [{ sourceId: 'src_00000000000000000000' }, 'Unrecognized key'],
  ])('is refused by name: %j', (over, message) => {
    expect(problems(runOverridesSchema, over).join('\n')).toContain(message);
  });

  it('goes field by field, and one level deeper in fields that are objects', () => {
    const base = {
      url: 'https://a.b/',
      maxPages: 5,
      include: ['/a/**'],
      normalize: { stripWww: false, ignoreCase: true },
      output: { markdown: false, chunks: { maxTokens: 100, overlap: 10 } },
    };
    const over = { maxPages: 7, include: [], normalize: { ignoreCase: false }, output: { chunks: { maxTokens: 200 } } };
    expect(overlayRunInput(base, over)).toEqual({
      url: 'https://a.b/',
      maxPages: 7,
      include: [],
      normalize: { stripWww: false, ignoreCase: false },
      output: { markdown: false, chunks: { maxTokens: 200 } },
    });
    expect(overlayRunInput(base, {})).toEqual(base);
  });

  it('takes the place of where to start, whichever way each says it', () => {
    expect(overlayRunInput({ urls: ['https://a.b/'], maxDepth: 1 }, { url: 'https://a.b/new' })).toEqual({
      url: 'https://a.b/new',
      maxDepth: 1,
    });
    expect(overlayRunInput({ url: 'https://a.b/' }, { urls: ['https://c.d/'] })).toEqual({ urls: ['https://c.d/'] });
  });
});

describe("a run's configuration as input", () => {
  it.each<CreateRunInput>([
    { url: 'https://example.com/' },
    { url: 'https://example.com/', maxPages: 5000, policy: 'gentle' },
    { urls: ['https://a.b/', 'https://c.d/'], maxUrls: 7, maxRetries: 1, backoff: { growth: 'doubling' } },
    { url: 'https://example.com/', normalize: { stripWww: false }, userAgent: 'Other/2' },
  ])('gives the same configuration again: %j', (input) => {
    const config = complete(input);
    expect(complete(runConfigAsInput(config))).toEqual(config);
  });

  it('of an earlier version of the extractor gives one of today', () => {
    const config = complete({ url: 'https://example.com/' });
    expect(complete(runConfigAsInput({ ...config, extractor: 1 }))).toEqual(config);
  });

  it('leaves out what follows from other options, so that it follows from what is laid over them', () => {
    const input = runConfigAsInput(complete({ url: 'https://example.com/', maxRetries: 9 }));
    expect(input).not.toHaveProperty('maxUrls');
    expect(input).not.toHaveProperty('backoff');
    expect(input).not.toHaveProperty('extractor');
    expect(complete(overlayRunInput(input, { policy: 'fast', maxPages: 50_000 }))).toMatchObject({
      maxParallelPerHost: 16,
      maxUrls: 500_000,
      maxRetries: 9,
      backoff: { growth: 'doubling' },
    });
  });
});
