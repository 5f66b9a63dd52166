/**
 * Cuts a page into pieces for search and retrieval: at headings first, then between blocks, and within a block only if
 * it alone is too long. Works on the writer's blocks, so markdown is never parsed again.
 */
import type { Block } from './markdown.ts';

export interface Chunk {
  readonly index: number;
  readonly text: string;
  /** The headings it stands under, outermost first, its own included. */
  readonly headingPath: readonly string[];
  readonly tokens: number;
}

export interface ChunkOptions {
  readonly maxTokens: number;
  /** Tokens of the previous chunk that are repeated, within one section only. */
  readonly overlap: number;
}

/** The usual estimate for English; deterministic, and exact enough to stay below a model's limit with any tokenizer. */
const CHARACTERS_PER_TOKEN = 4;

export const estimateTokens = (text: string): number => Math.ceil(text.length / CHARACTERS_PER_TOKEN);

export function cutChunks(blocks: readonly Block[], options: ChunkOptions): Chunk[] {
  const maxCharacters = options.maxTokens * CHARACTERS_PER_TOKEN;
  const overlapCharacters = options.overlap * CHARACTERS_PER_TOKEN;
  const chunks: Chunk[] = [];
  const headings: { level: number; text: string }[] = [];
  let text = '';
  let holdsContent = false;
  let carry = '';

  const finish = (): void => {
    if (holdsContent) {
      const headingPath = headings.map((heading) => heading.text);
      chunks.push({ index: chunks.length, text, headingPath, tokens: estimateTokens(text) });
    }
    text = '';
    holdsContent = false;
  };
  const append = (piece: string, gap: string): void => {
    if (text === '' && carry.length > 0 && carry.length + 2 + piece.length <= maxCharacters) text = carry;
    text = text === '' ? piece : text + (gap === '' ? '\n\n' : gap) + piece;
  };

  for (const block of blocks) {
    if (block.kind === 'heading') {
      // A heading right below another belongs to the same chunk: there is nothing in between to keep apart.
      if (holdsContent) finish();
      carry = '';
      while ((headings.at(-1)?.level ?? 0) >= block.level) headings.pop();
      headings.push({ level: block.level, text: block.text });
      if (text.length + 2 + block.markdown.length > maxCharacters) text = '';
      append(block.markdown.slice(0, maxCharacters), '\n\n');
      continue;
    }
    if (text.length + block.gap.length + block.markdown.length > maxCharacters && holdsContent) finish();
    for (const piece of splitBlock(block, maxCharacters)) {
      if (text.length + 2 + piece.length > maxCharacters) {
        finish();
        text = '';
      }
      append(piece, block.gap);
      holdsContent = true;
    }
    carry = block.kind === 'text' && overlapCharacters > 0 ? tail(block.markdown, overlapCharacters) : '';
  }
  // A page of nothing but headings is still a page.
  if (text !== '') holdsContent = true;
  finish();
  return chunks;
}

/** The end of a text from a word's start on. */
function tail(text: string, characters: number): string {
  if (text.length <= characters) return text;
  const end = text.slice(-characters);
  const space = end.search(/\s/);
  return space < 0 ? '' : end.slice(space + 1);
}

function splitBlock(block: Block, maxCharacters: number): string[] {
  if (block.markdown.length <= maxCharacters) return [block.markdown];
  return block.kind === 'code' ? splitCode(block, maxCharacters) : splitText(block.markdown, maxCharacters);
}

/** Each part gets the fence of the whole, so each is a code block by itself. */
function splitCode(block: Block, maxCharacters: number): string[] {
  const firstLine = block.markdown.indexOf('\n');
  const lastLine = block.markdown.lastIndexOf('\n');
  const opening = block.markdown.slice(0, firstLine + 1);
  const closing = block.markdown.slice(lastLine);
  const room = Math.max(maxCharacters - opening.length - closing.length, 1);
  return splitText(block.markdown.slice(firstLine + 1, lastLine), room).map((part) => opening + part + closing);
}

/** At a line's end if there is one in the second half of a window, else after a sentence, else at a space. */
function splitText(text: string, maxCharacters: number): string[] {
  const parts: string[] = [];
  let at = 0;
  while (text.length - at > maxCharacters) {
    // Searching a window, never the rest of the text: that made cutting a large page quadratic.
    const window = text.slice(at, at + maxCharacters);
    const cut = cutAt(window);
    parts.push(window.slice(0, cut).trimEnd());
    at += cut;
    if (text.charCodeAt(at) === 10 || text.charCodeAt(at) === 32) at++;
  }
  if (at < text.length) parts.push(text.slice(at));
  return parts.filter((part) => part !== '');
}

function cutAt(window: string): number {
  const half = window.length / 2;
  for (const border of ['\n', '. ', ' ']) {
    const found = window.lastIndexOf(border);
    if (found >= half) return border === '. ' ? found + 1 : found;
  }
  // Not between the halves of a character outside the basic plane.
  const last = window.charCodeAt(window.length - 1);
  return last >= 0xd800 && last <= 0xdbff && window.length > 1 ? window.length - 1 : window.length;
}
