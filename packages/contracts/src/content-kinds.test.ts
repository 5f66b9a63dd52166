import { describe, expect, it } from 'vitest';
import { kindOfBody, kindOfType, mediaTypeOf } from './content-kinds.ts';

describe('the kind of a type', () => {
  it.each([
    ['text/html', 'html'],
    ['TEXT/HTML; charset=utf-8', 'html'],
    [' application/xhtml+xml ;x=y', 'html'],
    ['text/html, text/html', 'html'],
    ['text/plain', 'text'],
    ['text/markdown; variant=GFM', 'markdown'],
    ['text/x-markdown', 'markdown'],
    ['application/json', 'json'],
    ['text/json', 'json'],
    ['application/ld+json', 'json'],
    ['application/vnd.api+json; charset=utf-8', 'json'],
    ['application/pdf', 'pdf'],
    ['image/png', null],
    ['text/css', null],
    ['text/csv', null],
    ['application/xml', null],
    ['application/jsonp', null],
    ['nonsense', null],
  ] as const)('%j is %s', (contentType, kind) => {
    expect(kindOfType(mediaTypeOf(contentType) ?? '')).toBe(kind);
  });

  it.each([null, '', ' ', ';charset=utf-8'])('is not told by %j', (contentType) => {
    expect(mediaTypeOf(contentType)).toBeNull();
  });
});

describe('the kind of a body', () => {
  it.each([
    '<!doctype html><p>',
    '\n\t <HTML>',
    '\ufeff<!DOCTYPE HTML>',
    '<!-- made by hand --><b>x',
    '<?xml version="1.0"?>\n<!DOCTYPE html PUBLIC "">\n<html xmlns="">',
    '<p>',
  ])('%j is HTML', (text) => {
    expect(kindOfBody(Buffer.from(text))).toBe('html');
  });

  it('in UTF-16 is told too', () => {
    expect(kindOfBody(Buffer.from('\ufeff<html>', 'utf16le'))).toBe('html');
    expect(kindOfBody(Buffer.from('\ufeffjust text', 'utf16le'))).toBe('text');
  });

  it.each(['plain', '{"a":1}', '<?xml version="1.0"?><rss/>', '<svg xmlns="">', '<pre', 'a < b', 'größer', '\ufeffx'])(
    '%j is text',
    (text) => {
      expect(kindOfBody(Buffer.from(text))).toBe('text');
    },
  );

  it('that begins like a PDF is one', () => {
    expect(kindOfBody(Buffer.from('%PDF-1.7\n%\xe2\xe3', 'latin1'))).toBe('pdf');
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['an image', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')],
    ['zeros', Buffer.alloc(100)],
    ['control characters', Buffer.from('abc\x01def')],
    ['text of another encoding', Buffer.from('gr\xf6\xdfer', 'latin1')],
  ])('that is %s is none', (_, body) => {
    expect(kindOfBody(body)).toBeNull();
  });
});
