/**
 * Reads a markdown text's structure, line by line and once: not what it looks like, only where it may be cut and how much it would hurt.
 *
 * The answer is a flat list of the lines that hold text (blank ones belong to the line before them). The border in front of
 * each has a depth: the smaller, the better a place for a cut. Everything inside a block, an item or a fence is deeper
 * than the borders around it, so who cuts at the smallest depth first never opens what fits as a whole.
 *
 * Containers are quotes, list items and footnotes; the leaf is what the innermost of them holds at the moment. A line first
 * claims the containers it continues, then may open new ones, then continues or begins a leaf.
 */
import {
  fenceLength,
  headingLevel,
  headingText,
  htmlBlockEnd,
  isFenceEnd,
  isFootnote,
  isTableDelimiter,
  isThematicBreak,
  listItem,
  underlineLevel,
} from './block-starts.ts';
import { isBlank, skipBlanks } from './characters.ts';
import {
  BLOCK,
  BOUND,
  DEPTHS,
  endsSentence,
  forEachLine,
  GOOD_LINE,
  type Heading,
  ITEM,
  LINE,
  OPENS,
  type ScannedText,
  SECTION,
  TEXT,
} from './scanned-text.ts';

/** What is nested deeper than this is text: it has no meaning, only a cost. */
const MAX_CONTAINERS = 64;

type Leaf = 'none' | 'text' | 'heading' | 'fence' | 'indented' | 'table' | 'html';
type Container = { readonly kind: 'quote' } | { readonly kind: 'item' | 'footnote'; readonly column: number };

export function scanMarkdown(text: string): ScannedText {
  const scanner = new MarkdownScanner(text);
  forEachLine(text, (start, first, end) => scanner.line(start, first, end));
  return scanner;
}

class MarkdownScanner implements ScannedText {
  readonly starts: number[] = [];
  readonly depths: number[] = [];
  readonly flags: number[] = [];
  readonly headings = new Map<number, Heading>();
  readonly #text: string;
  #containers: Container[] = [];
  #leaf: Leaf = 'none';
  /** Of the fence: its sign and length; of HTML: what ends it. */
  #fenceCode = 0;
  #fenceLength = 0;
  #htmlEnd = '';
  #rows = 0;
  #isAfterBlank = false;
  #previousEnd = 0;
  // Where the line's content stands at the moment.
  #at = 0;
  #column = 0;
  #end = 0;
  #firstAt = -1;
  #firstColumn = 0;

  constructor(text: string) {
    this.#text = text;
  }

  line(start: number, first: number, end: number): void {
    if (first === end) {
      this.#blankLine();
      return;
    }
    this.starts.push(this.starts.length === 0 ? 0 : start);
    this.#at = start;
    this.#column = 0;
    this.#end = end;
    this.#firstAt = -1;
    const held = this.#claimContainers();
    if (held === this.#containers.length && this.#continueVerbatim()) {
      this.#previousEnd = end;
    } else {
      this.#openBlocks(held);
      this.#previousEnd = end;
      this.#isAfterBlank = skipBlanks(this.#text, this.#at, end) === end;
    }
  }

  #blankLine(): void {
    this.#isAfterBlank = true;
    const quote = this.#containers.findIndex((container) => container.kind === 'quote');
    if (quote >= 0) this.#close(quote);
    if (this.#leaf === 'html' && this.#htmlEnd === '') this.#leaf = 'none';
  }

