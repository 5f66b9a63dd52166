import { randomBytes } from 'node:crypto';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { decodeBody, parseEncodings } from './decode.ts';

const LIMIT = 1024 * 1024;
const text = Buffer.from('<p>héllo</p>'.repeat(1000));
// Does not compress, so its encoded form is larger than what is decoded on the spot.
const noise = randomBytes(100_000);

describe('decodeBody', () => {
  it.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
  ] as const)('undoes %s, small or large', async (name, encode) => {
    expect(await decodeBody(encode(text), [name], LIMIT)).toEqual({ kind: 'decoded', body: text });
    expect(await decodeBody(encode(noise), [name], LIMIT)).toEqual({ kind: 'decoded', body: noise });
  });

  it('undoes stacked encodings from the last to the first', async () => {
    const body = brotliCompressSync(zstdCompressSync(gzipSync(text)));
    expect(await decodeBody(body, ['gzip', 'zstd', 'br'], LIMIT)).toEqual({ kind: 'decoded', body: text });
  });

  it('takes an empty body for an empty page', async () => {
    expect(await decodeBody(Buffer.alloc(0), ['gzip'], LIMIT)).toEqual({ kind: 'decoded', body: Buffer.alloc(0) });
  });

  it('takes a body of exactly the limit and no byte more', async () => {
    expect(await decodeBody(gzipSync(text), ['gzip'], text.length)).toMatchObject({ kind: 'decoded' });
    expect(await decodeBody(gzipSync(text), ['gzip'], text.length - 1)).toEqual({ kind: 'too-large' });
  });

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
    ['deflate', deflateSync],
  ] as const)('calls a truncated or foreign %s body corrupt', async (name, encode) => {
    for (const whole of [text, noise]) {
      const encoded = encode(whole);
      const cut = encoded.subarray(0, encoded.length - 20);
      expect(await decodeBody(cut, [name], LIMIT)).toMatchObject({ kind: 'corrupt' });
    }
    expect(await decodeBody(Buffer.from('<!doctype html>'), [name], LIMIT)).toMatchObject({ kind: 'corrupt' });
  });
});

describe('parseEncodings', () => {
  it.each([
    ['', []],
    ['identity', []],
    ['GZip', ['gzip']],
    [' gzip , identity,br ', ['gzip', 'br']],
  ])('reads %j', (header, names) => {
    expect(parseEncodings(header)).toEqual({ kind: 'known', names });
  });

  it.each(['compress', 'gzip, lzma', 'gzip,gzip,gzip,gzip', 'constructor'])('refuses %j', (header) => {
    expect(parseEncodings(header)).toMatchObject({ kind: 'unknown' });
  });
});
