import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseCrawlArguments } from './crawl-options.ts';

const noon = new Date('2026-03-04T12:05:06.000Z');
const parse = (...args: string[]) => parseCrawlArguments(args, '/home/me', noon);
const runOf = (...args: string[]) => {
  const parsed = parse(...args);
  return parsed.kind === 'request' ? parsed.request.run : parsed;
};

describe('the arguments of crawl', () => {
  it('need nothing but a URL, and leave the defaults to the API', () => {
    expect(parse('https://example.com/docs')).toEqual({
      kind: 'request',
      request: {
        run: { url: 'https://example.com/docs' },
        outputs: [{ format: 'files', path: '/home/me/trawl-output/example.com-2026-03-04-120506' }],
        output: '/home/me/trawl-output/example.com-2026-03-04-120506',
        isForced: false,
        isJson: false,
      },
    });
  });

  it('become fields of the run', () => {
    const args = [
      'a.test',
      '--max-pages',
      '5',
      '--max-depth=0',
      '--include',
      '/a/**',
      '--include',
      '/b/**',
      '--scope',
      'host',
    ];
    args.push('--exclude', '/c', '--max-parallel-per-host', '2', '--user-agent', 'Me/1', '--timeout', '2.5');
    expect(runOf(...args)).toEqual({
      url: 'https://a.test',
      maxPages: 5,
      maxDepth: 0,
      include: ['/a/**', '/b/**'],
      exclude: ['/c'],
      scope: 'host',
      maxParallelPerHost: 2,
      userAgent: 'Me/1',
      timeoutSeconds: 2.5,
    });
  });

  it.each([
    ['example.com', 'https://example.com'],
    ['localhost:8080/x', 'https://localhost:8080/x'],
    ['http://example.com', 'http://example.com'],
  ])('take %s for %s', (given, url) => {
    expect(runOf(given)).toEqual({ url });
  });

  it('ask for pictures, and for the window they are taken in', () => {
    expect(runOf('a.test', '--screenshots', '--viewport', '900x700')).toEqual({
      url: 'https://a.test',
      output: { screenshot: true },
      viewport: { width: 900, height: 700 },
    });
  });

  it('say when a browser reads a page, and in which language', () => {
    expect(runOf('a.test', '--render', 'always', '--render-wait', '250', '--locale', 'de-AT')).toEqual({
      url: 'https://a.test',
      render: 'always',
      renderWaitMs: 250,
      locale: 'de-AT',
    });
  });

  it('take what requests carry from a file, and quote nothing of it', () => {
    const folder = mkdtempSync(join(tmpdir(), 'trawl-access-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const given = (text: string) => {
      writeFileSync(join(folder, 'access.json'), text);
      return parseCrawlArguments(['a.test', '--access', 'access.json'], folder, noon);
    };
    expect(given('{"headers":{"X-Token":"s3cret"}}')).toMatchObject({
      request: { run: { url: 'https://a.test', access: { headers: { 'X-Token': 's3cret' } } } },
    });
    const wrong = (message: string) => ({ kind: 'wrong', message: expect.stringContaining(message) });
    expect(given('{"headers": s3cret')).toEqual({ kind: 'wrong', message: '--access: access.json is not JSON.' });
    expect(given('{"headers":{"Host":"s3cret"}}')).toEqual(wrong('--access: headers.Host is not yours to set.'));
    expect(given('{}')).toEqual(wrong('--access: holds nothing'));
    expect(parse('a.test', '--access', 'nowhere.json')).toEqual(wrong("nowhere.json can't be read (ENOENT)."));
  });

  it('say what is kept of a page, and in which form', () => {
    const args = ['a.test', '--html', '--no-main-content', '--include-selector', 'main', '--include-selector', '.doc'];
    args.push(
      '--exclude-selector',
      'nav',
      '--chunk-tokens',
      '300',
      '--chunk-overlap',
      '0',
      '--tokenizer',
      'o200k_base',
    );
    expect(runOf(...args)).toEqual({
      url: 'https://a.test',
      output: {
        html: true,
        mainContent: false,
        includeSelectors: ['main', '.doc'],
        excludeSelectors: ['nav'],
        chunks: { maxTokens: 300, overlap: 0, tokenizer: 'o200k_base' },
      },
    });
  });

  const outputsOf = (...args: string[]) => {
    const parsed = parse('a.test', ...args);
    return parsed.kind === 'request' ? { outputs: parsed.request.outputs, output: parsed.request.output } : parsed;
  };

  it.each([
    ['zip', '.zip'],
    ['markdown', '.md'],
    ['jsonl', '.jsonl'],
    ['warc', '.warc.gz'],
    ['llms', '.llms.txt'],
  ])('name one file for the format %s', (format, extension) => {
    const path = `/home/me/trawl-output/a.test-2026-03-04-120506${extension}`;
    expect(outputsOf('--format', format)).toEqual({ outputs: [{ format, path }], output: path });
    expect(outputsOf('--format', format, '--output', 'x')).toMatchObject({ output: '/home/me/x' });
  });

  it('name a directory for several formats, in which none is in the way of another', () => {
    const formats = ['files', 'markdown', 'llms', 'llms-full', 'csv', 'csv'];
    expect(outputsOf(...formats.flatMap((format) => ['--format', format]), '--output', 'all')).toEqual({
      output: '/home/me/all',
      outputs: [
        { format: 'files', path: '/home/me/all/files' },
        { format: 'markdown', path: '/home/me/all/pages.md' },
        { format: 'llms', path: '/home/me/all/llms.txt' },
        { format: 'llms-full', path: '/home/me/all/llms-full.txt' },
        { format: 'csv', path: '/home/me/all/pages.csv' },
      ],
    });
  });

  it('keep the answers that a WARC is made of', () => {
    expect(runOf('a.test', '--format', 'warc', '--format', 'csv')).toEqual({
      url: 'https://a.test',
      output: { html: true },
    });
  });

  it.each([
    [[], 'Which site? Give a URL, such as https://example.com.'],
    [['a.test', 'b.test'], 'One URL at a time: "b.test" is one too many.'],
    [['a.test', '--colour'], "Unknown option '--colour'."],
    [['a.test', '--max-pages'], "Option '--max-pages <value>' argument missing."],
    [['a.test', '--max-pages', 'many'], '--max-pages must be a number, not "many".'],
    [['a.test', '--max-pages', ''], '--max-pages must be a number, not "".'],
    [['a.test', '--max-pages', '0'], '--max-pages: '],
    [['a.test', '--viewport', '900'], '--viewport must be WIDTHxHEIGHT, such as 1280x800.'],
    [['a.test', '--viewport', '10x700'], '--viewport: width '],
    [['a.test', '--screenshots', '--render', 'never'], '--render: '],
    [['a.test', '--screenshots', '--format', 'csv'], '--screenshots are written beside the files of pages'],
    [['a.test', '--scope', 'world'], '--scope: '],
    [
      ['a.test', '--format', 'pdf'],
      '--format must be one of files, jsonl, markdown, zip, csv, parquet, warc, llms, llms-full, not "pdf".',
    ],
    [['a.test', '--chunk-tokens', '1'], '--chunk-tokens: '],
    [['a.test', '--chunk-tokens', '60', '--chunk-overlap', '60'], '--chunk-overlap: must be smaller than maxTokens.'],
    [['a.test', '--include-selector', 'a['], '--include-selector: is not a CSS selector'],
    [['a.test', '--tokenizer', 'x'], '--tokenizer: '],
    [['ftp://a.test'], '"ftp://a.test" has the scheme ftp: but only http: and https: can be crawled.'],
  ])('%j are refused in one line', (args, message) => {
    const parsed = parse(...args);
    expect(parsed).toMatchObject({ kind: 'wrong', message: expect.stringContaining(message) });
    expect(JSON.stringify(parsed)).not.toContain('\\n');
  });
});
