/**
 * Ways for a server to send what it should not, each bounded in time and memory: writing waits for the peer to read,
 * ends when the socket does, and in any case after ten seconds. Part of the fixtures of `misbehaving-servers.ts`.
 */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import {
  type BrotliCompress,
  constants,
  createBrotliCompress,
  createZstdCompress,
  gzipSync,
  type ZstdCompress,
} from 'node:zlib';

export type Answer = (socket: Socket, request: string) => void;

const LONGEST_MS = 10_000;
const BURST_BYTES = 64 * 1024;
const MEBIBYTE = 1024 * 1024;

export const PAGE = '<!doctype html><title>Page</title><p>Words.';

/** A head of status 200 for HTML, open for more headers: each is a line without its end. */
export const html = (...headers: readonly string[]): string =>
  `${['HTTP/1.1 200 OK', 'content-type: text/html', ...headers].join('\r\n')}\r\n\r\n`;

/** Sends this and closes. */
export const says =
  (...parts: readonly (string | Buffer)[]): Answer =>
  (socket) => {
    for (const part of parts) socket.write(part, 'latin1');
    socket.end();
  };

/** Sends this and keeps the connection open, as if more were to come. */
export const saysAndWaits =
  (...parts: readonly (string | Buffer)[]): Answer =>
  (socket) => {
    for (const part of parts) socket.write(part, 'latin1');
    endLater(socket);
  };

/** Sends `start`, then `piece` as fast as the peer reads. */
export const floods =
  (start: string, piece: string | Buffer): Answer =>
  (socket) => {
    const bytes = typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece;
    socket.write(start, 'latin1');
    endLater(socket);
    const more = () => {
      // A peer that reads as fast as this writes would never let go of a loop without an end.
      for (let sent = 0; sent < BURST_BYTES; sent += bytes.length) {
        if (!socket.writable || !socket.write(bytes)) return;
      }
      setImmediate(more);
    };
    socket.on('drain', more);
    more();
  };

/** Sends `start`, then `piece` every so often. */
export const drips =
  (start: string, piece: string, everyMs: number): Answer =>
  (socket) => {
    socket.write(start, 'latin1');
    endLater(socket);
    const timer = setInterval(() => {
      // A peer that does not read gets no more.
      if (socket.writable && !socket.writableNeedDrain) socket.write(piece, 'latin1');
    }, everyMs);
    socket.on('close', () => clearInterval(timer));
  };

/** Sends a page whose body takes a while to make, which is done once, when it is first asked for. */
export function sendsMade(encoding: string, make: () => Buffer | Promise<Buffer>): Answer {
  let made: Promise<Buffer> | null = null;
  return (socket) => {
    made ??= Promise.resolve(make());
    made.then(
      (body) => says(html(`content-encoding: ${encoding}`, `content-length: ${body.length}`), body)(socket, ''),
      (error: Error) => socket.destroy(error),
    );
  };
}

/** A gibibyte of zeros in gzip: as members, which are one stream to a reader. */
export const gzippedZeros = (): Buffer => Buffer.concat(Array<Buffer>(1024).fill(gzipSync(Buffer.alloc(MEBIBYTE))));

export const brotliZeros = (): Promise<Buffer> =>
  repeated(createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }));

export const zstdZeros = (): Promise<Buffer> => repeated(createZstdCompress());

/** A small page that needs 128 MB to be read, as its frame says. */
export const zstdOfWideWindow = (): Buffer =>
  Buffer.concat([
    // Magic number; no size of the content, no checksum; a window of 2^(10 + 17).
    Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 17 << 3]),
    // The last block, raw, of so many bytes.
    Buffer.from([((PAGE.length << 3) & 0xff) | 1, PAGE.length >> 5, 0]),
    Buffer.from(PAGE),
  ]);

/** A gibibyte of zeros without compressing it: from the third mebibyte on, each comes out as the one before. */
async function repeated(encoder: BrotliCompress | ZstdCompress): Promise<Buffer> {
  const piece = Buffer.alloc(MEBIBYTE);
  const take = () => (encoder.read() as Buffer | null) ?? Buffer.alloc(0);
  const encodings: Buffer[] = [];
  for (let i = 0; i < 4; i++) {
    encoder.write(piece);
    await new Promise<void>((resolve) => encoder.flush(resolve));
    encodings.push(take());
  }
  const [first, second, third, fourth] = encodings;
  if (!first || !second || !third || !fourth?.equals(third)) throw new Error('the encoder does not repeat itself');
  await once(encoder.end(), 'readable');
  return Buffer.concat([first, second, ...Array<Buffer>(1022).fill(third), take()]);
}

function endLater(socket: Socket): void {
  const timer = setTimeout(() => socket.destroy(), LONGEST_MS);
  socket.on('close', () => clearTimeout(timer));
}
