/**
 * Elements to markdown, as a flat list of blocks. Flat, because that is what chunks are cut from and what a part of the
 * page (its `<main>`) is taken out of: no later step has to read markdown again. Plain text is made alongside.
 * Does not decide what is content (page.ts does), nor read attributes.
 */
import { escapeLineStart, fenceFor } from './escape.ts';
import { InlineText } from './inline.ts';
import { Table } from './table.ts';

/** What can't be taken apart, or stands above what follows, is told by `kind`. */
export interface Block {
  readonly kind: 'heading' | 'text' | 'code' | 'table';
  /** 1 to 6 for a heading, else 0. */
  readonly level: number;
  /** What stands between this block and the one before: one line end within a list, else a blank line. */
  readonly gap: string;
  readonly markdown: string;
  readonly text: string;
  /** How its further lines begin, inside lists and quotes. */
  readonly prefix: string;
}

/** Deeper lists and quotes are not indented further: the prefix is on every line, so it multiplies a hostile page. */
const MAX_INDENTS = 16;

interface Frame {
  readonly prefix: string;
  readonly firstPrefix: string | null;
  readonly isTight: boolean;
  readonly blocks: number;
}

interface List {
  readonly isOrdered: boolean;
  next: number;
  items: number;
  readonly isNested: boolean;
}

export class MarkdownWriter {
  readonly blocks: Block[] = [];
  readonly inline = new InlineText();
  /** Characters of text so far, to weigh parts of the page against each other. */
  textLength = 0;

  /** How lines begin here, and how the very next one does (the marker of a list item). */
  #prefix = '';
  #firstPrefix: string | null = null;
  #isTight = false;
  readonly #frames: Frame[] = [];
  readonly #lists: List[] = [];
  readonly #tables: Table[] = [];
  #headingLevel = 0;
  #isTerm = false;
  #code: string | null = null;
  #language = '';

