/**
 * The content of a page as markdown and text: walks its elements and tells the writer what they are. What is content was decided before
 * (`isDropped`); this knows HTML and the habits of generators, the writer knows markdown.
 */
import { attribute, type Element, type Node, rawText } from '../dom/node.ts';
import { collapseSpace } from '../space.ts';
import { boxLabel, isBox, isBoxTitle, isLabel } from './boxes.ts';
import { codeLanguage, codeText } from './code.ts';
import { type Footnotes, isBackReference } from './footnotes.ts';
import { type Formula, formulaOf, mayBeMath, splitFormulas } from './math.ts';
import { isLayoutTable, isTableOfDivs, tableOfDivs, tableRows } from './tables.ts';
import { MarkdownWriter } from './writer.ts';

export interface Content {
  /** A heading that names the page and is no part of its text: an article is read without it. */
  readonly title: Element | null;
  /** In document order. */
  readonly roots: readonly Element[];
}

export interface RenderContext {
  readonly footnotes: Footnotes;
  /** Tables that hold tables or headings. */
  readonly outerTables: ReadonlySet<Element>;
  /** Whether a script of the page makes formulas of what stands between `\\(` and `\\)`. */
  readonly hasFormulas: boolean;
  /** An absolute URL, or null for what is none. */
  readonly resolve: (href: string) => string | null;
}

