import { describe, expect, it } from 'vitest';
import { decodeHtml } from './decode.ts';

const bytes = (...parts: (string | number[])[]): Uint8Array =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'utf8') : Buffer.from(part))));

describe('the encoding of a page', () => {
  it.each<[string, Uint8Array, string | null, string, string]>([
    ['a byte order mark, against all else', bytes([0xef, 0xbb, 0xbf], 'ü'), 'text/html; charset=latin1', 'ü', 'utf-8'],
    ['a UTF-16 mark', bytes([0xff, 0xfe, 0x41, 0x00]), null, 'A', 'utf-16le'],
    ['a big-endian UTF-16 mark', bytes([0xfe, 0xff, 0x00, 0x41]), null, 'A', 'utf-16be'],
    [
      'the header, against a meta',
      bytes('<meta charset=utf-8>', [0xe9]),
      'text/html;charset="ISO-8859-1"',
      'é',
      'windows-1252',
    ],
    ['a meta charset', bytes('<meta charset="koi8-r">', [0xc1]), null, 'а', 'koi8-r'],
    [
      'a meta http-equiv',
      bytes('<meta http-equiv=Content-Type content="text/html; charset=Shift_JIS">', [0x82, 0xa0]),
      'text/html',
      'あ',
      'shift_jis',
    ],
    ['a meta that says UTF-16 in ASCII', bytes('<meta charset=utf-16le>ü'), null, 'ü', 'utf-8'],
    ['a header that says UTF-16', bytes([0x41, 0x00]), 'text/html; charset=utf-16le', 'A', 'utf-16le'],
    ['valid UTF-8', bytes('grüße'), null, 'grüße', 'utf-8'],
    ['anything else', bytes([0x93, 0xe9, 0x94]), null, '“é”', 'windows-1252'],
    ['an unknown header label, passed over', bytes('ü'), 'text/html; charset=klingon', 'ü', 'utf-8'],
    ['an unknown meta label, passed over', bytes('<meta charset=nope>', [0xe9]), null, 'é', 'windows-1252'],
    ['gb18030', bytes([0xc4, 0xe3]), 'text/html; charset=gb2312', '你', 'gbk'],
  ])('is that of %s', (_, body, contentType, ending, charset) => {
    const decoded = decodeHtml(body, contentType);
    expect(decoded.charset).toBe(charset);
    expect(decoded.html.endsWith(ending)).toBe(true);
  });

  it('takes no notice of a meta far into the page', () => {
    expect(decodeHtml(bytes(' '.repeat(2000), '<meta charset=koi8-r>', 'ü'), null).charset).toBe('utf-8');
  });

  it('never fails, whatever the bytes', () => {
    expect(decodeHtml(new Uint8Array(), null)).toEqual({ html: '', charset: 'utf-8' });
    expect(decodeHtml(bytes([0xff, 0xff, 0x00, 0xc3]), 'text/html; charset=utf-8').charset).toBe('utf-8');
    expect(decodeHtml(bytes('x'), 'text/html; charset=').html).toBe('x');
  });
});
