/**
 * Undoes Content-Encoding within a size limit. The limit is on what comes out, and zlib stops there, so a bomb costs
 * at most the limit in memory. As a stream, whoever reads it sets the limit. Does not read from the network and does not decode characters.
 */
import type { Transform } from 'node:stream';
import { promisify } from 'node:util';
import {
  brotliDecompress,
  brotliDecompressSync,
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
  gunzip,
  gunzipSync,
  inflate,
  inflateRaw,
  inflateRawSync,
  inflateSync,
  type ZlibOptions,
  type ZstdOptions,
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
  stream(): Transform;
}

const gzip: Codec = {
  inline: gunzipSync,
  pooled: promisify<Buffer, Limit, Buffer>(gunzip),
  stream: createGunzip,
};
const zlib: Codec = {
  inline: inflateSync,
  pooled: promisify<Buffer, Limit, Buffer>(inflate),
  stream: createInflate,
};
const rawDeflate: Codec = {
  inline: inflateRawSync,
  pooled: promisify<Buffer, Limit, Buffer>(inflateRaw),
  stream: createInflateRaw,
};
const brotli: Codec = {
  inline: brotliDecompressSync,
  pooled: promisify<Buffer, Limit, Buffer>(brotliDecompress),
  stream: createBrotliDecompress,
};
/** A frame names the window it needs, up to 128 MB; over HTTP 8 MB is the most it may ask for (RFC 9659). */
const ZSTD_WINDOW: ZstdOptions = { params: { [constants.ZSTD_d_windowLogMax]: 23 } };
const pooledZstd = promisify<Buffer, ZstdOptions, Buffer>(zstdDecompress);
const zstd: Codec = {
  inline: (bytes, limit) => zstdDecompressSync(bytes, { ...limit, ...ZSTD_WINDOW }),
  pooled: (bytes, limit) => pooledZstd(bytes, { ...limit, ...ZSTD_WINDOW }),
  stream: () => createZstdDecompress(ZSTD_WINDOW),
};

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

/**
 * The same piece by piece: one stream per encoding, the first for what comes from the wire, each to be piped into the
 * next. `first` is what the body begins with. An inner `deflate` must be in zlib's format: its first bytes are not known.
 */
export const decodingStreams = (encodings: readonly string[], first: Buffer): readonly Transform[] =>
  encodings.toReversed().map((name, i) => (i > 0 && name === 'deflate' ? zlib : codec(name, first)).stream());

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
  if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return { kind: 'too-large' };
  const problem = corruptionOf(error);
  if (problem === null) throw error;
  return { kind: 'corrupt', problem };
}

/** What an error of a decoder says of the body, as a sentence; null if the body is not to blame. */
export function corruptionOf(error: unknown): string | null {
  const { code } = error as NodeJS.ErrnoException;
  // Codes of zlib (Z_…), brotli (ERR__ERROR_… and ERR_BROTLI…) and zstd (ZSTD_…, ERR_ZSTD…); anything else is not the body's fault.
  if (typeof code === 'string' && /^(Z_|ZSTD_|ERR_)/.test(code) && !code.startsWith('ERR_INVALID_ARG'))
    return `The compressed answer could not be decompressed (${code}).`;
  return null;
}

/**
 * RFC 1950: method 8 in the first byte, and the first two divide by 31. Of a single byte the method has to do; a bare
 * stream could only begin so with a stored block whose padding is not zero, which no encoder writes.
 */
const hasZlibHeader = (bytes: Buffer): boolean =>
  ((bytes[0] ?? 0) & 0x0f) === 8 && (bytes.length < 2 || bytes.readUInt16BE(0) % 31 === 0);
