import { completeRunConfig, createRunSchema } from '@trawl/contracts';
import { compileRules } from '@trawl/url';
import { describe, expect, it } from 'vitest';
import { pageLinks } from './page-links.ts';

const page = {
  url: 'https://example.com/docs/',
  links: [
    { url: 'https://example.com/docs/a', rel: '' },
    { url: 'https://example.com/docs/a?utm_source=x', rel: '' },
    { url: 'https://example.com/docs/b', rel: 'noopener NoFollow' },
    { url: 'https://elsewhere.org/', rel: '' },
    { url: 'https://example.com/logo.png', rel: '' },
  ],
  nofollow: false,
  canonicalUrl: 'https://example.com/docs/canonical',
};

function linksOf(changes: Partial<typeof page>, options: { respectNofollow?: boolean } = {}) {
  const config = completeRunConfig(createRunSchema.parse({ url: 'https://example.com/', ...options }), {
    userAgent: 'x',
  });
  const { links, refused } = pageLinks({ ...page, ...changes }, config, compileRules(config));
  return { paths: links.map((link) => new URL(link.url).pathname), refused };
}

describe('links of a page', () => {
  it('are offered once each, the canonical one among them, and refusals are counted by reason', () => {
    expect(linksOf({})).toEqual({
      paths: ['/docs/a', '/docs/b', '/docs/canonical'],
      refused: { 'out-of-scope': 1, asset: 1 },
    });
  });

  it('leave out nofollow where the run respects it', () => {
    const { paths, refused } = linksOf({}, { respectNofollow: true });
    expect(paths).toEqual(['/docs/a', '/docs/canonical']);
    expect(refused.nofollow).toBe(1);
  });

  it('leave out all of a page that is not to be followed, but for the canonical one', () => {
    expect(linksOf({ nofollow: true })).toEqual({ paths: ['/docs/canonical'], refused: { nofollow: 5 } });
  });
});
