/** How bodies are compressed wherever they are kept: zstd, level 3. Does not know where that is. */
import { promisify } from 'node:util';
import { constants, zstdCompress, zstdCompressSync, zstdDecompress, zstdDecompressSync } from 'node:zlib';

const LEVEL_3 = { params: { [constants.ZSTD_c_compressionLevel]: 3 } };

/**
 * Up to here the work is done on the spot. Through the thread pool it costs 3 to 6 times the CPU in all, and no less of
 * the main thread for a usual page (14 KB: 0.12 ms here; 0.78 ms there, 0.38 of it on the main thread; 96 KB: 0.42 ms
 * here; 1.41 and 0.31 ms there). A body of megabytes would hold up everything else for too long.
 */
const INLINE_BYTES = 256 * 1024;

const compressPooled = promisify<Buffer, typeof LEVEL_3, Buffer>(zstdCompress);
const decompressPooled = promisify<Buffer, Buffer>(zstdDecompress);

/** A promise only for a large body. */
export function compressBody(bytes: Buffer): Buffer | Promise<Buffer> {
  return bytes.length <= INLINE_BYTES ? zstdCompressSync(bytes, LEVEL_3) : compressPooled(bytes, LEVEL_3);
}

/** Undoes `compressBody`; throws, or rejects, on anything else. */
export function decompressBody(bytes: Buffer): Buffer | Promise<Buffer> {
  return bytes.length <= INLINE_BYTES ? zstdDecompressSync(bytes) : decompressPooled(bytes);
}
