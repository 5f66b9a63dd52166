import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exportCsv } from './csv.ts';
import { exportJsonl } from './jsonl.ts';
import { exportMarkdown } from './markdown.ts';
import { renderPageFile } from './page-file.ts';
import { collect, inParts, SAMPLE_PAGES, samplePage } from './sample-pages.ts';

describe('a JSON Lines export', () => {
  it('has a line for each page, with everything the API shows of it and nothing else', async () => {
    const text = (await collect(exportJsonl(inParts(SAMPLE_PAGES)))).toString();
    expect(text.endsWith('\n')).toBe(true);
    const lines = text.slice(0, -1).split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual(SAMPLE_PAGES.map(({ tokenCount: _tokens, ...page }) => page));
  });

  it('of no pages is empty', async () => {
    expect(await collect(exportJsonl(inParts([])))).toHaveLength(0);
  });
});

describe('a CSV export', () => {
  const read = async (pages: Parameters<typeof inParts<(typeof SAMPLE_PAGES)[number]>>[0]) => {
    const [header = [], ...rows] = parseCsv((await collect(exportCsv(inParts(pages)))).toString());
    return rows.map((row) => Object.fromEntries(header.map((name, at) => [name, row[at]])));
  };

  it('gives every value back exactly, and tells null from empty', async () => {
    const rows = await read(SAMPLE_PAGES);
    const text = (value: unknown) => (value === null ? null : String(value));
    expect(rows).toMatchObject(
      SAMPLE_PAGES.map((page) => ({
        id: page.id,
        url: page.url,
        finalUrl: page.finalUrl,
        title: page.title,
        language: page.language,
        depth: String(page.depth),
        httpStatus: text(page.httpStatus),
        bytes: text(page.bytes),
        tokenCount: String(page.tokenCount),
        duplicateOf: page.duplicateOf,
        crawledAt: page.crawledAt,
        markdown: page.markdown,
      })),
    );
    expect(rows.map(({ wordCount }) => wordCount)).toEqual([null, '3', '3', null, null, '3', '3', '3', '1.5', '3']);
  });

  it('gives back whatever a title may be', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit: 'binary' }), { minLength: 1, maxLength: 5 }), async (titles) => {
        const rows = await read(titles.map((title) => samplePage('/x', { title, markdown: title })));
        expect(rows.map(({ title }) => title)).toEqual(titles.map((title) => title.toWellFormed()));
      }),
    );
  });

  it('has its header without a page', async () => {
    expect((await collect(exportCsv(inParts([])))).toString()).toMatch(/^id,url,.*,markdown\r\n$/);
  });
});

describe('a page as a file', () => {
  it('has what the page says of itself in front, and its markdown as it is', () => {
    expect(
      renderPageFile(
        samplePage('/a', {
          title: 'A "guide": \n\u2028 part 1',
          markdown: '  # A\n\n---\nx',
          metadata: { description: 'd', modifiedAt: '2026-01-01T00:00:00.000Z' },
        }),
      ),
    ).toBe(
      [
        '---',
        'url: "https://example.com/a"',
        'title: "A \\"guide\\": \\n\\u2028 part 1"',
        'description: "d"',
        'language: "en"',
        'modifiedAt: "2026-01-01T00:00:00.000Z"',
        'depth: 1',
        'crawledAt: "2026-01-02T03:04:05.678Z"',
        '---',
        '',
        '  # A',
        '',
        '---',
        'x',
        '',
      ].join('\n'),
    );
  });

  it('follows the one before in one document', async () => {
    const text = (await collect(exportMarkdown(inParts(SAMPLE_PAGES)))).toString();
    expect(text).toBe(SAMPLE_PAGES.map((page) => `${renderPageFile(page)}\n`).join(''));
    for (const { markdown } of SAMPLE_PAGES) expect(text).toContain(markdown ?? '');
  });
});

/** RFC 4180, and null for a field with nothing at all in it. */
function parseCsv(text: string): (string | null)[][] {
  const rows: (string | null)[][] = [];
  let row: (string | null)[] = [];
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
  while (field.lastIndex < text.length) {
    const [, quoted, bare, end] = field.exec(text) ?? expect.fail(`not CSV at ${field.lastIndex}`);
    row.push(quoted === undefined ? bare || null : quoted.replaceAll('""', '"'));
    if (end === ',') continue;
    rows.push(row);
    row = [];
  }
  return rows;
}
