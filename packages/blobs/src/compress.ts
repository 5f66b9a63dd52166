/** How bodies are compressed wherever they are kept: zstd, or not at all where that costs more than it saves. Does not know where that is. */
import { promisify } from 'node:util';
import { constants, zstdCompress, zstdCompressSync, zstdDecompress, zstdDecompressSync } from 'node:zlib';

/**
 * Level 1: on documentation pages 3 % larger than level 3 and half its CPU (14 KB: 0.11 against 0.22 ms; 96 KB: 0.36
 * against 0.55 ms). Bodies live for seconds.
 */
const LEVEL_1 = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/** Smaller bodies are kept as they are: to compress and undo it costs 0.17 ms for 14 KB, ten times what copying them does. */
const WORTH_BYTES = 16 * 1024;

/**
 * Up to here the work is done on the spot. Through the thread pool it costs 3 to 6 times the CPU in all, and no less of
 * the main thread for a usual page. A body of megabytes would hold up everything else for too long.
 */
const INLINE_BYTES = 256 * 1024;

/** What every zstd frame begins with. */
const MAGIC = 0xfd2fb528;

const compressPooled = promisify<Buffer, typeof LEVEL_1, Buffer>(zstdCompress);
const decompressPooled = promisify<Buffer, Buffer>(zstdDecompress);

/** A promise only for a large body. */
export function compressBody(bytes: Buffer): Buffer | Promise<Buffer> {
  // What looks compressed but is not must not be taken for it later.
  if (bytes.length < WORTH_BYTES && !isCompressed(bytes)) return bytes;
  return bytes.length <= INLINE_BYTES ? zstdCompressSync(bytes, LEVEL_1) : compressPooled(bytes, LEVEL_1);
}

/** Undoes `compressBody`; throws, or rejects, on a broken frame. */
export function decompressBody(bytes: Buffer): Buffer | Promise<Buffer> {
  if (!isCompressed(bytes)) return bytes;
  return bytes.length <= INLINE_BYTES ? zstdDecompressSync(bytes) : decompressPooled(bytes);
}

const isCompressed = (bytes: Buffer): boolean => bytes.length >= 4 && bytes.readUInt32LE(0) === MAGIC;
