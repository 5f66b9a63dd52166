import { describe, expect, it } from 'vitest';
import { CHARSET_SAMPLES } from './decode.fixture.ts';
import { decodeHtml, decodeText } from './decode.ts';

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

  it.each<[string, Uint8Array, string | null, string]>([
    ['an XML declaration', bytes('<?xml version="1.0" encoding="koi8-r"?>', [0xc1]), 'application/xhtml+xml', 'koi8-r'],
    [
      'an XML declaration of a page sent as HTML',
      bytes("<?xml version='1.0' encoding='koi8-r' ?>", [0xc1]),
      null,
      'koi8-r',
    ],
    [
      'an XML declaration against a meta in XHTML',
      bytes('<?xml version="1.0" encoding="koi8-r"?><meta charset="big5"/>', [0xc1]),
      'application/xhtml+xml; x=y',
      'koi8-r',
    ],
    [
      'a meta against an XML declaration in HTML',
      bytes('<?xml version="1.0" encoding="big5"?><meta charset="koi8-r"/>', [0xc1]),
      'text/html',
      'koi8-r',
    ],
    [
      'a meta whose attributes come in another order',
      bytes('<META content="a; CHARSET = KOI8-R" HTTP-EQUIV=content-type>'),
      null,
      'koi8-r',
    ],
    ['a meta with a > in a value', bytes('<meta content="a>b" charset=\'koi8-r\'>'), null, 'koi8-r'],
    ['not a meta in a comment', bytes('<!-- <meta charset=big5> --><meta charset=koi8-r>'), null, 'koi8-r'],
    ['not a description that speaks of one', bytes('<meta name=description content="charset=big5">'), null, 'utf-8'],
    ['not another attribute of that name', bytes('<meta data-charset="big5" content="charset=big5">'), null, 'utf-8'],
    ['the first meta that is known', bytes('<meta charset=klingon><meta charset=koi8-r>'), null, 'koi8-r'],
    [
      'what scripts use for bytes, read as the standard does',
      bytes('x'),
      'text/html; charset=x-user-defined',
      'windows-1252',
    ],
    ['Latin-1, which is windows-1252', bytes([0x93]), 'text/html; charset=ISO-8859-1', 'windows-1252'],
    ['ASCII, which is windows-1252 too', bytes([0x93]), 'text/html; charset=us-ascii', 'windows-1252'],
    ['a label with spaces and quotes', bytes('x'), "text/html ; Charset = ' koi8-r '", 'koi8-r'],
    [
      'a late meta, where the bytes are not UTF-8',
      bytes(' '.repeat(9000), '<meta charset=koi8-r>', [0xc1]),
      null,
      'koi8-r',
    ],
    [
      'UTF-16 without a mark, by its zeros',
      Buffer.from('<!doctype html><p>日本語の文章です', 'utf16le'),
      null,
      'utf-16le',
    ],
    [
      'big-endian UTF-16 without a mark',
      Buffer.from('<!doctype html><p>日本語の文章です', 'utf16le').swap16(),
      'text/html',
      'utf-16be',
    ],
  ])('is that of %s', (_, body, contentType, charset) => {
    expect(decodeHtml(body, contentType).charset).toBe(charset);
  });

  it('takes no notice of a meta far into a page that is UTF-8', () => {
    expect(decodeHtml(bytes(' '.repeat(2000), '<meta charset=koi8-r>', 'ü'), null).charset).toBe('utf-8');
  });

  it('is UTF-8 for a page that was cut off within a letter', () => {
    const cut = (text: string, less: number) => decodeHtml(Buffer.from(text).subarray(0, -less), null);
    expect(cut('schön, aber nicht ganz ü', 1)).toEqual({ html: 'schön, aber nicht ganz \ufffd', charset: 'utf-8' });
    expect(cut('日本語', 1)).toEqual({ html: '日本\ufffd', charset: 'utf-8' });
    expect(cut('日本😀', 1)).toEqual({ html: '日本\ufffd', charset: 'utf-8' });
    expect(decodeHtml(bytes([0xe9]), null)).toEqual({ html: 'é', charset: 'windows-1252' });
  });

  it('that is declared is obeyed though bytes do not fit it, as browsers do', () => {
    expect(decodeHtml(bytes('caf', [0xe9], ' ok'), 'text/html; charset=utf-8').html).toBe('caf\ufffd ok');
    expect(decodeHtml(bytes('<meta charset=shift_jis>', [0x82]), null).html).toBe('<meta charset=shift_jis>\ufffd');
  });

  it('never fails, whatever the bytes', () => {
    expect(decodeHtml(new Uint8Array(), null)).toEqual({ html: '', charset: 'utf-8' });
    expect(decodeHtml(bytes([0xff, 0xff, 0x00, 0xc3]), 'text/html; charset=utf-8').charset).toBe('utf-8');
    expect(decodeHtml(bytes('x'), 'text/html; charset=').html).toBe('x');
    for (let first = 0; first < 256; first++) {
      const body = Uint8Array.from({ length: 300 }, (_, i) => (first + i * i * 7) & 255);
      expect(typeof decodeHtml(body, null).html).toBe('string');
      expect(typeof decodeText(body, null).text).toBe('string');
    }
  });

  it.each([
    ['metas with open quotes', '<meta "'],
    ['open comments', '<!--'],
    ['scripts without an end', '<script>\xe9'],
    ['tags without an end', '<\xe9'],
  ])('is found in time in a page of %s', (_, part) => {
    const body = Buffer.from(part.repeat(Math.ceil(2_000_000 / part.length)), 'latin1');
    const startedAt = performance.now();
    decodeHtml(body, null);
    expect(performance.now() - startedAt).toBeLessThan(1000);
  });
});

const around = (text: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(
      '<!doctype html><title>News</title><script>if (a < b) write("loaded");</script><nav>Home About</nav><p>',
    ),
    text,
    Buffer.from('</p><footer>All rights reserved by the authors of this page</footer>'),
  ]);

describe.each(CHARSET_SAMPLES)('a text in $language as $label', ({ label, text, base64 }) => {
  const body = Buffer.from(base64, 'base64');

  it('is read as its header says', () => {
    expect(decodeText(body, `text/plain; charset=${label}`).text).toBe(text);
    expect(decodeHtml(around(body), `text/html; charset=${label}`).html).toContain(`<p>${text}</p>`);
  });

  it('is read as its meta says', () => {
    const meta = Buffer.from(`<meta http-equiv="Content-Type" content="text/html; charset=${label}">`);
    expect(decodeHtml(Buffer.concat([meta, body]), 'text/html').html.endsWith(text)).toBe(true);
  });
});

it.each(CHARSET_SAMPLES.filter(({ isGuessed }) => isGuessed))(
  'a text in $language as $label is read though nothing says so',
  ({ text, base64 }) => {
    const body = Buffer.from(base64, 'base64');
    expect(decodeText(body, null).text).toBe(text);
    expect(decodeHtml(around(body), 'text/html').html).toContain(`<p>${text}</p>`);
  },
);

describe('a few letters beyond ASCII within English', () => {
  it.each(['The café’s naïve résumé — it’s “fine”, they say.', '© 2020 Foo — all rights reserved', 'Müller & Söhne'])(
    'are those of windows-1252: %s',
    (text) => {
      const latin = Buffer.from(
        text.replace(/[’“”—]/g, (c) => ({ '’': '\x92', '“': '\x93', '”': '\x94' })[c] ?? '\x97'),
        'latin1',
      );
      expect(decodeHtml(around(latin), 'text/html').html).toContain(text);
    },
  );
});