/** What documentation tools put behind a heading to link to it. */
const PERMALINK_SIGN = /^(?:[\s¶#§🔗⚓∞◆\u200b]|\uFE0F)*$/u;
const PERMALINK_CLASS =
  /(?:^|\s)(?:headerlink|hash-link|header-anchor|anchorjs-link|heading-anchor|permalink|copiable-link|anchor|doc-anchor)(?:\s|$)/;
const EMOJI_CLASS = /(?:^|\s)(?:emoji|wp-smiley)(?:\s|$)/;
/** Buttons and notes of documentation tools that are links or texts by themselves. */
const BESIDE = /(?:^|\s)(?:src|srclink|viewcode-back|lang|sr-only|visually-hidden|screen-reader-text|copybtn)(?:\s|$)/;
/** `<sup>` after these is an exponent, and lost in plain text; after a word it is an ordinal or a note. */
const RAISED = /^[\w+−-]{1,8}$/u;
const ORDINAL = /^(?:st|nd|rd|th|e|er|re|ème|o|a|tm|sm|®|™|©)$/i;

export function renderContent({ title, roots }: Content, context: RenderContext): MarkdownWriter {
  const renderer = new Renderer(context);
  if (title !== null) renderer.title(title);
  for (const root of roots) renderer.element(root);
  renderer.writer.endParagraph();
  return renderer.writer;
}

class Renderer {
  readonly writer = new MarkdownWriter();
  readonly #context: RenderContext;
  /** The label of the footnote that is being written. */
  #note: string | null = null;
  #isInBox = false;
  #isInHeading = false;
  /** At the very start of a footnote, where the page repeats its label. */
  #isNoteStart = false;

  constructor(context: RenderContext) {
    this.#context = context;
  }

  element(element: Element): void {
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
        this.#phrase(element);
        return;
      case 'anchor':
        this.#anchor(element);
        return;
      case 'code':
        this.#code(element);
        return;
      case 'emphasis':
        this.#marked('*', element);
        return;
      case 'strong':
        this.#marked('**', element);
        return;
      case 'strike':
        this.#marked('~~', element);
        return;
      case 'break':
        writer.lineBreak();
        return;
      case 'image':
        this.#image(element);
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
        this.#children(element);
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
        this.#children(element);
        writer.endParagraph();
        return;
      case 'blockquote':
        writer.openQuote();
        this.#children(element);
        writer.closeIndent();
        return;
      case 'rule':
        writer.rule();
        return;
      case 'math':
        this.#math(element);
        return;
      case 'script':
        this.#formula(formulaOf(element));
        return;
      case 'other':
        if (element.name === 'mjx-container') this.#math(element);
        else this.#children(element);
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

  #children(element: Element): void {
    for (const child of element.children) {
      if (child.tag === null) this.#text(child.data);
      else this.element(child);
    }
  }

  #text(data: string): void {
    const { inline } = this.writer;
    if (this.#isNoteStart) {
      const rest = data.replace(/^[\s.:\])]+/, '');
      if (rest === '') return;
      this.#isNoteStart = false;
      inline.append(rest);
    } else if (this.#context.hasFormulas && /\\[([]|\$\$/.test(data)) {
      for (const part of splitFormulas(data)) {
        if (typeof part === 'string') inline.append(part);
        else this.#formula(part);
      }
    } else inline.append(data);
  }

  #heading(element: Element, level = element.name.charCodeAt(1) - 48): void {
    const { writer } = this;
    // Of headings inside each other the outer one counts.
    if (this.#isInHeading) {
      this.#children(element);
      return;
    }
    writer.openHeading(level);
    this.#isInHeading = true;
    this.#children(element);
    this.#isInHeading = false;
    writer.closeHeading();
  }

  /** A `<dl>` without definitions is a list. */
  #term(element: Element): void {
    const { writer } = this;
    const isDefined = element.parent?.children.some((child) => child.tag?.kind === 'definition') ?? false;
    if (isDefined || element.parent?.name === 'div') writer.openTerm();
    else writer.openItem(null);
    this.#children(element);
    if (isDefined || element.parent?.name === 'div') writer.closeTerm();
    else writer.closeIndent();
  }

  #block(element: Element): void {
    const { writer } = this;
    const className = attribute(element, 'class');
    if (this.#isInHeading) {
      writer.inline.append(' ');
      this.#children(element);
      writer.inline.append(' ');
      return;
    }
    writer.endParagraph();
    if (className !== null && this.#special(element, className)) return;
    if (element.name === 'summary' && isPhrasingOnly(element)) this.#label(element);
    else this.#children(element);
    writer.endParagraph();
  }

  #label(element: Element): void {
    const { inline } = this.writer;
    inline.openMark('**');
    this.#children(element);
    inline.closeMark('**');
    this.writer.endParagraph();
  }

  /** Blocks that their class makes something else. False if this is none. */
  #special(element: Element, className: string): boolean {
    const { writer } = this;
    const label = this.#context.footnotes.notes.get(element);
    if (label !== undefined) {
      this.#footnote(element, label);
      return true;
    }
    if (this.#context.footnotes.lists.has(element)) {
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
    this.#children(element);
    this.writer.closeIndent();
    this.#isInBox = false;
  }

  #footnote(element: Element, label: string): void {
    const { writer } = this;
    writer.openFootnote(label);
    this.#note = label;
    this.#isNoteStart = true;
    this.#children(element);
    this.#isNoteStart = false;
    this.#note = null;
    writer.closeIndent();
  }

  /** Of a list of notes, the notes: not its heading, nor the line above it. */
  #notesOf(element: Element): void {
    for (const child of element.children) {
      if (child.tag === null) continue;
      const label = this.#context.footnotes.notes.get(child);
      if (label === undefined) this.#notesOf(child);
      else this.#footnote(child, label);
    }
  }

  /** docutils' verses: a line each. */
  #lines(element: Element): void {
    for (const child of element.children) {
      if (child.tag === null) continue;
      if (attribute(child, 'class') === 'line-block') this.#lines(child);
      else this.#children(child);
      this.writer.lineBreak();
    }
  }

  #phrase(element: Element): void {
    const className = attribute(element, 'class');
    if (className !== null && this.#specialPhrase(element, className)) return;
    switch (element.name) {
      case 'sup':
      case 'sub':
        this.#raised(element);
        return;
      case 'q':
        this.writer.inline.append('“');
        this.#children(element);
        this.writer.inline.append('”');
        return;
      default:
        this.#children(element);
    }
  }

  #specialPhrase(element: Element, className: string): boolean {
    const { inline } = this.writer;
    if (mayBeMath(className)) {
      const formula = formulaOf(element);
      this.#formula(formula);
      return formula !== null;
    }
    if (className === 'classifier') inline.append(' : ');
    // The page's own brackets around a reference.
    if (element.name === 'sup' && className.includes('footnote')) {
      for (const child of element.children) if (child.tag !== null) this.element(child);
      return true;
    }
    return BESIDE.test(className) && (className !== 'lang' || isLanguageOf(element));
  }

  /** GFM has no exponents but HTML's, and `2<sup>10</sup>` must not become 210. */
  #raised(element: Element): void {
    const { inline } = this.writer;
    const text = element.children.length <= 3 ? rawText(element).trim() : '';
    if (RAISED.test(text) && !ORDINAL.test(text) && inline.endsInWord() && !holdsLink(element))
      inline.appendRaw(`<${element.name}>${text}</${element.name}>`, text);
    else this.#children(element);
  }

  #marked(mark: '*' | '**' | '~~', element: Element): void {
    this.writer.inline.openMark(mark);
    this.#children(element);
    this.writer.inline.closeMark(mark);
  }

  #code(element: Element): void {
    const { writer } = this;
    if (isCodeBlock(element)) {
      writer.addCodeBlock(codeText(element), codeLanguage(element));
      return;
    }
    writer.inline.openCode();
    this.#children(element);
    writer.inline.closeCode();
  }

  #anchor(element: Element): void {
    const { inline } = this.writer;
    const href = attribute(element, 'href');
    const className = attribute(element, 'class');
    if (className !== null && BESIDE.test(className)) return;
    const hash = href?.indexOf('#') ?? -1;
    // A whole heading that leads to the page itself leads back to its contents; `#` alone leads nowhere.
    const isOwn = hash === 0 && (href === '#' || (this.#isInHeading && isWhole(element))) && !isPermalink(element);
    if (href === null || element.target === null || isOwn) {
      this.#children(element);
      return;
    }
    if (hash >= 0) {
      const label = this.#context.footnotes.labels.get(href.slice(hash + 1));
      if (label !== undefined && hash === 0) {
        inline.appendRaw(`[^${label}]`, '');
        return;
      }
      if (isPermalink(element)) return;
    }
    inline.openLink(element.target);
    this.#children(element);
    inline.closeLink();
  }

  #image(element: Element): void {
    const { inline } = this.writer;
    const alt = collapseSpace(attribute(element, 'alt') ?? '').trim();
    const className = attribute(element, 'class');
    if (className !== null && EMOJI_CLASS.test(className)) {
      inline.append(alt);
      return;
    }
    if (attribute(element, 'width') === '1' || attribute(element, 'height') === '1') return;
    const source = imageSource(element);
    const url = source === null ? null : this.#context.resolve(source);
    if (url !== null) inline.appendImage(alt, url);
  }

  #list(element: Element): void {
    const { writer } = this;
    const isOrdered = element.name === 'ol';
    const start = isOrdered ? Number.parseInt(attribute(element, 'start') ?? '1', 10) : 1;
    writer.openList(isOrdered, start >= 0 && start < 1e9 ? start : 1);
    this.#children(element);
    writer.closeList();
  }

  #item(element: Element): void {
    const { writer } = this;
    const label = this.#context.footnotes.notes.get(element);
    if (label !== undefined) {
      this.#footnote(element, label);
      return;
    }
    if (holdsHeading(element, 3) || isOnlyTable(element)) {
      // A list of sections is layout: a heading inside a list item is none to most readers.
      writer.endParagraph();
      this.#children(element);
      writer.endParagraph();
      return;
    }
    writer.openItem(checkbox(element));
    this.#children(element);
    writer.closeIndent();
  }

  #table(element: Element): void {
    const { writer } = this;
    const label = this.#context.footnotes.notes.get(element);
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
    if (this.#context.outerTables.has(element) || isLayoutTable(element)) {
      writer.endParagraph();
      this.#children(element);
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
        this.#children(cell.element);
        writer.closeCell();
      }
    }
    writer.closeTable();
  }

  #inOneLine(element: Element): void {
    for (const child of element.children) {
      if (child.tag === null || child.isDropped) continue;
      if (child.tag.kind === 'cell') {
        this.#children(child);
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
        this.#children(child);
        writer.inline.append(' ');
      }
    }
    writer.endParagraph();
  }

  #math(element: Element): void {
    const formula = formulaOf(element);
    if (formula) this.#formula(formula);
    // Presentation only: its letters and signs, as a line of text.
    else this.writer.inline.append(collapseSpace(rawText(element)));
  }

  #formula(formula: Formula | null): void {
    if (formula === null) return;
    if (formula.isBlock) this.writer.addMathBlock(formula.tex);
    else this.writer.inline.appendRaw(`$${collapseSpace(formula.tex)}$`, formula.tex);
  }
}

