/**
 * Gzip told by its first bytes, unpacked as it comes. Damage is reported and ends the data; it is not thrown. What the source
 * throws is. How much may be unpacked is for others to say: by not asking for more.
 */
import { createGunzip, type Gunzip } from 'node:zlib';

/** What goes to zlib at a time. Deflate packs a thousandfold at most, so one block gives 4 MiB at most. */
const BLOCK_BYTES = 4096;
/** How much packed data is kept to read its last block again if that is damaged: a sitemap of some 100,000 pages. */
const MAX_HISTORY_BYTES = 2 ** 20;

const MAGIC = [0x1f, 0x8b, 0x08];

/** The data unpacked if it is gzip, of one or more members; else as it is. */
export async function* gunzipped(
  chunks: AsyncIterable<Uint8Array>,
  onBroken: (reason: string) => void,
): AsyncGenerator<Uint8Array> {
  const source = chunks[Symbol.asyncIterator]();
  const head: Uint8Array[] = [];
  let headBytes = 0;
  while (headBytes < MAGIC.length) {
    const next = await source.next();
    if (next.done) break;
    head.push(next.value);
    headBytes += next.value.length;
  }
  const all = continued(head, source);
  const start = Buffer.concat(head.map((chunk) => chunk.subarray(0, MAGIC.length)));
  yield* MAGIC.every((byte, at) => start[at] === byte) ? unpack(all, onBroken) : all;
}

async function* continued(head: readonly Uint8Array[], source: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* head;
    for (let next = await source.next(); !next.done; next = await source.next()) yield next.value;
  } finally {
    // Nothing to do for a source that has ended; one that is left early learns of it.
    await source.return?.();
  }
}

async function* unpack(
  chunks: AsyncIterable<Uint8Array>,
  onBroken: (reason: string) => void,
): AsyncGenerator<Uint8Array> {
  const unpacker = new Unpacker();
  let history: Uint8Array[] | null = [];
  let historyBytes = 0;
  try {
    for await (const block of inBlocks(chunks)) {
      const unpacked = await unpacker.write(block);
      if (unpacker.failure !== null) {
        yield* history === null ? unpacked : unpackAgain(history, block);
        break;
      }
      yield* unpacked;
      historyBytes += block.length;
      if (historyBytes > MAX_HISTORY_BYTES) history = null;
      history?.push(block);
    }
    yield* await unpacker.end();
    if (unpacker.failure !== null) onBroken(unpacker.failure);
  } finally {
    unpacker.close();
  }
}

/**
 * Zlib gives nothing of the block in which it finds an error, even if that is junk behind the last byte of a small file. Byte
 * by byte it gives all that comes before.
 */
async function* unpackAgain(history: readonly Uint8Array[], broken: Uint8Array): AsyncGenerator<Uint8Array> {
  const unpacker = new Unpacker();
  try {
    for (const block of history) await unpacker.write(block);
    for (let at = 0; at < broken.length && unpacker.failure === null; at++) {
      yield* await unpacker.write(broken.subarray(at, at + 1));
    }
  } finally {
    unpacker.close();
  }
}

/** The same bytes in blocks of one size, so that what damage costs does not depend on how they came. */
async function* inBlocks(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let block = new Uint8Array(BLOCK_BYTES);
  let filled = 0;
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; ) {
      const piece = chunk.subarray(at, at + BLOCK_BYTES - filled);
      block.set(piece, filled);
      at += piece.length;
      filled += piece.length;
      if (filled < BLOCK_BYTES) continue;
      yield block;
      block = new Uint8Array(BLOCK_BYTES);
      filled = 0;
    }
  }
  if (filled > 0) yield block.subarray(0, filled);
}

/** Zlib one block at a time: all that a block gives, once it is through. */
class Unpacker {
  /** What was wrong with the data, in zlib's words. */
  failure: string | null = null;

  readonly #gunzip: Gunzip = createGunzip();
  #unpacked: Uint8Array[] = [];
  #isClosed = false;
  #wake: () => void = () => {};

  constructor() {
    this.#gunzip.on('data', (piece: Uint8Array) => this.#unpacked.push(piece));
    this.#gunzip.on('error', (error) => {
      this.failure = error.message;
    });
    this.#gunzip.on('close', () => {
      this.#isClosed = true;
      this.#wake();
    });
  }

  async write(block: Uint8Array): Promise<Uint8Array[]> {
    await this.#until((done) => this.#gunzip.write(block, done));
    return this.#take();
  }

  async end(): Promise<Uint8Array[]> {
    await this.#until(() => this.#gunzip.end());
    return this.#take();
  }

  close(): void {
    this.#gunzip.destroy();
  }

  /** A stream that fails closes without calling back. */
  async #until(start: (done: () => void) => void): Promise<void> {
    if (this.#isClosed) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    start(resolve);
    await promise;
  }

  #take(): Uint8Array[] {
    const unpacked = this.#unpacked;
    this.#unpacked = [];
    return unpacked;
  }
}
