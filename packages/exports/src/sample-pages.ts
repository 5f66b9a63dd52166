/** For tests: pages that are hard to write down, and what reads a file of pieces back. */
import type { Page } from '@trawl/contracts';

export type SamplePage = Page & { readonly tokenCount: number };

export function samplePage(path: string, over: Partial<Page> = {}): SamplePage {
  const url = new URL(path, 'https://example.com/').href;
  const markdown = over.markdown === undefined ? `# ${path}\n\nText.\n` : over.markdown;
  const page: Page = {
    id: `page_${path.length}`,
    url,
    finalUrl: url,
    depth: 1,
    parentUrl: null,
    outcome: 'processed',
    httpStatus: 200,
    contentType: 'text/html',
    title: `Title of ${path}`,
    language: 'en',
    bytes: 5_000_000_000,
    elapsedMs: 5,
    rendered: false,
    change: 'new',
    contentHash: 'abc',
    duplicateOf: null,
    crawledAt: '2026-01-02T03:04:05.678Z',
    error: null,
    markdown,
    text: markdown,
    links: [{ url: 'https://example.com/next', text: 'next, "the" one', rel: '' }],
    chunks: [
      {
        id: `1.${path.length}`,
        index: 0,
        text: markdown ?? '',
        headingPath: ['A', 'B "b"'],
        tokens: 7,
        start: 0,
        end: markdown?.length ?? 0,
        overlap: 0,
      },
    ],
    metadata: {
      description: `About ${path}`,
      wordCount: 3,
      publishedAt: '2025-12-31T00:00:00.000Z',
      jsonLd: [{ a: 1 }],
    },
    html: null,
    screenshot: null,
    ...over,
  };
  return { ...page, tokenCount: page.chunks.reduce((sum, { tokens }) => sum + tokens, 0) };
}

/** Unicode, quotes, line ends, nothing, nulls, a megabyte, names that would do harm as files. */
export const SAMPLE_PAGES: readonly SamplePage[] = [
  samplePage('/', { title: 'Home', depth: 0, metadata: { description: 'What it is all about.' } }),
  samplePage('/docs/guide', { markdown: 'He said "no",\r\nthen\n---\nleft, 日本語 🦑 \u2028 end' }),
  samplePage('/docs/quotes', { title: '"=1+1", it\'s\n@x' }),
  samplePage('/empty', { title: '', markdown: '', text: '', links: [], chunks: [], metadata: {} }),
  samplePage('/nothing', {
    title: null,
    language: null,
    finalUrl: null,
    httpStatus: null,
    contentType: null,
    bytes: null,
    elapsedMs: null,
    change: null,
    contentHash: null,
    markdown: null,
    text: null,
    chunks: [],
    metadata: {},
  }),
  samplePage('/large', { markdown: `${'Grüße, "Welt" 🌍\n'.repeat(60_000)}` }),
  samplePage('/..%2f..%2fetc%2fpasswd', { title: '../../etc/passwd' }),
  samplePage('/docs/CON'),
  samplePage('/docs/Guide', {
    duplicateOf: 'page_1',
    metadata: { description: 7, publishedAt: 'yesterday', wordCount: 1.5 },
  }),
  samplePage('https://other.test/docs/guide', { chunks: [] }),
];

/** In parts of three, so that more than one is seen. */
export async function* inParts<T>(all: readonly T[]): AsyncGenerator<readonly T[]> {
  for (let from = 0; from < all.length; from += 3) yield all.slice(from, from + 3);
}

export async function collect(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}
