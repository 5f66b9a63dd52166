import { describe, expect, it } from 'vitest';
import { answerDate, rawHeadersOf, readHead } from './answer.ts';

const url = new URL('http://site.test/dir/page?q=1#top');
const head = (status: number, headers: Record<string, string | string[]> = {}) => readHead(status, headers, url, 1000);
const codeOf = (status: number, headers: Record<string, string | string[]> = {}) => {
  const read = head(status, headers);
  return read.kind === 'failed' ? [read.error.code, read.error.retryable] : read.kind;
};

describe('the head of an answer', () => {
  it.each([
    [200, 'text/html'],
    [200, 'TEXT/HTML; charset=utf-8'],
    [200, 'application/xhtml+xml'],
    [201, 'text/html'],
    [203, 'text/html;charset=x'],
    [200, 'text/plain'],
    [200, 'text/markdown; charset=utf-8'],
    [200, 'application/json'],
    [200, 'application/ld+json'],
    [200, 'application/pdf'],
  ])('%i %s is a page', (status, type) => {
    expect(head(status, { 'content-type': type })).toMatchObject({ kind: 'readable', contentType: type });
  });

  it('without a type is read, and the body decides', () => {
    expect(head(200)).toMatchObject({ kind: 'readable', contentType: null });
  });

  it.each(['text/css', 'application/xml', 'application/zip', 'image/png', 'nonsense'])(
    'of type %s is not read, and says what it is',
    (type) => {
      expect(head(200, { 'content-type': `${type.toUpperCase()}; q=1` })).toMatchObject({
        kind: 'failed',
        contentType: `${type.toUpperCase()}; q=1`,
        error: { code: 'UNSUPPORTED_TYPE', message: `The content is ${type}, which is not read.`, retryable: false },
      });
    },
  );

  it('keeps no more than 200 letters of a type that is not read', () => {
    const read = head(200, { 'content-type': 'a'.repeat(10_000) });
    expect(read.kind === 'failed' && read.contentType).toBe('a'.repeat(200));
  });

  it.each([
    [204, 'UNSUPPORTED_TYPE', false],
    [205, 'UNSUPPORTED_TYPE', false],
    [206, 'HTTP_206', false],
    [300, 'HTTP_300', false],
    [304, 'HTTP_304', false],
    [400, 'HTTP_400', false],
    [404, 'HTTP_404', false],
    [408, 'HTTP_408', false],
    [410, 'HTTP_410', false],
    [429, 'HTTP_429', true],
    [500, 'HTTP_500', true],
    [501, 'HTTP_501', true],
    [502, 'HTTP_502', true],
    [503, 'HTTP_503', true],
    [504, 'HTTP_504', true],
    [505, 'HTTP_505', false],
    [599, 'HTTP_599', false],
    [999, 'HTTP_999', false],
  ])('with status %i is %s (retryable: %s)', (status, code, retryable) => {
    expect(codeOf(status, { 'content-type': 'text/html' })).toEqual([code, retryable]);
  });

  it('that announces more than the limit is refused before its body is read', () => {
    expect(codeOf(200, { 'content-length': '1001' })).toEqual(['BODY_TOO_LARGE', false]);
    expect(codeOf(200, { 'content-length': '1000' })).toBe('readable');
  });

  it('with an encoding nobody asked for is refused', () => {
    expect(codeOf(200, { 'content-encoding': 'lzma' })).toEqual(['DECODE_FAILED', false]);
    expect(codeOf(200, { 'content-encoding': ['gzip', 'br'] })).toBe('readable');
  });
});

describe('a redirect', () => {
  it.each([
    ['other', 'http://site.test/dir/other'],
    ['/abs?x=y#frag', 'http://site.test/abs?x=y'],
    ['//cdn.test/a', 'http://cdn.test/a'],
    ['https://Site.test', 'https://site.test/'],
    ['?q=2', 'http://site.test/dir/page?q=2'],
    ['  /trimmed ', 'http://site.test/trimmed'],
    [Buffer.from('/größe').toString('latin1'), 'http://site.test/gr%C3%B6%C3%9Fe'],
    ['/gr\xf6\xdfe', 'http://site.test/gr%C3%B6%C3%9Fe'],
  ])('to %j leads to %s', (location, target) => {
    for (const status of [301, 302, 303, 307, 308])
      expect(head(status, { location })).toEqual({ kind: 'redirect', status, location: target });
  });

  it.each(['', '   ', 'http://', 'http://a b/', 'ftp://x.test/', 'javascript:alert(1)', 'http://me:pw@site.test/'])(
    'to %j is invalid',
    (location) => {
      expect(codeOf(302, { location })).toEqual(['REDIRECT_INVALID', false]);
    },
  );

  it('without a target is invalid', () => {
    expect(codeOf(301)).toEqual(['REDIRECT_INVALID', false]);
  });
});

describe('Retry-After', () => {
  const wait = (retryAfter: string, headers: Record<string, string> = {}, status = 503) => {
    const read = head(status, { ...headers, 'retry-after': retryAfter });
    return read.kind === 'failed' ? read.retryAfterMs : undefined;
  };

  it('in seconds', () => {
    expect(wait('0')).toBe(0);
    expect(wait('120')).toBe(120_000);
  });

  it('as a date counts by the clock of the server', () => {
    const date = new Date(Date.now() - 300_000);
    const at = new Date(date.getTime() + 60_000).toUTCString();
    expect(wait(at, { date: date.toUTCString() })).toBe(60_000);
  });

  it('in the past means now', () => {
    expect(wait('Wed, 01 Jan 2020 00:00:00 GMT')).toBe(0);
  });

  it('is ignored if it makes no sense, or the status is final', () => {
    expect(wait('soon')).toBeNull();
    expect(wait('120', {}, 404)).toBeNull();
  });
});

describe('answerDate', () => {
  const now = Date.parse('Wed, 18 Nov 2026 12:00:00 GMT');

  it('is the date of the server within 15 minutes of ours', () => {
    expect(answerDate({ date: 'Wed, 18 Nov 2026 11:45:00 GMT' }, now).getTime()).toBe(now - 900_000);
    expect(answerDate({ date: 'Wed, 18 Nov 2026 12:15:00 GMT' }, now).getTime()).toBe(now + 900_000);
  });

  it.each(['Wed, 18 Nov 2026 11:44:59 GMT', 'nonsense', ''])('is ours if the server says %j', (date) => {
    expect(answerDate({ date }, now).getTime()).toBe(now);
  });
});

describe('the headers of an answer as they were sent', () => {
  it('keep their order, their spelling, and each occurrence', () => {
    const raw = ['Content-Type', 'text/html', 'set-cookie', 'a=1', 'Set-Cookie', 'b=gr\xf6\xdfer'];
    const pairs = [
      ['Content-Type', 'text/html'],
      ['set-cookie', 'a=1'],
      ['Set-Cookie', 'b=gr\xf6\xdfer'],
    ];
    expect(rawHeadersOf(raw.map((part) => Buffer.from(part, 'latin1')))).toEqual(pairs);
    expect(rawHeadersOf(raw)).toEqual(pairs);
  });

  it('are bounded, and none where they are not known', () => {
    expect(rawHeadersOf(Array.from({ length: 200 }, () => 'x'.repeat(1000)))).toHaveLength(32);
    expect(rawHeadersOf(null)).toEqual([]);
    expect(rawHeadersOf(['name without a value'])).toEqual([]);
  });
});
