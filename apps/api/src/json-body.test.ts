import { describe, expect, it } from 'vitest';
import { readJson } from './json-body.ts';

const read = (text: string) => readJson(Buffer.from(text));
const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

describe('the body of a request', () => {
  it('is taken as it is when it is JSON', () => {
    expect(read('{"a":["\\u00e9 [[[["]}')).toEqual({ kind: 'read', text: '{"a":["\\u00e9 [[[["]}' });
  });

  it('nests at most 32 levels, counted outside strings', () => {
    expect(read(nested(32)).kind).toBe('read');
    expect(read(nested(33))).toMatchObject({ kind: 'refused', because: 'The body nests deeper than 32 levels.' });
    expect(read(JSON.stringify({ text: `"\\${'['.repeat(100)}` })).kind).toBe('read');
  });

  it('may nest a million levels without breaking anything', () => {
    expect(read('[{"a":'.repeat(500_000)).kind).toBe('refused');
  });

  it.each([
    ['', 'The body is empty'],
    [' \n', 'The body is empty'],
    ['{"a":', 'The body is not JSON'],
    ['{a:1}', 'The body is not JSON'],
    ['nope', 'The body is not JSON'],
  ])('is refused when it is %j', (text, because) => {
    expect(read(text)).toMatchObject({ kind: 'refused', because: expect.stringContaining(because) });
  });

  it('is refused when it is not UTF-8', () => {
    expect(readJson(Buffer.from([0x22, 0xff, 0x22]))).toMatchObject({ because: 'The body is not UTF-8.' });
  });

  it.each([
    ['{"url":"http://a/\\u0000"}', 'url'],
    ['{"urls":["x",{"y":"\\ud800"}]}', 'urls.1.y'],
    ['{"a\\u0000b":1}', '(a field name)'],
    ['"\\u0000"', ''],
  ])('is refused when Postgres could not keep its text: %s', (text, path) => {
    expect(read(text)).toMatchObject({ kind: 'refused', errors: [{ path }] });
  });
});
