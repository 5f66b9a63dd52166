import { describe, expect, it } from 'vitest';
import { exportLlms, exportLlmsFull } from './llms.ts';
import { collect, inParts, SAMPLE_PAGES, samplePage } from './sample-pages.ts';

const site = { name: 'Example\nsite', mainHost: 'example.com' };
const write = async (pages: typeof SAMPLE_PAGES) => (await collect(exportLlms(inParts(pages), site))).toString();

describe('llms.txt', () => {
  it('has the name, the summary of the home page, and links by first path segment', async () => {
    const pages = [
      samplePage('/blog/b', { title: 'B', metadata: {} }),
      samplePage('/docs/b_(x)', { title: 'A [b] \\', metadata: { description: 'Two\nlines' } }),
      samplePage('/', { title: 'Home', metadata: { description: 'What it is all about.' } }),
      samplePage('/docs/a', { title: null, metadata: {} }),
      samplePage('/about', { title: 'About', metadata: {} }),
      samplePage('/blog', { title: 'Blog', metadata: {} }),
      samplePage('https://other.test/docs/1', { title: 'One', metadata: {} }),
      samplePage('https://other.test/docs/2', { title: 'Two', metadata: {} }),
    ];
    const expected = [
      '# Example site',
      '',
      '> What it is all about.',
      '',
      '## Pages',
      '',
      '- [Home](https://example.com/): What it is all about.',
      '- [About](https://example.com/about)',
      '',
      '## blog',
      '',
      '- [Blog](https://example.com/blog)',
      '- [B](https://example.com/blog/b)',
      '',
      '## docs',
      '',
      '- [https://example.com/docs/a](https://example.com/docs/a)',
      '- [A \\[b\\] \\\\](https://example.com/docs/b_%28x%29): Two lines',
      '',
      '## other.test/docs',
      '',
      '- [One](https://other.test/docs/1)',
      '- [Two](https://other.test/docs/2)',
      '',
    ].join('\n');
    expect(await write(pages)).toBe(expected);
    expect(await write(pages.toReversed())).toBe(expected);
  });

  it('cuts what is too long to be a title or a description', async () => {
    const text = await write([
      samplePage('/', { title: '🦑'.repeat(5000), metadata: { description: 'x '.repeat(50_000) } }),
    ]);
    expect(text.length).toBeLessThan(2000);
    expect(text.isWellFormed()).toBe(true);
  });

  it('of no pages is the name', async () => {
    expect(await write([])).toBe('# Example site\n');
  });
});

describe('llms-full.txt', () => {
  it('has each page with its address, and its markdown as it is', async () => {
    const text = (await collect(exportLlmsFull(inParts(SAMPLE_PAGES), site))).toString();
    expect(
      text.startsWith(
        '# Example site\n\n# Home\nSource: https://example.com/\n\n# /\n\nText.\n\n# Title of /docs/guide\n',
      ),
    ).toBe(true);
    for (const { url, markdown } of SAMPLE_PAGES) expect(text).toContain(`Source: ${url}\n\n${markdown ?? ''}`);
  });
});
