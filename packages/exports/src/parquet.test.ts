import { parquetMetadata, parquetReadObjects, parquetSchema } from 'hyparquet';
import { describe, expect, it } from 'vitest';
import { exportParquet } from './parquet.ts';
import { collect, inParts, SAMPLE_PAGES, type SamplePage, samplePage } from './sample-pages.ts';

async function read(pages: readonly SamplePage[]) {
  const bytes = await collect(exportParquet(inParts(pages)));
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
  return { metadata: parquetMetadata(file), rows: await parquetReadObjects({ file }) };
}

describe('a Parquet export', () => {
  it('holds every page exactly, in typed columns', async () => {
    const { rows } = await read(SAMPLE_PAGES);
    const expected = SAMPLE_PAGES.map((page) => {
      const {
        html: _html,
        screenshot: _screenshot,
        error: _error,
        outcome: _outcome,
        metadata,
        bytes,
        crawledAt,
        ...rest
      } = page;
      const { description, publishedAt, wordCount } = metadata;
      const isTime = typeof publishedAt === 'string' && publishedAt !== 'yesterday';
      return {
        ...rest,
        metadata,
        bytes: bytes === null ? null : BigInt(bytes),
        crawledAt: new Date(crawledAt),
        description: typeof description === 'string' ? description : null,
        publishedAt: isTime ? new Date(publishedAt) : null,
        wordCount: wordCount === 3 ? 3 : null,
        author: null,
        modifiedAt: null,
        canonicalUrl: null,
      };
    });
    expect(rows.map((row) => withoutUndefined(row))).toEqual(expected);
  });

  it('is a file with its columns even without a page', async () => {
    const { metadata, rows } = await read([]);
    expect(rows).toEqual([]);
    expect(parquetSchema(metadata).children.map(({ element }) => element.name)).toContain('markdown');
  });

  it('has as many row groups as it takes', async () => {
    const large = 'x'.repeat(2_100_000);
    const { metadata, rows } = await read(
      Array.from({ length: 20 }, (_, n) => samplePage(`/${n}`, { markdown: `${n} ${large}` })),
    );
    expect(metadata).toMatchObject({ num_rows: 20n, created_by: 'trawl' });
    expect(metadata.row_groups).toHaveLength(20);
    expect(rows.map(({ markdown }) => Number.parseInt(markdown, 10))).toEqual(rows.map((_, n) => n));
  });

  it('is cut into row groups of bounded size', async () => {
    const large = 'x'.repeat(1024 * 1024);
    const { metadata, rows } = await read(
      Array.from({ length: 12 }, (_, n) => samplePage(`/${n}`, { markdown: `${n} ${large}` })),
    );
    expect(metadata.row_groups.map(({ num_rows }) => Number(num_rows))).toEqual([2, 2, 2, 2, 2, 2]);
    expect(rows.map(({ markdown }) => Number.parseInt(markdown, 10))).toEqual(rows.map((_, n) => n));
  });
});

function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUndefined);
  if (value === undefined) return null;
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withoutUndefined(inner)]));
}
