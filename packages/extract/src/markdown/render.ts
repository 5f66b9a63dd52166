/**
 * The content of a page as markdown and text: walks its elements and tells the writer what they are. What is content was decided before
 * (`isDropped`); this knows HTML and the habits of generators, the writer knows markdown. Lines of text are `render-line.ts`.
 */
import { attribute, type Element } from '../dom/node.ts';
import { boxLabel, isBox, isBoxTitle, isLabel } from './boxes.ts';
import { codeLanguage, codeText } from './code.ts';
import { isBackReference } from './footnotes.ts';
import { formulaOf, mayBeMath } from './math.ts';
import { LineRenderer, type RenderContext } from './render-line.ts';
import { checkbox, holdsHeading, isOnlyTable, isPhrasingOnly } from './shapes.ts';
import { isLayoutTable, isTableOfDivs, tableOfDivs, tableRows } from './tables.ts';
import type { MarkdownWriter } from './writer.ts';

export interface Content {
  /** A heading that names the page and is no part of its text: an article is read without it. */
  readonly title: Element | null;
  /** In document order. */
  readonly roots: readonly Element[];
}

export function renderContent({ title, roots }: Content, context: RenderContext): MarkdownWriter {
  const renderer = new Renderer(context);
  if (title !== null) renderer.title(title);
  for (const root of roots) renderer.element(root);
  renderer.writer.endParagraph();
  return renderer.writer;
}

class Renderer extends LineRenderer {
  /** The label of the footnote that is being written. */
  #note: string | null = null;
  #isInBox = false;

  override element(element: Element): void {
    const { tag } = element;
    const { writer } = this;
    const { inline } = writer;
    if (element.isDropped) return;
    if (element.isAside && !writer.isQuiet) {
      this.quietly(element);
      return;
    }
    if (this.#note !== null && isBackReference(element, this.#note)) return;
    switch (tag.kind) {
      case 'phrase':
        this.phrase(element);
        return;
      case 'anchor':
        this.anchor(element);
        return;
      case 'code':
        this.code(element);
        return;
      case 'emphasis':
        this.marked('*', element);
        return;
      case 'strong':
        this.marked('**', element);
        return;
      case 'strike':
        this.marked('~~', element);
        return;
      case 'break':
        writer.lineBreak();
        return;
      case 'image':
        this.image(element);
        return;
      case 'block':
      case 'footer':
      case 'main':
      case 'article':
      case 'root':
        this.#block(element);
        return;
      case 'item':
        this.#item(element);
        return;
      case 'list':
        this.#list(element);
        return;
      case 'heading':
        this.#heading(element);
        return;
      case 'preformatted':
        writer.addCodeBlock(codeText(element), codeLanguage(element));
        return;
      case 'term':
        this.#term(element);
        return;
      case 'definition':
        writer.openDefinition();
        this.children(element);
        writer.closeIndent();
        return;
      case 'table':
        this.#table(element);
        return;
      case 'row':
        this.#layoutRow(element);
        return;
      case 'cell':
        // Of a table for layout, or of none.
        writer.endParagraph();
        this.children(element);
        writer.endParagraph();
        return;
      case 'blockquote':
        writer.openQuote();
        this.children(element);
        writer.closeIndent();
        return;
      case 'rule':
        writer.rule();
        return;
      case 'math':
        this.math(element);
        return;
      case 'script':
        this.formula(formulaOf(element));
        return;
      case 'other':
        if (element.name === 'mjx-container') this.math(element);
        else this.children(element);
        return;
      case 'frame':
        inline.append(' ');
        return;
      default:
        return;
    }
  }

  /** Also if it was dropped from where it stands. */
  title(heading: Element): void {
    const { writer } = this;
    writer.isQuiet = true;
    this.#heading(heading);
    writer.isQuiet = false;
  }

  /** Into the markdown only. */
  quietly(element: Element): void {
    const { writer } = this;
    writer.endParagraph();
    writer.isQuiet = true;
    this.element(element);
    writer.endParagraph();
    writer.isQuiet = false;
  }

  #heading(element: Element, level = element.name.charCodeAt(1) - 48): void {
    const { writer } = this;
    // Of headings inside each other the outer one counts.
    if (this.isInHeading) {
      this.children(element);
      return;
    }
    writer.openHeading(level);
    this.isInHeading = true;
    this.children(element);
    this.isInHeading = false;
    writer.closeHeading();
  }

