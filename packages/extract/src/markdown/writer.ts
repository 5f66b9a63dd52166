/**
 * Markdown in the making, as a flat list of blocks with plain text alongside. Knows GFM: how blocks are indented, separated and
 * escaped. Does not know HTML (render.ts does), nor what is content.
 */
import { codeSpan, escapeLineStart, fenceFor } from './escape.ts';
import { InlineText } from './inline.ts';
import { type CellPlace, Table } from './table.ts';

export interface Block {
  /** What stands between this block and the one before: one line end within a list, else a blank line. */
  readonly gap: string;
  readonly markdown: string;
  readonly text: string;
}

export interface OutlineEntry {
  readonly level: number;
  readonly text: string;
}

/** Deeper lists and quotes are not indented further: the prefix is on every line, so it multiplies a hostile page. */
const MAX_INDENTS = 16;
/** Nobody reads a longer one. */
const MAX_OUTLINE = 1000;

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
  readonly outline: OutlineEntry[] = [];
  readonly inline = new InlineText();
  /** What is written now counts as no text of the page. */
  isQuiet = false;

  /** How lines begin here, and how the very next one does (the marker of a list item). */
  #prefix = '';
  #firstPrefix: string | null = null;
  #isTight = false;
  /** How the lines of the last block begin. */
  #lastPrefix = '';
  readonly #frames: Frame[] = [];
  readonly #lists: List[] = [];
  readonly #tables: Table[] = [];
  #headingLevel = 0;
  #isTerm = false;

  /** Called at every border of a block. */
  endParagraph(): void {
    if (this.inline.isEmpty()) return;
    const { markdown, text } = this.inline.take();
    if (markdown === '') return;
    if (this.#headingLevel > 0) this.#addHeading(markdown, text);
    else if (this.#isTerm) this.#add(strong(markdown), text);
    else this.#add(escapeLineStart(markdown), text);
  }

  lineBreak(): void {
    if (this.#headingLevel > 0) this.inline.append(' ');
    else if (this.inline.appendBreak()) this.endParagraph();
  }

  openHeading(level: number): void {
    this.endParagraph();
    this.#headingLevel = level;
    this.inline.isEmphasisOn = false;
  }

  closeHeading(): void {
    this.endParagraph();
    this.#headingLevel = 0;
    this.inline.isEmphasisOn = !this.#isTerm;
  }

  /** `code` with its white space as it is to appear. */
  addCodeBlock(code: string, language: string): void {
    this.endParagraph();
    if (code.trim() === '') return;
    if (this.#cell()) {
      const lines = code.split('\n').filter((line) => line.trim() !== '');
      this.#add(lines.map((line) => codeSpan(line.trimEnd())).join('\n'), code);
      return;
    }
    const fence = fenceFor(code);
    this.#add(`${fence}${language}\n${code}\n${fence}`, code);
  }

  /** A formula that stands for itself. */
  addMathBlock(tex: string): void {
    this.endParagraph();
    this.#add(this.#cell() ? `$${tex}$` : `$$\n${tex}\n$$`, tex);
  }

  rule(): void {
    this.endParagraph();
    if (!this.#cell()) this.#add('---', '');
  }

  /** A line of its own in bold, such as the title of a box. */
  addLabel(label: string): void {
    this.endParagraph();
    this.inline.append(label);
    const { markdown, text } = this.inline.take();
    if (markdown !== '') this.#add(strong(markdown), text);
  }

  openList(isOrdered: boolean, start: number): void {
    this.endParagraph();
    this.#lists.push({ isOrdered, next: start, items: 0, isNested: this.#prefix.endsWith('  ') });
  }

  closeList(): void {
    this.endParagraph();
    this.#lists.pop();
  }

  /** `box`: one to tick, in GFM's spelling. */
  openItem(box: string | null): void {
    const list = this.#lists.at(-1);
    this.#indentBy(list?.isOrdered ? `${list.next++}. ` : '- ');
    if (box !== null && this.#firstPrefix !== null) this.#firstPrefix += `${box} `;
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

  openFootnote(label: string): void {
    this.endParagraph();
    this.#pushFrame();
    this.#firstPrefix = `${this.#prefix}[^${label}]: `;
    this.#prefix += '    ';
    this.#isTight = false;
  }

  openQuote(): void {
    this.endParagraph();
    this.#pushFrame();
    if (this.#frames.length > MAX_INDENTS || this.#cell()) return;
    if (this.#firstPrefix !== null) this.#firstPrefix += '> ';
    this.#prefix += '> ';
  }

  /** Ends an item, definition, footnote or quote. */
  closeIndent(): void {
    this.endParagraph();
    const frame = this.#frames.pop();
    if (!frame) return;
    this.#prefix = frame.prefix;
    this.#isTight = frame.isTight;
    // What was inside is over: a quote that follows is another one.
    if (this.#lastPrefix.startsWith(frame.prefix)) this.#lastPrefix = frame.prefix;
    // An outer marker still waits if nothing was written inside.
    this.#firstPrefix = frame.blocks === this.blocks.length ? frame.firstPrefix : null;
  }

  openTable(): void {
    this.endParagraph();
    this.#tables.push(new Table());
  }

  openRow(): void {
    this.#tables.at(-1)?.startRow();
  }

  /** What is written until it closes goes into the cell: a line of markdown of its own, outside of lists and quotes around it. */
  openCell(place: CellPlace): void {
    this.#tables.at(-1)?.startCell(place);
    this.#pushFrame();
    this.#prefix = '';
    this.#firstPrefix = null;
  }

  closeCell(): void {
    this.closeIndent();
    const table = this.#tables.at(-1);
    if (table) table.cell = null;
  }

  closeTable(): void {
    const table = this.#tables.pop();
    const rendered = table?.render();
    if (rendered) this.#add(rendered.markdown, rendered.text);
    else if (table) for (const cell of table.filledCells()) this.#add(cell.markdown, cell.text);
  }

  #cell() {
    return this.#tables.at(-1)?.cell ?? null;
  }

  #addHeading(markdown: string, text: string): void {
    const level = this.#headingLevel;
    if (this.outline.length < MAX_OUTLINE) this.outline.push({ level, text });
    this.#add(this.#cell() ? strong(markdown) : `${'#'.repeat(level)} ${markdown}`, text);
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

  #add(markdown: string, text: string): void {
    const prefix = this.#prefix;
    const first = this.#firstPrefix ?? prefix;
    const cell = this.#cell();
    if (cell) {
      this.#tables.at(-1)?.appendToCell(cell, first.trimStart() + markdown, text);
      this.#firstPrefix = null;
      return;
    }
    const body = prefix !== '' && markdown.includes('\n') ? indent(markdown, prefix) : markdown;
    this.blocks.push({ gap: this.#gap(prefix), markdown: first + body, text: this.isQuiet ? '' : text });
    this.#firstPrefix = null;
    this.#lastPrefix = prefix;
  }

  /** Between two blocks of one quote the blank line has to carry its sign, or the quote ends there. */
  #gap(prefix: string): string {
    if (this.blocks.length === 0) return '';
    if (this.#firstPrefix !== null && this.#isTight) return '\n';
    const before = this.#lastPrefix;
    if (prefix === '' || before === '') return '\n\n';
    const common = prefix.startsWith(before) ? before : before.startsWith(prefix) ? prefix : '';
    return `\n${common.trimEnd()}\n`;
  }
}

/** Lines without anything on them get none of the prefix that could not be seen. */
function indent(markdown: string, prefix: string): string {
  const bare = prefix.trimEnd();
  return markdown.replaceAll(/\n(?=(\n)?)/g, (_, empty) => `\n${empty === undefined ? prefix : bare}`);
}

/** Marks that stand inside already would end the outer ones. */
const strong = (markdown: string): string => (markdown.includes('**') ? markdown : `**${markdown}**`);
