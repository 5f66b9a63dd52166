/**
 * Undoes Content-Encoding within a size limit. The limit is on what comes out, and zlib stops there, so a bomb costs
 * at most the limit in memory. Does not read from the network and does not decode characters.
 */
import { promisify } from 'node:util';
import {
  brotliDecompress,
  brotliDecompressSync,
  gunzip,
  gunzipSync,
  inflate,
  inflateRaw,
  inflateRawSync,
  inflateSync,
  type ZlibOptions,
  zstdDecompress,
  zstdDecompressSync,
} from 'node:zlib';

export const ACCEPT_ENCODING = 'gzip, deflate, br, zstd';

/**
 * Up to here a body is decompressed on the spot: through the thread pool a page of 14 KB in gzip takes twice as much of
 * the main thread (0.10 ms, not 0.05), one of 96 KB as much (0.25 ms) and 1.4 times the CPU in all. A larger body may
 * take long enough to hold up others.
 */
const INLINE_BYTES = 64 * 1024;

const MAX_ENCODINGS = 3;

type Limit = Pick<ZlibOptions, 'maxOutputLength'>;
interface Codec {
  inline(bytes: Buffer, limit: Limit): Buffer;
  pooled(bytes: Buffer, limit: Limit): Promise<Buffer>;
}

const gzip: Codec = { inline: gunzipSync, pooled: promisify<Buffer, Limit, Buffer>(gunzip) };
const zlib: Codec = { inline: inflateSync, pooled: promisify<Buffer, Limit, Buffer>(inflate) };
const rawDeflate: Codec = { inline: inflateRawSync, pooled: promisify<Buffer, Limit, Buffer>(inflateRaw) };
const brotli: Codec = { inline: brotliDecompressSync, pooled: promisify<Buffer, Limit, Buffer>(brotliDecompress) };
const zstd: Codec = { inline: zstdDecompressSync, pooled: promisify<Buffer, Limit, Buffer>(zstdDecompress) };

const CODECS: Readonly<Record<string, (bytes: Buffer) => Codec>> = {
  gzip: () => gzip,
  'x-gzip': () => gzip,
  br: () => brotli,
  zstd: () => zstd,
  // "deflate" means zlib's format, but servers that send it bare have always been common enough to be understood.
  deflate: (bytes) => (hasZlibHeader(bytes) ? zlib : rawDeflate),
};

export type Encodings =
  | { readonly kind: 'known'; readonly names: readonly string[] }
  | { readonly kind: 'unknown'; readonly problem: string };

/** The encodings of a Content-Encoding header, in the order they were applied. */
export function parseEncodings(header: string): Encodings {
  const names = header
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  if (names.length > MAX_ENCODINGS)
    return {
      kind: 'unknown',
      problem: `The answer is encoded ${names.length} times over; ${MAX_ENCODINGS} is the limit.`,
    };
  const unknown = names.find((name) => !Object.hasOwn(CODECS, name));
  if (unknown !== undefined)
    return {
      kind: 'unknown',
      problem: `The answer is encoded as ${JSON.stringify(unknown.slice(0, 40))}, which was not asked for.`,
    };
  return { kind: 'known', names };
}

/** The most bytes an encoded body of at most `maxBodyBytes` can have: what can't be compressed grows a little. */
export const maxEncodedBytes = (maxBodyBytes: number): number => maxBodyBytes + Math.ceil(maxBodyBytes / 1000) + 1024;

export type Decoded =
  | { readonly kind: 'decoded'; readonly body: Buffer }
  | { readonly kind: 'too-large' }
  | { readonly kind: 'corrupt'; readonly problem: string };

/** Not a promise when the body is small enough to be decoded on the spot. */
export function decodeBody(
  bytes: Buffer,
  encodings: readonly string[],
  maxBodyBytes: number,
): Decoded | Promise<Decoded> {
  if (bytes.length > INLINE_BYTES) return decodePooled(bytes, encodings, maxBodyBytes);
  try {
    let body = bytes;
    for (const name of encodings.toReversed()) {
      if (body.length > 0) body = codec(name, body).inline(body, limitFor(maxBodyBytes));
    }
    return within(body, maxBodyBytes);
  } catch (error) {
    return refused(error);
  }
}

async function decodePooled(bytes: Buffer, encodings: readonly string[], maxBodyBytes: number): Promise<Decoded> {
  try {
    let body = bytes;
    for (const name of encodings.toReversed()) {
      if (body.length > 0) body = await codec(name, body).pooled(body, limitFor(maxBodyBytes));
    }
    return within(body, maxBodyBytes);
  } catch (error) {
    return refused(error);
  }
}

function codec(name: string, bytes: Buffer): Codec {
  const choose = CODECS[name];
  if (choose === undefined) throw new TypeError(`unknown content encoding ${name}`);
  return choose(bytes);
}

/** Of stacked encodings the inner ones are limited too; their encoded form may be a little larger than the body. */
const limitFor = (maxBodyBytes: number): Limit => ({ maxOutputLength: maxEncodedBytes(maxBodyBytes) });

const within = (body: Buffer, maxBodyBytes: number): Decoded =>
  body.length > maxBodyBytes ? { kind: 'too-large' } : { kind: 'decoded', body };

function refused(error: unknown): Decoded {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ERR_BUFFER_TOO_LARGE') return { kind: 'too-large' };
  // Codes of zlib (Z_…), brotli (ERR__ERROR_… and ERR_BROTLI…) and zstd (ZSTD_…, ERR_ZSTD…); anything else is not the body's fault.
  if (typeof code === 'string' && /^(Z_|ZSTD_|ERR_)/.test(code) && !code.startsWith('ERR_INVALID_ARG'))
    return { kind: 'corrupt', problem: `The compressed answer could not be decompressed (${code}).` };
  throw error;
}

/** RFC 1950: method 8 in the first byte, and the first two divide by 31. */
const hasZlibHeader = (bytes: Buffer): boolean =>
  bytes.length >= 2 && ((bytes[0] ?? 0) & 0x0f) === 8 && bytes.readUInt16BE(0) % 31 === 0;
