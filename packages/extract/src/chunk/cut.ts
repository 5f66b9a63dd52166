/**
 * Cuts a page's markdown into chunks for search and retrieval: at every heading, and within a section that is too long between
 * its blocks, then between items and rows, then lines, then inside a line. Chunks are exact slices: without their overlaps they
 * join to the text again, so a fence that had to be cut is not closed and opened again. `split-tree.ts` says why the cuts lie where they do.
 */
import { hash } from 'node:crypto';
import type { TokenizerName } from '@trawl/contracts';
import { hashUnits, isCleanBorder, lineStart, type MeasuredText, measure, tokensOfLines } from './measure.ts';
import { overlapStart } from './overlap.ts';
import { scanMarkdown } from './scan-blocks.ts';
import { scanPlainText } from './scan-plain-text.ts';
import { SECTION } from './scanned-text.ts';
import { splitLine } from './split-line.ts';
import { splitUnits } from './split-tree.ts';

export interface ChunkOptions {
  /** No chunk has more, its overlap included. */
  readonly maxTokens: number;
  /** How many tokens of what stands before a chunk are repeated in it, within one section. */
  readonly overlap: number;
  readonly tokenizer: TokenizerName;
  /** In text that isn't markdown nothing is a heading or a fence. */
  readonly kind?: 'markdown' | 'text';
}

export interface Chunk {
  /** Made of what the chunk says and the headings it stands under: the same as long as they are. */
  readonly id: string;
  readonly index: number;
  /** `markdown.slice(start - overlap, end)` */
  readonly text: string;
  /** The headings it stands under, outermost first, its own included. */
  readonly headingPath: readonly string[];
  /** Of `text`. */
  readonly tokens: number;
  /** Where its own part begins in the text: the end of the chunk before. */
  readonly start: number;
  readonly end: number;
  /** Characters before `start` that it repeats. */
  readonly overlap: number;
}

/** No chunks for a text of blanks only. */
export function cutChunks(text: string, options: ChunkOptions): Chunk[] {
  const scanned = options.kind === 'text' ? scanPlainText(text) : scanMarkdown(text);
  if (scanned.starts.length === 0) return [];
  const cutter = new Cutter(measure(text, scanned, options.tokenizer), options);
  let first = 0;
  for (let line = 1; line <= scanned.starts.length; line++) {
    if (line < scanned.starts.length && scanned.depths[line] !== SECTION) continue;
    cutter.cutSection(first, line);
    first = line;
  }
  return cutter.chunks;
}

/** A chunk's own part: where it begins and ends, and the lines it touches. */
interface Piece {
  readonly start: number;
  readonly end: number;
  readonly tokens: number;
  readonly firstLine: number;
  readonly lastLine: number;
}

class Cutter {
  readonly chunks: Chunk[] = [];
  readonly #measured: MeasuredText;
  readonly #maxTokens: number;
  readonly #overlap: number;
  /** What a chunk's own part may have where there is a choice, so that the overlap finds room. */
  readonly #limit: number;
  readonly #path: { level: number; text: string }[] = [];
  readonly #seen = new Map<string, number>();

  constructor(measured: MeasuredText, options: ChunkOptions) {
    this.#measured = measured;
    this.#maxTokens = options.maxTokens;
    this.#overlap = options.overlap;
    this.#limit = Math.max(options.maxTokens - options.overlap, Math.ceil(options.maxTokens / 2));
  }

  cutSection(from: number, to: number): void {
    const measured = this.#measured;
    const { text, counter } = measured;
    const hashes = this.#fits(from, to, true) ? new Float64Array() : hashUnits(measured, from, to);
    const units = { depths: measured.depths.slice(from, to), hashes };
    splitUnits(units, 0, to - from, {
      fits: (first, behind, isWhole) => this.#fits(from + first, from + behind, isWhole),
      accept: (first, behind) => {
        const firstLine = from + first;
        const lastLine = from + behind - 1;
        const start = lineStart(measured, firstLine);
        const end = lineStart(measured, lastLine + 1);
        const tokens = tokensOfLines(measured, firstLine, lastLine + 1, this.#maxTokens);
        if (tokens !== null) {
          this.#add({ start, end, tokens, firstLine, lastLine }, from);
          return;
        }
        const starts = splitLine(text, start, end, counter, this.#limit, this.#maxTokens);
        for (const [index, pieceStart] of starts.entries()) {
          const pieceEnd = starts[index + 1] ?? end;
          const pieceTokens = counter.count(text, pieceStart, pieceEnd);
          this.#add({ start: pieceStart, end: pieceEnd, tokens: pieceTokens, firstLine, lastLine }, from);
        }
      },
    });
  }

  #fits(from: number, to: number, isWhole: boolean): boolean {
    return tokensOfLines(this.#measured, from, to, isWhole ? this.#maxTokens : this.#limit) !== null;
  }

  #add(piece: Piece, sectionLine: number): void {
    this.#readHeadings(piece);
    const headingPath = this.#path.map((heading) => heading.text);
    const { overlap, tokens } = this.#findOverlap(piece, sectionLine);
    const text = this.#measured.text.slice(piece.start - overlap, piece.end);
    const { start, end } = piece;
    this.chunks.push({
      id: this.#id(headingPath, text),
      index: this.chunks.length,
      text,
      headingPath,
      tokens,
      start,
      end,
      overlap,
    });
  }

  #readHeadings({ start, firstLine, lastLine }: Piece): void {
    // The later pieces of a heading that was cut stand below it already.
    if (start !== lineStart(this.#measured, firstLine)) return;
    for (let line = firstLine; line <= lastLine; line++) {
      const heading = this.#measured.headings.get(line);
      if (heading === undefined) continue;
      while ((this.#path.at(-1)?.level ?? 0) >= heading.level) this.#path.pop();
      this.#path.push(heading);
    }
  }

  /** As much as asked for, or as there is room for. */
  #findOverlap(piece: Piece, sectionLine: number): { overlap: number; tokens: number } {
    const { text, counter } = this.#measured;
    const isClean = isCleanBorder(this.#measured, piece.firstLine, piece.start);
    let room = Math.min(this.#overlap, this.#maxTokens - piece.tokens);
    while (room > 0 && piece.start > lineStart(this.#measured, sectionLine)) {
      const from = overlapStart(this.#measured, sectionLine, piece.firstLine, piece.start, room);
      if (from >= piece.start) break;
      const repeated = counter.count(text, from, piece.start);
      const tokens = isClean ? repeated + piece.tokens : counter.count(text, from, piece.end);
      if (tokens <= this.#maxTokens && repeated <= this.#overlap) return { overlap: piece.start - from, tokens };
      // Parts counted alone were fewer than together: rare, so a coarse step will do.
      room >>= 1;
    }
    return { overlap: 0, tokens: piece.tokens };
  }

  #id(headingPath: readonly string[], text: string): string {
    const content = hash('sha256', `${JSON.stringify(headingPath)}\n${text.trim()}`, 'base64url').slice(0, 16);
    const times = (this.#seen.get(content) ?? 0) + 1;
    this.#seen.set(content, times);
    return times === 1 ? content : `${content}-${times}`;
  }
}
