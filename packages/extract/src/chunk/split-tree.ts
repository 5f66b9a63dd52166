/**
 * Decides which borders between units become cuts, so that each decision depends on nothing but what lies around it.
 *
 * Filling chunks one after the other would move every later cut of a section when a paragraph at its start grows. Here a range
 * that is too long is cut at the highest of its borders, and each half again. Which of two borders is higher depends on
 * their depth and on a hash of the units behind them only, never on positions or sizes. So each chunk is a range whose borders are
 * higher than all inside it, and an edit elsewhere leaves it that.
 *
 * What an edit can touch: the unit edited (its size, and through its hash the border in front of it), hence the chunk it is in
 * and the one that ends in front of it. All other chunks stay, or become part of one of those.
 */

/** Units in a row, each with the border in front of it. */
export interface Units {
  readonly depths: ArrayLike<number>;
  readonly hashes: ArrayLike<number>;
}

export interface SplitLimits {
  /** Whether the units `from` up to `to` may stay together, as all there is at their depth (`isWhole`) or as a part. */
  fits(from: number, to: number, isWhole: boolean): boolean;
  /** Called for each range that stays together, and each unit that is too long alone, in order. */
  accept(from: number, to: number): void;
}

/** Time in proportion to the number of units, however they nest. The borders in front of `from` and `to` count as cut already. */
export function splitUnits(units: Units, from: number, to: number, limits: SplitLimits): void {
  if (limits.fits(from, to, true)) {
    limits.accept(from, to);
    return;
  }
  const { root, left, right } = buildTree(units, from, to);
  // A range, the highest border inside it, and whether both its ends are less deep than that border.
  const pending: [from: number, to: number, border: number, fromDepth: number, toDepth: number][] = [
    [from, to, root, -1, -1],
  ];
  for (let range = pending.pop(); range !== undefined; range = pending.pop()) {
    const [start, end, border, startDepth, endDepth] = range;
    const depth = units.depths[border] ?? 0;
    const isWhole = border === NONE || (startDepth < depth && endDepth < depth);
    if (border === NONE || limits.fits(start, end, isWhole)) {
      limits.accept(start, end);
      continue;
    }
    pending.push([border, end, right[border - from] ?? NONE, depth, endDepth]);
    pending.push([start, border, left[border - from] ?? NONE, startDepth, depth]);
  }
}

const NONE = -1;

interface BorderTree {
  readonly root: number;
  readonly left: Int32Array;
  readonly right: Int32Array;
}

/** The tree whose nodes are borders, each higher than all below it, in the order of the text from left to right. */
function buildTree(units: Units, from: number, to: number): BorderTree {
  const left = new Int32Array(to - from).fill(NONE);
  const right = new Int32Array(to - from).fill(NONE);
  const runs = countRuns(units, from, to);
  const isHigher = (a: number, b: number): boolean => {
    const byDepth = (units.depths[b] ?? 0) - (units.depths[a] ?? 0);
    if (byDepth !== 0) return byDepth > 0;
    const byHash = (units.hashes[a] ?? 0) - (units.hashes[b] ?? 0);
    if (byHash !== 0) return byHash > 0;
    return trailingZeros(runs[a - from] ?? 0) > trailingZeros(runs[b - from] ?? 0);
  };
  const spine: number[] = [];
  for (let border = from + 1; border < to; border++) {
    let below = NONE;
    for (let top = spine.at(-1); top !== undefined && isHigher(border, top); top = spine.at(-1)) {
      below = top;
      spine.pop();
    }
    left[border - from] = below;
    const above = spine.at(-1);
    if (above !== undefined) right[above - from] = border;
    spine.push(border);
  }
  return { root: spine[0] ?? NONE, left, right };
}

/**
 * Rows or lines that are all the same have the same hash; the first would always be the highest, and be cut off alone. So the
 * place in a run of equals counts too, in the manner of a ruler's marks.
 */
function countRuns(units: Units, from: number, to: number): Uint32Array {
  const runs = new Uint32Array(to - from);
  // The last border of each depth, as long as no less deep one has come: runs don't reach across those.
  const open: number[] = [];
  for (let border = from + 1; border < to; border++) {
    const depth = units.depths[border] ?? 0;
    let last = open.at(-1);
    while (last !== undefined && (units.depths[last] ?? 0) > depth) {
      open.pop();
      last = open.at(-1);
    }
    if (last !== undefined && units.depths[last] === depth) {
      if (units.hashes[last] === units.hashes[border]) runs[border - from] = (runs[last - from] ?? 0) + 1;
      open.pop();
    }
    open.push(border);
  }
  return runs;
}

const trailingZeros = (value: number): number => (value === 0 ? 32 : 31 - Math.clz32(value & -value));
