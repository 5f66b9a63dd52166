import { expect, it } from 'vitest';
import { storableJson } from './storable.ts';

it('drops U+0000 from strings and names, however deep', () => {
  expect(JSON.parse(storableJson({ 'a\u0000': [{ b: 'x\u0000y' }] }))).toEqual({ a: [{ b: 'xy' }] });
});

it('replaces half a surrogate pair and leaves whole ones alone', () => {
  expect(JSON.parse(storableJson(['\ud83d', '😀', '\ude00x']))).toEqual(['\ufffd', '😀', '\ufffdx']);
});

it('keeps text that only looks like an escape', () => {
  const value = { a: 'C:\\u0000', when: new Date(0), b: '\u0000', c: null, d: 1, e: true };
  expect(JSON.parse(storableJson(value))).toEqual({
    a: 'C:\\u0000',
    when: '1970-01-01T00:00:00.000Z',
    b: '',
    c: null,
    d: 1,
    e: true,
  });
});