  /** A `<dl>` without definitions is a list. */
  #term(element: Element): void {
    const { writer } = this;
    const isDefined = element.parent?.children.some((child) => child.tag?.kind === 'definition') ?? false;
    if (isDefined || element.parent?.name === 'div') writer.openTerm();
    else writer.openItem(null);
    this.children(element);
    if (isDefined || element.parent?.name === 'div') writer.closeTerm();
    else writer.closeIndent();
  }

  #block(element: Element): void {
    const { writer } = this;
    const className = attribute(element, 'class');
    if (this.isInHeading) {
      writer.inline.append(' ');
      this.children(element);
      writer.inline.append(' ');
      return;
    }
    writer.endParagraph();
    if (className !== null && this.#special(element, className)) return;
    if (element.name === 'summary' && isPhrasingOnly(element)) this.#label(element);
    else this.children(element);
    writer.endParagraph();
  }

  #label(element: Element): void {
    const { inline } = this.writer;
    inline.openMark('**');
    this.children(element);
    inline.closeMark('**');
    this.writer.endParagraph();
  }

  /** Blocks that their class makes something else. False if this is none. */
  #special(element: Element, className: string): boolean {
    const { writer } = this;
    const label = this.context.footnotes.notes.get(element);
    if (label !== undefined) {
      this.#footnote(element, label);
      return true;
    }
    if (this.context.footnotes.lists.has(element)) {
      this.#notesOf(element);
      return true;
    }
    if (className === 'line-block') {
      this.#lines(element);
      writer.endParagraph();
      return true;
    }
    if (className === 'title' && attribute(element.parent ?? element, 'class') === 'headertitle') {
      // doxygen's pages have no other title.
      this.#heading(element, 1);
      return true;
    }
    if (className === 'fragment') {
      writer.addCodeBlock(codeText(element), codeLanguage(element));
      return true;
    }
    if (mayBeMath(className)) {
      const formula = formulaOf(element);
      if (formula) {
        writer.addMathBlock(formula.tex);
        return true;
      }
    }
    if (isTableOfDivs(element, className)) {
      this.#rows(tableOfDivs(element));
      return true;
    }
    if (!this.#isInBox && isBox(element, className)) {
      this.#box(element, boxLabel(element, className));
      return true;
    }
    if (isLabel(className) || (this.#isInBox && isBoxTitle(element))) {
      this.#label(element);
      return true;
    }
    return false;
  }

  #box(element: Element, label: string | null): void {
    this.#isInBox = true;
    this.writer.openQuote();
    if (label !== null) this.writer.addLabel(label);
    this.children(element);
    this.writer.closeIndent();
    this.#isInBox = false;
  }

  #footnote(element: Element, label: string): void {
    const { writer } = this;
    writer.openFootnote(label);
    this.#note = label;
    this.isNoteStart = true;
    this.children(element);
    this.isNoteStart = false;
    this.#note = null;
    writer.closeIndent();
  }

  /** Of a list of notes, the notes: not its heading, nor the line above it. */
  #notesOf(element: Element): void {
    for (const child of element.children) {
      if (child.tag === null) continue;
      const label = this.context.footnotes.notes.get(child);
      if (label === undefined) this.#notesOf(child);
      else this.#footnote(child, label);
    }
  }

  /** docutils' verses: a line each. */
  #lines(element: Element): void {
    for (const child of element.children) {
      if (child.tag === null) continue;
      if (attribute(child, 'class') === 'line-block') this.#lines(child);
      else this.children(child);
      this.writer.lineBreak();
    }
  }

  #list(element: Element): void {
    const { writer } = this;
    const isOrdered = element.name === 'ol';
    const start = isOrdered ? Number.parseInt(attribute(element, 'start') ?? '1', 10) : 1;
    writer.openList(isOrdered, start >= 0 && start < 1e9 ? start : 1);
    this.children(element);
    writer.closeList();
  }

  #item(element: Element): void {
    const { writer } = this;
    const label = this.context.footnotes.notes.get(element);
    if (label !== undefined) {
      this.#footnote(element, label);
      return;
    }
    if (holdsHeading(element, 3) || isOnlyTable(element)) {
      // A list of sections is layout: a heading inside a list item is none to most readers.
      writer.endParagraph();
      this.children(element);
      writer.endParagraph();
      return;
    }
    writer.openItem(checkbox(element));
    this.children(element);
    writer.closeIndent();
  }

  #table(element: Element): void {
    const { writer } = this;
    const label = this.context.footnotes.notes.get(element);
    if (label !== undefined) {
      this.#footnote(element, label);
      return;
    }
    if (attribute(element, 'class') === 'memname') {
      // doxygen lays the signature of a function out as a table.
      writer.endParagraph();
      this.#inOneLine(element);
      writer.endParagraph();
      return;
    }
    if (this.context.outerTables.has(element) || isLayoutTable(element)) {
      writer.endParagraph();
      this.children(element);
      writer.endParagraph();
      return;
    }
    for (const child of element.children) {
      if (child.tag !== null && child.name === 'caption') this.element(child);
    }
    this.#rows(tableRows(element));
  }

  #rows(rows: ReturnType<typeof tableRows>): void {
    const { writer } = this;
    writer.openTable();
    for (const row of rows) {
      writer.openRow();
      for (const cell of row) {
        writer.openCell(cell);
        this.children(cell.element);
        writer.closeCell();
      }
    }
    writer.closeTable();
  }

  #inOneLine(element: Element): void {
    for (const child of element.children) {
      if (child.tag === null || child.isDropped) continue;
      if (child.tag.kind === 'cell') {
        this.children(child);
        this.writer.inline.append(' ');
      } else this.#inOneLine(child);
    }
  }

  /** Cells without blocks inside make one line, as they do on the page. */
  #layoutRow(element: Element): void {
    const { writer } = this;
    writer.endParagraph();
    const isLine = element.children.every((child) => child.tag === null || isPhrasingOnly(child));
    for (const child of element.children) {
      if (child.tag === null) continue;
      if (!isLine) this.element(child);
      else if (!child.isDropped) {
        this.children(child);
        writer.inline.append(' ');
      }
    }
    writer.endParagraph();
  }
}