/** A `<code>` of several lines that stands for itself is a block, though nobody wrote `<pre>`. */
function isCodeBlock(element: Element): boolean {
  const { parent } = element;
  if (parent === null || parent.tag.isPhrasing || parent.tag.kind === 'heading') return false;
  const isAlone = parent.children.every(
    (child) => child === element || (child.tag === null && child.data.trim() === ''),
  );
  return isAlone && element.children.some((child) => child.tag?.kind === 'break');
}

const isPhrasingOnly = (element: Element): boolean =>
  element.children.every((child) => child.tag === null || (child.tag.isPhrasing && isPhrasingOnly(child)));

/** Whether a link is all that the element around it says. */
const isWhole = (anchor: Element): boolean =>
  anchor.parent !== null && rawText(anchor).trim().length >= rawText(anchor.parent).trim().length - 2;

const holdsLink = (element: Element): boolean =>
  element.children.some((child) => child.tag !== null && (child.tag.kind === 'anchor' || holdsLink(child)));

/** VitePress writes the language above the code. */
const isLanguageOf = (element: Element): boolean =>
  (attribute(element.parent ?? element, 'class') ?? '').includes('language-');

/** A list whose items are tables is layout. */
function isOnlyTable(item: Element, depth = 3): boolean {
  let hasTable = false;
  for (const child of item.children) {
    if (child.tag === null) {
      if (child.data.trim() !== '') return false;
    } else if (child.tag.isPhrasing) return false;
    else if (child.tag.kind === 'table' || isTableOfDivs(child, attribute(child, 'class') ?? '')) hasTable = true;
    else if (child.tag.kind === 'block' && depth > 1 && isOnlyTable(child, depth - 1)) hasTable = true;
  }
  return hasTable;
}

