import { describe, expect, it } from 'vitest';
import { answerDate, looksLikeHtml, readHead } from './answer.ts';

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
  ])('%i %s is a page', (status, type) => {
    expect(head(status, { 'content-type': type })).toMatchObject({ kind: 'readable', contentType: type });
  });

  it('without a type is read, and the body decides', () => {
    expect(head(200)).toMatchObject({ kind: 'readable', contentType: null });
  });

  it.each(['text/plain', 'text/markdown', 'application/pdf', 'application/xml', 'image/png', 'nonsense'])(
    'of type %s is not HTML',
    (type) => {
      expect(codeOf(200, { 'content-type': type })).toEqual(['NOT_HTML', false]);
    },
  );

  it.each([
    [204, 'NOT_HTML', false],
    [205, 'NOT_HTML', false],
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

describe('looksLikeHtml', () => {
  it.each([
    '<!doctype html><p>',
    '\n\t <HTML>',
    '\ufeff<!DOCTYPE HTML>',
    '<!-- made by hand --><b>x',
    '<?xml version="1.0"?>\n<!DOCTYPE html PUBLIC "">\n<html xmlns="">',
    '<p>',
  ])('accepts %j', (text) => {
    expect(looksLikeHtml(Buffer.from(text))).toBe(true);
  });

  it('accepts UTF-16', () => {
    expect(looksLikeHtml(Buffer.from('\ufeff<html>', 'utf16le'))).toBe(true);
  });

  it.each(['', 'plain', '{"a":1}', '<?xml version="1.0"?><rss/>', '<svg xmlns="">', '<pre', 'a < b', '%PDF-1.7'])(
    'refuses %j',
    (text) => {
      expect(looksLikeHtml(Buffer.from(text))).toBe(false);
    },
  );
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
