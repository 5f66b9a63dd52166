import { describe, expect, it } from 'vitest';
import { pageText, type TextPiece } from './pdf-lines.ts';

const line = (str: string, y: number, height = 10): TextPiece => ({
  str,
  height,
  hasEOL: true,
  transform: [height, 0, 0, height, 50, y],
});

describe('the text of a page of a PDF', () => {
  it('joins lines in the usual distance, and parts them where it is wider', () => {
    expect(pageText([line('one', 700), line('two', 688), line('three', 664), line('four', 652)])).toBe(
      'one two\n\nthree four',
    );
  });

  it('takes letters of another size for a heading', () => {
    expect(pageText([line('Heading', 700, 16), line('one', 685), line('two', 673), line('Next', 660, 16)])).toBe(
      'Heading\n\none two\n\nNext',
    );
  });

  it('leaves hyphens at the end of lines, and adds no space after them', () => {
    expect(pageText([line('a well-', 700), line('known tale – or', 688), line('not', 676)])).toBe(
      'a well-known tale – or not',
    );
  });

  it('puts no spaces between lines of scripts without spaces', () => {
    expect(pageText([line('図書館は', 700), line('毎朝開きます。', 688)])).toBe('図書館は毎朝開きます。');
  });

  it('begins a paragraph with the next column', () => {
    expect(pageText([line('one', 700), line('two', 688), line('three', 700), line('four', 688)])).toBe(
      'one two\n\nthree four',
    );
  });

  it('puts pieces of one line together as they are', () => {
    const pieces = [
      { ...line('Wor', 700), hasEOL: false },
      { ...line('ds', 700), hasEOL: false },
      { ...line(' ', 700, 0), hasEOL: false },
      line('apart', 700),
    ];
    expect(pageText(pieces)).toBe('Words apart');
  });

  it('is empty without pieces, and of spaces', () => {
    expect(pageText([])).toBe('');
    expect(pageText([line(' ', 700), line('', 688)])).toBe('');
  });
});
