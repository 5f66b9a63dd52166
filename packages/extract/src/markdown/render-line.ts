/**
 * What stands in a line: text, links, code, emphasis, images, formulas. Blocks are `render.ts`, which builds on this; what markdown looks
 * like is the writer's.
 */
import { attribute, type Element, rawText } from '../dom/node.ts';
import { collapseSpace } from '../space.ts';
import { codeLanguage, codeText } from './code.ts';
import type { Footnotes } from './footnotes.ts';
import { type Formula, formulaOf, mayBeMath, splitFormulas } from './math.ts';
import { holdsLink, imageSource, isCodeBlock, isLanguageOf, isPermalink, isWhole } from './shapes.ts';
import { MarkdownWriter } from './writer.ts';

export interface RenderContext {
  readonly footnotes: Footnotes;
  /** Tables that hold tables or headings. */
  readonly outerTables: ReadonlySet<Element>;
  /** Whether a script of the page makes formulas of what stands between `\\(` and `\\)`. */
  readonly hasFormulas: boolean;
  /** An absolute URL, or null for what is none. */
  readonly resolve: (href: string) => string | null;
}

const EMOJI_CLASS = /(?:^|\s)(?:emoji|wp-smiley)(?:\s|$)/;
/** Buttons and notes of documentation tools that are links or texts by themselves. */
const BESIDE = /(?:^|\s)(?:src|srclink|viewcode-back|lang|sr-only|visually-hidden|screen-reader-text|copybtn)(?:\s|$)/;
/** `<sup>` after these is an exponent, and lost in plain text; after a word it is an ordinal or a note. */
const RAISED = /^[\w+−-]{1,8}$/u;
const ORDINAL = /^(?:st|nd|rd|th|e|er|re|ème|o|a|tm|sm|®|™|©)$/i;

export abstract class LineRenderer {
  readonly writer = new MarkdownWriter();
  protected readonly context: RenderContext;
  protected isInHeading = false;
  /** At the very start of a footnote, where the page repeats its label. */
  protected isNoteStart = false;

  constructor(context: RenderContext) {
    this.context = context;
  }

  abstract element(element: Element): void;

  protected children(element: Element): void {
    for (const child of element.children) {
      if (child.tag === null) this.#text(child.data);
      else this.element(child);
    }
  }

  #text(data: string): void {
    const { inline } = this.writer;
    if (this.isNoteStart) {
      const rest = data.replace(/^[\s.:\])]+/, '');
      if (rest === '') return;
      this.isNoteStart = false;
      inline.append(rest);
    } else if (this.context.hasFormulas && /\\[([]|\$\$/.test(data)) {
      for (const part of splitFormulas(data)) {
        if (typeof part === 'string') inline.append(part);
        else this.formula(part);
      }
    } else inline.append(data);
  }

  protected phrase(element: Element): void {
    const className = attribute(element, 'class');
    if (className !== null && this.#specialPhrase(element, className)) return;
    switch (element.name) {
      case 'sup':
      case 'sub':
        this.#raised(element);
        return;
      case 'q':
        this.writer.inline.append('“');
        this.children(element);
        this.writer.inline.append('”');
        return;
      default:
        this.children(element);
    }
  }

  #specialPhrase(element: Element, className: string): boolean {
    const { inline } = this.writer;
    if (mayBeMath(className)) {
      const formula = formulaOf(element);
      this.formula(formula);
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
    else this.children(element);
  }

  protected marked(mark: '*' | '**' | '~~', element: Element): void {
    this.writer.inline.openMark(mark);
    this.children(element);
    this.writer.inline.closeMark(mark);
  }

  protected code(element: Element): void {
    const { writer } = this;
    if (isCodeBlock(element)) {
      writer.addCodeBlock(codeText(element), codeLanguage(element));
      return;
    }
    writer.inline.openCode();
    this.children(element);
    writer.inline.closeCode();
  }

  protected anchor(element: Element): void {
    const { inline } = this.writer;
    const href = attribute(element, 'href');
    const className = attribute(element, 'class');
    if (className !== null && BESIDE.test(className)) return;
    const hash = href?.indexOf('#') ?? -1;
    // A whole heading that leads to the page itself leads back to its contents; `#` alone leads nowhere.
    const isOwn = hash === 0 && (href === '#' || (this.isInHeading && isWhole(element))) && !isPermalink(element);
    if (href === null || element.target === null || isOwn) {
      this.children(element);
      return;
    }
    if (hash >= 0) {
      const label = this.context.footnotes.labels.get(href.slice(hash + 1));
      if (label !== undefined && hash === 0) {
        inline.appendRaw(`[^${label}]`, '');
        return;
      }
      if (isPermalink(element)) return;
    }
    inline.openLink(element.target);
    this.children(element);
    inline.closeLink();
  }

  protected image(element: Element): void {
    const { inline } = this.writer;
    const alt = collapseSpace(attribute(element, 'alt') ?? '').trim();
    const className = attribute(element, 'class');
    if (className !== null && EMOJI_CLASS.test(className)) {
      inline.append(alt);
      return;
    }
    if (attribute(element, 'width') === '1' || attribute(element, 'height') === '1') return;
    const source = imageSource(element);
    const url = source === null ? null : this.context.resolve(source);
    if (url !== null) inline.appendImage(alt, url);
  }

  protected math(element: Element): void {
    const formula = formulaOf(element);
    if (formula) this.formula(formula);
    // Presentation only: its letters and signs, as a line of text.
    else this.writer.inline.append(collapseSpace(rawText(element)));
  }

  protected formula(formula: Formula | null): void {
    if (formula === null) return;
    if (formula.isBlock) this.writer.addMathBlock(formula.tex);
    else this.writer.inline.appendRaw(`$${collapseSpace(formula.tex)}$`, formula.tex);
  }
}
