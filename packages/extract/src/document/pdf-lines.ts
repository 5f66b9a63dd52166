/**
 * Pieces of text as they stand on a page of a PDF to paragraphs. A PDF knows neither lines nor paragraphs, only where each piece is: what
 * stands on in the usual distance below is the next line, a wider distance or another size of letters begins a paragraph. Order is
 * that of the file. Hyphens at the ends of lines stay: which of them belong to the word nobody can tell.
 */

/** As the library gives it; marks of structure have no `str`. */
export interface TextPiece {
  readonly str: string;
  readonly hasEOL: boolean;
  /** The size of its letters. */
  readonly height: number;
  /** Where it stands: x and y are the last two, y counts upwards. */
  readonly transform: readonly number[];
}

interface Line {
  readonly text: string;
  readonly y: number;
  readonly size: number;
}

/** Wider than the usual distance of lines by this much is a gap. */
const GAP = 1.35;
/** Letters of another size by this much are a heading, or the end of one. */
const OTHER_SIZE = 1.15;
/** Signs of scripts that are written without spaces. */
const UNSPACED = /[\u3000-\u30ff\u3400-\u9fff\uff00-\uffef]/;

/** Paragraphs, separated by empty lines. */
export function pageText(pieces: readonly TextPiece[]): string {
  const lines = linesOf(pieces);
  const usual = usualDistance(lines);
  let text = '';
  for (const [index, line] of lines.entries()) {
    const before = lines[index - 1];
    if (before === undefined) text = line.text;
    else if (isApart(before, line, usual)) text += `\n\n${line.text}`;
    else text += joint(before.text, line.text) + line.text;
  }
  return text;
}

function linesOf(pieces: readonly TextPiece[]): Line[] {
  const lines: Line[] = [];
  let text = '';
  let size = 0;
  let y = 0;
  const end = (): void => {
    const line = text.replace(/\s+/g, ' ').trim();
    if (line !== '') lines.push({ text: line, y, size });
    text = '';
    size = 0;
  };
  for (const piece of pieces) {
    // White space alone may be set in any size.
    if (piece.str.trim() !== '') {
      if (size === 0) y = piece.transform[5] ?? 0;
      size = Math.max(size, piece.height);
    }
    text += piece.str;
    if (piece.hasEOL) end();
  }
  end();
  return lines;
}

/** The median of the distances between lines of one size. */
function usualDistance(lines: readonly Line[]): number {
  const distances: number[] = [];
  for (const [index, line] of lines.entries()) {
    const before = lines[index - 1];
    if (before && before.y > line.y && isAlike(before, line)) distances.push(before.y - line.y);
  }
  distances.sort((a, b) => a - b);
  return distances[(distances.length - 1) >> 1] ?? 0;
}

/** The top of the next column is above: a sentence may go on there as well as begin. */
function isApart(before: Line, line: Line, usual: number): boolean {
  return !isAlike(before, line) || before.y - line.y > usual * GAP || line.y - before.y > usual / 2;
}

const isAlike = (a: Line, b: Line): boolean =>
  Math.max(a.size, b.size) <= Math.min(a.size, b.size) * OTHER_SIZE || a.size === 0 || b.size === 0;

function joint(before: string, next: string): string {
  if (/\p{L}-$/u.test(before)) return '';
  return UNSPACED.test(before.at(-1) ?? '') && UNSPACED.test(next.at(0) ?? '') ? '' : ' ';
}