  text(raw: string): void {
    if (this.#code !== null) this.#code += raw;
    else this.inline.append(raw);
  }

  lineBreak(): void {
    if (this.#code !== null) this.#code += '\n';
    else if (this.#headingLevel > 0) this.inline.append(' ');
    else if (this.inline.appendBreak()) this.endParagraph();
  }

  /** Called at every border of a block. */
  endParagraph(): void {
    if (this.inline.isEmpty()) return;
    const { markdown, text } = this.inline.take();
    if (markdown === '') return;
    const cell = this.#tables.at(-1)?.cell;
    if (cell) this.#tables.at(-1)?.appendToCell(cell, markdown, text);
    else if (this.#headingLevel > 0) {
      this.#add('heading', `${'#'.repeat(this.#headingLevel)} ${markdown}`, text, this.#headingLevel);
    } else if (this.#isTerm) this.#add('text', `**${markdown}**`, text);
    else this.#add('text', escapeLineStart(markdown), text);
  }

  openHeading(level: number): void {
    this.#leaveTable();
    this.endParagraph();
    this.#headingLevel = level;
    this.inline.isEmphasisOn = false;
  }

  closeHeading(): void {
    this.endParagraph();
    this.#headingLevel = 0;
    this.inline.isEmphasisOn = !this.#isTerm;
  }

  openCodeBlock(language: string): void {
    this.#leaveTable();
    this.endParagraph();
    this.#code = '';
    this.#language = language;
  }

  /** A `<code class="language-…">` inside says what its `<pre>` did not. */
  nameLanguage(language: string): void {
    if (this.#language === '') this.#language = language;
  }

  isInCodeBlock(): boolean {
    return this.#code !== null;
  }

  closeCodeBlock(): void {
    const code = (this.#code ?? '').replace(/^\r?\n/, '').trimEnd();
    this.#code = null;
    if (code.trim() === '') return;
    const fence = fenceFor(code);
    this.#add('code', `${fence}${this.#language}\n${code}\n${fence}`, code);
  }

  rule(): void {
    this.endParagraph();
    if (!this.#tables.at(-1)?.cell) this.#add('text', '---', '');
  }

  openList(isOrdered: boolean, start: number): void {
    this.endParagraph();
    this.#lists.push({ isOrdered, next: start, items: 0, isNested: this.#lists.length > 0 });
  }

  closeList(): void {
    this.endParagraph();
    this.#lists.pop();
  }

  openItem(): void {
    const list = this.#lists.at(-1);
    this.#indentBy(list?.isOrdered ? `${list.next++}. ` : '- ');
  }

  /** GFM has no definition lists: a term is a list item in bold, its definitions are indented below it. */
  openTerm(): void {
    this.#indentBy('- ');
    this.#isTerm = true;
    this.inline.isEmphasisOn = false;
  }

  closeTerm(): void {
    this.closeIndent();
    this.#isTerm = false;
    this.inline.isEmphasisOn = true;
  }

  openDefinition(): void {
    this.endParagraph();
    this.#pushFrame();
    if (this.#frames.length <= MAX_INDENTS) this.#prefix += '  ';
  }

  openQuote(): void {
    this.#leaveTable();
    this.endParagraph();
    this.#pushFrame();
    if (this.#frames.length > MAX_INDENTS) return;
    if (this.#firstPrefix !== null) this.#firstPrefix += '> ';
    this.#prefix += '> ';
  }

  /** Ends an item, definition or quote. */
  closeIndent(): void {
    this.endParagraph();
    const frame = this.#frames.pop();
    if (!frame) return;
    this.#prefix = frame.prefix;
    this.#isTight = frame.isTight;
    // An outer marker still waits if nothing was written inside.
    this.#firstPrefix = frame.blocks === this.blocks.length ? frame.firstPrefix : null;
  }

  openTable(): void {
    this.#leaveTable();
    this.endParagraph();
    this.#tables.push(new Table());
  }

  openRow(): void {
    this.endParagraph();
    const table = this.#tables.at(-1);
    if (table && !table.isLayout) table.startRow();
  }

  openCell(isHeader: boolean, columns: number): void {
    this.endParagraph();
    const table = this.#tables.at(-1);
    if (table && !table.isLayout) table.startCell(isHeader, columns);
  }

  closeCell(): void {
    this.endParagraph();
    const table = this.#tables.at(-1);
    if (table) table.cell = null;
  }

  closeTable(): void {
    this.closeCell();
    const table = this.#tables.pop();
    if (!table || table.isLayout) return;
    const rendered = table.render();
    if (rendered) this.#add('table', rendered.markdown, rendered.text);
    else this.#addCells(table);
  }

  /** What comes is too much for a cell, so the table is one for layout: its cells become blocks of their own. */
  #leaveTable(): void {
    const table = this.#tables.at(-1);
    if (!table?.cell) return;
    this.endParagraph();
    table.isLayout = true;
    table.cell = null;
    this.#addCells(table);
    table.rows.length = 0;
  }

  #addCells(table: Table): void {
    for (const cell of table.filledCells()) {
      this.#add('text', escapeLineStart(cell.markdown.replaceAll('<br>', '  \n').replaceAll('\\|', '|')), cell.text);
    }
  }

  #indentBy(marker: string): void {
    this.endParagraph();
    const list = this.#lists.at(-1);
    this.#pushFrame();
    if (list) list.items++;
    if (this.#frames.length > MAX_INDENTS) return;
    this.#isTight = (list?.items ?? 0) > 1 || (list?.isNested ?? false);
    this.#firstPrefix = (this.#firstPrefix ?? this.#prefix) + marker;
    this.#prefix += ' '.repeat(marker.length);
  }

  #pushFrame(): void {
    this.#frames.push({
      prefix: this.#prefix,
      firstPrefix: this.#firstPrefix,
      isTight: this.#isTight,
      blocks: this.blocks.length,
    });
  }

  #add(kind: Block['kind'], markdown: string, text: string, level = 0): void {
    const prefix = this.#prefix;
    const first = this.#firstPrefix ?? prefix;
    const body = prefix !== '' && markdown.includes('\n') ? markdown.replaceAll('\n', `\n${prefix}`) : markdown;
    this.blocks.push({ kind, level, gap: this.#gap(prefix), markdown: first + body, text, prefix });
    this.#firstPrefix = null;
    this.textLength += text.length;
  }

  /** Between two blocks of one quote the blank line has to carry its sign, or the quote ends there. */
  #gap(prefix: string): string {
    const before = this.blocks.at(-1);
    if (!before) return '';
    if (this.#firstPrefix !== null && this.#isTight) return '\n';
    if (prefix === '' || before.prefix === '') return '\n\n';
    const common = prefix.startsWith(before.prefix) ? before.prefix : before.prefix.startsWith(prefix) ? prefix : '';
    return `\n${common.trimEnd()}\n`;
  }
}