  #close(containers: number): void {
    if (containers < this.#containers.length) {
      this.#containers.length = containers;
      this.#leaf = 'none';
    }
  }

  /** How many of the open containers go on in this line. */
  #claimContainers(): number {
    let held = 0;
    for (const container of this.#containers) {
      this.#findFirst();
      const at = this.#firstAt;
      const column = this.#firstColumn;
      if (container.kind === 'quote') {
        if (this.#text.charCodeAt(at) !== 62 || at >= this.#end || column - this.#column > 3) break;
        this.#enterQuote(at, column);
      } else {
        if (at < this.#end && column < container.column) break;
        this.#skipTo(container.column);
      }
      held++;
    }
    return held;
  }

  /** Finds the content's first character, once as long as only blanks are claimed: items may be nested deep. */
  #findFirst(): void {
    if (this.#at <= this.#firstAt) return;
    let column = this.#column;
    let at = this.#at;
    for (; at < this.#end; at++) {
      const code = this.#text.charCodeAt(at);
      if (code === 9) column += 4 - (column % 4);
      else if (isBlank(code)) column++;
      else break;
    }
    this.#firstAt = at;
    this.#firstColumn = column;
  }

  #skipTo(column: number): void {
    while (this.#column < column && this.#at < this.#end) {
      this.#column += this.#text.charCodeAt(this.#at) === 9 ? 4 - (this.#column % 4) : 1;
      this.#at++;
    }
  }

  #enterQuote(at: number, column: number): void {
    this.#at = at + 1;
    this.#column = column + 1;
    if (this.#at < this.#end && isBlank(this.#text.charCodeAt(this.#at))) this.#skipTo(this.#column + 1);
  }

  /** Inside a fence or a block of HTML nothing else is looked for. */
  #continueVerbatim(): boolean {
    if (this.#leaf !== 'fence' && this.#leaf !== 'html') return false;
    const first = skipBlanks(this.#text, this.#at, this.#end);
    let isEnd = false;
    if (this.#leaf === 'fence') {
      isEnd = isFenceEnd(this.#text, first, this.#end, this.#fenceCode, this.#fenceLength);
    } else if (this.#htmlEnd !== '') {
      isEnd = this.#holdsHtmlEnd(this.#at);
    }
    this.#inside(this.#isAfterBlank && !(isEnd && this.#leaf === 'fence') ? GOOD_LINE : LINE, 0);
    this.#isAfterBlank = first === this.#end;
    if (isEnd) this.#leaf = 'none';
    return true;
  }

  #holdsHtmlEnd(from: number): boolean {
    return this.#text.slice(from, this.#end).toLowerCase().includes(this.#htmlEnd);
  }

  #inside(depth: number, flags: number): void {
    this.depths.push(this.#containers.length * DEPTHS + depth);
    this.flags.push(flags);
  }

  /** What the line is when it doesn't lie inside a fence: new containers, then a leaf. */
  #openBlocks(held: number): void {
    let opened: number | null = null;
    for (;;) {
      this.#findFirst();
      const at = this.#firstAt;
      const column = this.#firstColumn;
      const isIndented = column - this.#column >= 4;
      const depth: number = opened ?? (this.#isAfterHeading() && held === 0 ? BOUND : held * DEPTHS + BLOCK);
      const isInText = opened === null && this.#leaf === 'text' && !this.#isAfterBlank;
      if (at < this.#end && !isIndented && this.#containers.length < MAX_CONTAINERS) {
        const container = this.#openContainer(at, column, isInText && held === this.#containers.length);
        if (container !== null) {
          const former: Container | undefined = opened === null ? this.#containers[held] : undefined;
          const isNext: boolean = former?.kind === container.kind && container.kind !== 'quote';
          opened = isNext ? held * DEPTHS + ITEM : depth;
          this.#containers.length = held;
          this.#containers.push(container);
          this.#leaf = 'none';
          held++;
          continue;
        }
      }
      this.#readLeaf(at, held, depth, isIndented, isInText, opened !== null);
      return;
    }
  }

  #isAfterHeading(): boolean {
    return this.#leaf === 'heading' && this.#containers.length === 0;
  }

  #openContainer(at: number, column: number, interruptsText: boolean): Container | null {
    if (this.#text.charCodeAt(at) === 62) {
      this.#enterQuote(at, column);
      return { kind: 'quote' };
    }
    if (isFootnote(this.#text, at, this.#end)) {
      this.#at = this.#text.indexOf(']:', at) + 2;
      this.#column = column + this.#at - at;
      return { kind: 'footnote', column: column + 2 };
    }
    if (isThematicBreak(this.#text, at, this.#end)) return null;
    const content = listItem(this.#text, at, this.#end, column, interruptsText);
    if (content === 0) return null;
    this.#at = at;
    this.#column = column;
    this.#skipTo(content);
    return { kind: 'item', column: content };
  }

  #readLeaf(at: number, held: number, depth: number, isIndented: boolean, isInText: boolean, isOpened: boolean): void {
    const text = this.#text;
    const end = this.#end;
    const line = this.starts.length - 1;
    const isHeld = held === this.#containers.length;
    if (at === end) {
      if (isOpened) this.#begin('none', depth, TEXT | OPENS);
      // A quote's blank line: blank like any other.
      else this.starts.pop();
      return;
    }
    if (isIndented && !isInText) {
      if (this.#leaf === 'indented' && isHeld && !isOpened) this.#inside(this.#isAfterBlank ? GOOD_LINE : LINE, 0);
      else this.#beginIn(held, 'indented', depth, OPENS);
      return;
    }
    if (!isIndented) {
      const level = headingLevel(text, at, end);
      if (level > 0) {
        if (held === 0) {
          this.headings.set(line, { level, text: headingText(text.slice(at, end)) });
          this.#beginIn(0, 'heading', this.#isAfterHeading() ? BOUND : SECTION, OPENS);
        } else this.#beginIn(held, 'none', depth, OPENS);
        return;
      }
      const fence = fenceLength(text, at, end);
      if (fence > 0) {
        this.#fenceCode = text.charCodeAt(at);
        this.#fenceLength = fence;
        this.#beginIn(held, 'fence', depth, OPENS);
        return;
      }
      const htmlEnd = htmlBlockEnd(text, at, end);
      if (htmlEnd !== null) {
        this.#htmlEnd = htmlEnd;
        const isWhole = htmlEnd !== '' && this.#holdsHtmlEnd(at);
        this.#beginIn(held, isWhole ? 'none' : 'html', depth, OPENS);
        return;
      }
      if (isInText && isHeld && this.#convertText(line, at, end)) return;
      if (isThematicBreak(text, at, end)) {
        this.#beginIn(held, 'none', depth, TEXT | OPENS);
        return;
      }
      if (this.#leaf === 'table' && isHeld && !isOpened && !this.#isAfterBlank) {
        this.#rows++;
        this.#inside(this.#rows === 1 ? BOUND : ITEM, 0);
        return;
      }
    }
    // Text goes on even where it leaves out the signs of its containers.
    if (isInText) this.#inside(endsSentence(text, this.#previousEnd) ? GOOD_LINE : LINE, TEXT);
    else this.#beginIn(held, 'text', depth, TEXT | OPENS);
  }

  /** The line below text that makes it a heading or a table's header. */
  #convertText(line: number, at: number, end: number): boolean {
    const text = this.#text;
    const above = line - 1;
    const aboveStart = this.starts[above] ?? 0;
    const aboveOpens = ((this.flags[above] ?? 0) & OPENS) !== 0;
    const level = underlineLevel(text, at, end);
    if (level > 0 && aboveOpens && this.#containers.length === 0) {
      this.headings.set(above, { level, text: headingText(text.slice(aboveStart, this.#previousEnd)) });
      if (this.depths[above] !== BOUND) this.depths[above] = SECTION;
      this.flags[above] = OPENS;
      this.#leaf = 'heading';
      this.#inside(LINE, 0);
      return true;
    }
    if (isTableDelimiter(text, at, end) && text.slice(aboveStart, this.#previousEnd).includes('|')) {
      if (!aboveOpens) this.depths[above] = this.#containers.length * DEPTHS + BLOCK;
      this.flags[above] = OPENS;
      this.#leaf = 'table';
      this.#rows = 0;
      this.#inside(LINE, 0);
      return true;
    }
    return false;
  }

  #beginIn(held: number, leaf: Leaf, depth: number, flags: number): void {
    this.#close(held);
    this.#begin(leaf, depth, flags);
  }

  #begin(leaf: Leaf, depth: number, flags: number): void {
    this.#leaf = leaf;
    this.depths.push(depth);
    this.flags.push(flags);
  }
}
