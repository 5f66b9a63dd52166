/** Which pages of a set say nearly the same as an earlier one, by their simhashes. Exact: no pair is missed. */
import { bitCount } from './simhash.ts';

export interface HashedPage {
  readonly id: number;
  readonly simhash: bigint;
}

const MAX_DISTANCE = 16;

const BANDS = 4;
const BAND_BITS = 16;

/**
 * Page id to the id of its original. Pages are taken in the order of their ids: one within `maxDistance` bits of an
 * original belongs to the first such, any other becomes an original. So originals are never mapped, each page is as near
 * to its own as asked for (no chains), and the result depends on neither the order of `pages` nor on later pages.
 *
 * A sensible `maxDistance` is 3. Of 14,770 pages with different texts (Python, PostgreSQL, CMake, Git, Eigen, Django,
 * SQLite, JDK) 23 are within 3 bits of another, pages written from one text with the names changed and notes of releases
 * that repeat those before; within 6 bits 170, within 8 bits 400. A page of which one word changed is within 3 bits in
 * two of three cases, within 6 in nine of ten.
 *
 * Found by the pigeonhole principle: the 64 bits are four bands of 16, and two hashes that differ in at most d bits differ
 * in band i by at most r(i) = ⌊(d − i) / 4⌋ for some i, since Σ (r(i) + 1) = d + 1. Up to d = 3 that is equality of one of
 * d + 1 bands; beyond, one band is looked up with up to r(i) bits flipped. (d + 1 narrower bands would be simpler, and at
 * d = 8 leave 1 in 15 of all pairs to compare rather than 1 in 350.) Only originals are looked up and each distinct hash
 * only once, so large clusters cost nothing.
 */
export function findNearDuplicates(pages: Iterable<HashedPage>, maxDistance: number): Map<number, number> {
  if (!Number.isInteger(maxDistance) || maxDistance < 0 || maxDistance > MAX_DISTANCE)
    throw new RangeError(`maxDistance must be an integer from 0 to ${MAX_DISTANCE}: ${maxDistance}`);
  const inOrder = [...pages].sort((a, b) => a.id - b.id);
  const originals = new Originals(inOrder.length, maxDistance);
  const originalOf = new Map<bigint, number>();
  const duplicates = new Map<number, number>();
  for (const { id, simhash } of inOrder) {
    // Holds for every later page of the same hash: originals that come later have larger ids.
    const known = originalOf.get(simhash) ?? originals.firstNear(simhash);
    if (known === undefined) originals.add(id, simhash);
    else duplicates.set(id, known);
    originalOf.set(simhash, known ?? id);
  }
  return duplicates;
}

/** The originals so far, by each of their bands. */
class Originals {
  readonly #maxDistance: number;
  readonly #ids: number[] = [];
  readonly #high: Int32Array;
  readonly #low: Int32Array;
  /** For each value of each band the place of the last original with it, plus one. */
  readonly #lastOf = new Int32Array(BANDS << BAND_BITS);
  /** For each band and original the place, plus one, of the one before it with the same value. */
  readonly #before: Int32Array;
  /** For each band the differences to look up; none where a nearer band suffices. */
  readonly #flips: readonly Uint16Array[];

  constructor(capacity: number, maxDistance: number) {
    this.#maxDistance = maxDistance;
    this.#high = new Int32Array(capacity);
    this.#low = new Int32Array(capacity);
    this.#before = new Int32Array(capacity * BANDS);
    this.#flips = Array.from({ length: BANDS }, (_, band) => flipsOf(Math.floor((maxDistance - band) / BANDS)));
  }

  add(id: number, simhash: bigint): void {
    const place = this.#ids.push(id) - 1;
    const high = highHalf(simhash);
    const low = lowHalf(simhash);
    this.#high[place] = high;
    this.#low[place] = low;
    for (let band = 0; band < BANDS; band++) {
      const slot = (band << BAND_BITS) | bandOf(band, high, low);
      this.#before[place * BANDS + band] = this.#lastOf[slot] ?? 0;
      this.#lastOf[slot] = place + 1;
    }
  }

  firstNear(simhash: bigint): number | undefined {
    const high = highHalf(simhash);
    const low = lowHalf(simhash);
    let first = this.#ids.length;
    for (let band = 0; band < BANDS; band++) first = this.#firstNearBy(band, high, low, first);
    return this.#ids[first];
  }

  /** The first place before `first` that is near and found by this band, or `first`. */
  #firstNearBy(band: number, high: number, low: number, first: number): number {
    const flips = this.#flips[band] ?? NO_FLIPS;
    const value = bandOf(band, high, low);
    let nearest = first;
    for (let at = 0; at < flips.length; at++) {
      let next = this.#lastOf[(band << BAND_BITS) | (value ^ (flips[at] ?? 0))] ?? 0;
      while (next > 0) {
        const place = next - 1;
        if (place < nearest) {
          const distance = bitCount((this.#high[place] ?? 0) ^ high) + bitCount((this.#low[place] ?? 0) ^ low);
          if (distance <= this.#maxDistance) nearest = place;
        }
        next = this.#before[place * BANDS + band] ?? 0;
      }
    }
    return nearest;
  }
}

const NO_FLIPS = new Uint16Array(0);

/** All 16-bit values with at most `radius` bits set; none for a negative radius. */
function flipsOf(radius: number): Uint16Array {
  if (radius < 0) return NO_FLIPS;
  const flips = [0];
  let added = [0];
  for (let bits = 1; bits <= radius; bits++) {
    const more: number[] = [];
    // One bit above the highest, so that no value is made twice.
    for (const flip of added)
      for (let bit = 32 - Math.clz32(flip); bit < BAND_BITS; bit++) more.push(flip | (1 << bit));
    flips.push(...more);
    added = more;
  }
  return Uint16Array.from(flips);
}

function bandOf(band: number, high: number, low: number): number {
  const half = band < BANDS / 2 ? high : low;
  return band % 2 === 0 ? half >>> BAND_BITS : half & 0xffff;
}

const highHalf = (simhash: bigint): number => Number(BigInt.asIntN(32, simhash >> 32n));
const lowHalf = (simhash: bigint): number => Number(BigInt.asIntN(32, simhash));