function isPermalink(element: Element): boolean {
  if (element.children.length > 3) return false;
  const className = attribute(element, 'class');
  const text = rawText(element);
  if (text.length <= 6 && PERMALINK_SIGN.test(text)) return !hasImage(element);
  return className !== null && PERMALINK_CLASS.test(className) && text.trim().length <= 2;
}

function holdsHeading(element: Element, depth: number): boolean {
  return element.children.some((child) => {
    if (child.tag === null || child.tag.isPhrasing) return false;
    return child.tag.kind === 'heading' || (depth > 1 && child.tag.kind === 'block' && holdsHeading(child, depth - 1));
  });
}

const hasImage = (element: Element): boolean =>
  element.children.some((child) => child.tag !== null && (child.tag.kind === 'image' || hasImage(child)));

function imageSource(element: Element): string | null {
  for (const name of ['src', 'data-src', 'data-original', 'data-lazy-src']) {
    const source = attribute(element, name);
    if (source !== null && source !== '' && !source.startsWith('data:')) return source;
  }
  const first = (attribute(element, 'srcset') ?? attribute(element, 'data-srcset'))?.trim().split(/[\s,]/, 1)[0];
  return first && !first.startsWith('data:') ? first : null;
}

/** `[ ]` or `[x]` where the item begins with a box to tick. */
function checkbox(item: Element): string | null {
  let node: Node | undefined = item;
  for (let depth = 0; depth < 3 && node?.tag; depth++) {
    node = node.children.find((child) => child.tag !== null || child.data.trim() !== '');
    if (node?.tag && node.name === 'input') {
      if (attribute(node, 'type') !== 'checkbox') return null;
      return Object.hasOwn(node.attribs, 'checked') ? '[x]' : '[ ]';
    }
  }
  return null;
}
