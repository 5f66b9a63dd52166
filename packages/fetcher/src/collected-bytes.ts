/** A body as it comes in, piece by piece, put together once. Keeps no limits of its own. */

/** So many pieces are put together early: a buffer object weighs 100 times as much as a chunk of one byte. */
const LOOSE_PIECES = 1024;

export class CollectedBytes {
  #bytes = 0;
  #pieces = 0;
  #loose: Buffer[] = [];
  #blocks: Buffer[] = [];

  get bytes(): number {
    return this.#bytes;
  }

  /** How many pieces came. */
  get pieces(): number {
    return this.#pieces;
  }

  add(piece: Buffer): void {
    this.#bytes += piece.length;
    this.#pieces += 1;
    if (this.#loose.push(piece) < LOOSE_PIECES) return;
    this.#blocks.push(Buffer.concat(this.#loose));
    this.#loose = [];
  }

  /** The first `most` bytes, or all. A single piece is given as it is, not copied. */
  joined(most = this.#bytes): Buffer {
    const [only] = this.#loose;
    if (this.#pieces === 1 && only !== undefined) return only.subarray(0, most);
    const all = this.#blocks.length === 0 ? this.#loose : [...this.#blocks, ...this.#loose];
    return Buffer.concat(all, Math.min(most, this.#bytes));
  }

  clear(): void {
    this.#loose = [];
    this.#blocks = [];
  }
}
