import { describe, expect, it } from 'vitest';
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
        outputDirectory: '/home/me/trawl-output/example.com-2026-03-04-120506',
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

  it.each([
    [[], 'Which site? Give a URL, such as https://example.com.'],
    [['a.test', 'b.test'], 'One URL at a time: "b.test" is one too many.'],
    [['a.test', '--colour'], "Unknown option '--colour'."],
    [['a.test', '--max-pages'], "Option '--max-pages <value>' argument missing."],
    [['a.test', '--max-pages', 'many'], '--max-pages must be a number, not "many".'],
    [['a.test', '--max-pages', ''], '--max-pages must be a number, not "".'],
    [['a.test', '--max-pages', '0'], '--max-pages: '],
    [['a.test', '--scope', 'world'], '--scope: '],
    [['ftp://a.test'], '"ftp://a.test" has the scheme ftp: but only http: and https: can be crawled.'],
  ])('%j are refused in one line', (args, message) => {
    const parsed = parse(...args);
    expect(parsed).toMatchObject({ kind: 'wrong', message: expect.stringContaining(message) });
    expect(JSON.stringify(parsed)).not.toContain('\\n');
  });
});
