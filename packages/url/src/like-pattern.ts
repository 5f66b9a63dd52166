/**
 * SQL `LIKE`: `%` is any run of characters, `_` any one, a backslash makes the next character literal. Case-sensitive,
 * on the whole value. Written out rather than turned into a regular expression, whose backtracking a hostile URL could
 * make take for ever: here the time is at most pattern length × value length.
 */

/** A stretch between two `%`: characters, with `null` for `_`. */
interface Piece {
  readonly characters: readonly (string | null)[];
  /** The stretch as text where it holds no `_`, for the engine's own search. */
  readonly literal: string | null;
}

export function compileLike(pattern: string): (value: string) => boolean {
  const pieces = parse(pattern);
  const first = pieces[0] ?? toPiece([]);
  const last = pieces.at(-1) ?? first;
  if (pieces.length === 1) {
    return (value) => value.length === first.characters.length && matchesAt(first, value, 0);
  }
  const middle = pieces.slice(1, -1);
  return (value) => {
    const end = value.length - last.characters.length;
    let at = first.characters.length;
    if (end < at || !matchesAt(first, value, 0) || !matchesAt(last, value, end)) return false;
    // Taking the leftmost place for each piece leaves the most room for the next, so no choice needs taking back.
    for (const piece of middle) {
      const found = find(piece, value, at);
      at = found + piece.characters.length;
      if (found < 0 || at > end) return false;
    }
    return true;
  };
}

function parse(pattern: string): Piece[] {
  const pieces: Piece[] = [];
  let characters: (string | null)[] = [];
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern.charAt(at);
    if (character === '%') {
      pieces.push(toPiece(characters));
      characters = [];
    } else if (character === '\\' && at + 1 < pattern.length) {
      at++;
      characters.push(pattern.charAt(at));
    } else {
      characters.push(character === '_' ? null : character);
    }
  }
  pieces.push(toPiece(characters));
  return pieces;
}

function toPiece(characters: readonly (string | null)[]): Piece {
  return { characters, literal: characters.includes(null) ? null : characters.join('') };
}

function find(piece: Piece, value: string, from: number): number {
  if (piece.literal !== null) return value.indexOf(piece.literal, from);
  for (let at = from; at + piece.characters.length <= value.length; at++) {
    if (matchesAt(piece, value, at)) return at;
  }
  return -1;
}

function matchesAt(piece: Piece, value: string, at: number): boolean {
  if (piece.literal !== null) return value.startsWith(piece.literal, at);
  return piece.characters.every((character, offset) => character === null || character === value.charAt(at + offset));
}
