import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page, PageSummary } from '@trawl/contracts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunFiles } from './page-files.ts';
import { checkOutputDirectory, listRun, writePages } from './write-pages.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trawl-pages-'));
});
afterEach(() => rm(folder, { recursive: true }));

const run: RunFiles = {
  startUrl: 'http://a.test/',
  runId: 'run_1',
  status: 'completed',
  startedAt: '2026-01-01T00:00:00.000Z',
  durationMs: 1234,
  discoveredBeyondLimit: 0,
  warnings: [],
};

function page(url: string, more: Partial<PageSummary> = {}): PageSummary {
  return {
    id: url,
    url,
    finalUrl: null,
    depth: 0,
    parentUrl: null,
    outcome: 'processed',
    httpStatus: 200,
    contentType: 'text/html',
    title: `Title of ${url}`,
    language: null,
    bytes: 1,
    elapsedMs: 1,
    rendered: false,
    change: 'new',
    contentHash: null,
    duplicateOf: null,
    crawledAt: '2026-01-01T00:00:01.000Z',
    error: null,
    ...more,
  };
}

async function write(...pages: PageSummary[]) {
  const listed = async function* () {
    yield* pages;
  };
  const pageOf = async (id: string): Promise<Page> => {
    const summary = pages.find((one) => one.id === id) ?? page(id);
    const metadata = { description: 'What it says.' };
    return {
      ...summary,
      markdown: `# Markdown of ${id}\n`,
      text: '',
      links: [],
      chunks: [],
      metadata,
      html: null,
      screenshot: id.endsWith('/seen') ? `/screenshot of ${id}` : null,
    };
  };
  const screenshot = async (path: string) => Buffer.from(path);
  return writePages(folder, run, await listRun(listed()), { page: pageOf, screenshot });
}

const read = (name: string): Promise<string> => readFile(join(folder, name), 'utf8');

describe('the files of a run', () => {
  it('hold one markdown file per page, with its front matter', async () => {
    await write(
      page('http://a.test/'),
      page('http://a.test/docs/guide', { depth: 1, title: 'A "guide": \n\u2028 part 1' }),
    );
    expect(await read('docs/guide.md')).toBe(
      [
        '---',
        'url: "http://a.test/docs/guide"',
        'title: "A \\"guide\\": \\n\\u2028 part 1"',
        'description: "What it says."',
        'depth: 1',
        'crawledAt: "2026-01-01T00:00:01.000Z"',
        '---',
        '',
        '# Markdown of http://a.test/docs/guide',
        '',
      ].join('\n'),
    );
    expect(await read('home.md')).toContain('# Markdown of http://a.test/');
  });

  it('hold the picture of a page beside it, where there is one', async () => {
    const { pages } = await write(page('http://a.test/'), page('http://a.test/docs/seen', { depth: 1 }));
    expect(pages.map(({ file, screenshot }) => [file, screenshot])).toEqual([
      ['home.md', undefined],
      ['docs/seen.md', 'docs/seen.png'],
    ]);
    expect(await read('docs/seen.png')).toBe('/screenshot of http://a.test/docs/seen');
  });

  it('do not depend on the order in which pages were crawled', async () => {
    const pages = ['http://a.test/Page', 'http://a.test/page', 'http://a.test/page.html'].map((url) => page(url));
    const forwards = await write(...pages);
    const backwards = await write(...pages.toReversed());
    expect(backwards).toEqual(forwards);
    expect((await readdir(folder)).filter((name) => name.endsWith('.md'))).toHaveLength(4);
  });

  it('say in index.json what was written, what failed and what was skipped, and why', async () => {
    await write(
      page('http://a.test/'),
      page('http://a.test/gone', {
        outcome: 'failed',
        httpStatus: 404,
        error: { code: 'HTTP_404', message: 'The server answered 404.', retryable: false, attempts: 1 },
      }),
      page('http://a.test/old', {
        outcome: 'skipped',
        httpStatus: 301,
        finalUrl: 'http://a.test/',
        error: { code: 'REDIRECTED', message: 'It leads elsewhere.', retryable: false, attempts: 1 },
      }),
    );
    expect(JSON.parse(await read('index.json'))).toMatchObject({
      runId: 'run_1',
      status: 'completed',
      counts: { pages: 1, failed: 1, skipped: 1 },
      pages: [{ url: 'http://a.test/', file: 'home.md', depth: 0 }],
      failed: [{ url: 'http://a.test/gone', code: 'HTTP_404', message: 'The server answered 404.' }],
      skipped: [{ url: 'http://a.test/old', code: 'REDIRECTED', finalUrl: 'http://a.test/' }],
    });
  });

  it('have an index in which a hostile title stays text', async () => {
    await write(page('http://a.test/x(1)', { title: 'a|b](http://evil)\n<script>' }));
    const index = await read('index.md');
    expect(index).toContain('| a\\|b\\](http://evil) \\<script\\> | http://a.test/x(1) | [x-1.md](x-1.md) | 0 |');
  });

  it('are there for a run without a single page', async () => {
    expect(await write()).toEqual({ pages: [], failed: [], skipped: [] });
    expect(await readdir(folder)).toEqual(['index.json', 'index.md']);
  });
});

describe('the output directory', () => {
  it('may be missing or empty', async () => {
    expect(await checkOutputDirectory(join(folder, 'new'), false)).toEqual({ kind: 'usable' });
    expect(await checkOutputDirectory(folder, false)).toEqual({ kind: 'usable' });
  });

  it('is refused when something is in it, unless forced', async () => {
    await writeFile(join(folder, 'mine.txt'), 'precious');
    expect(await checkOutputDirectory(folder, false)).toMatchObject({ kind: 'refused' });
    expect(await checkOutputDirectory(folder, true)).toEqual({ kind: 'usable' });
  });

  it('is refused when it is a file', async () => {
    await writeFile(join(folder, 'file'), '');
    expect(await checkOutputDirectory(join(folder, 'file'), true)).toMatchObject({ kind: 'refused' });
  });
});
