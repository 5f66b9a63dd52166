/**
 * One line of running text in the making, as markdown and as plain text. White space is held back until something
 * follows, and so are the marks of emphasis and links: a mark then always touches text, as markdown demands, and one
 * around nothing never appears.
 */
import { collapseSpace } from '../space.ts';
import { codeSpan, destination, escapeInline } from './escape.ts';

export type Mark = '*' | '**' | '~~' | '[';

const WORD_END = /[\p{L}\p{N})\]]/u;

export class InlineText {
  markdown = '';
  text = '';

  #hasSpace = false;
  #hasBreak = false;
  /** Marks open now, outermost first; the first `written` of them are in the markdown already. */
  readonly #marks: Mark[] = [];
  #written = 0;
  #linkUrl = '';
  #codeDepth = 0;
  #code = '';
  #endsInCode = false;
  /** Ends of marks that are not written yet: what follows may go on with the same mark. */
  #closers: Mark[] = [];
  /** The last sign of the markdown. Looking at the string itself would copy it, piece by piece: quadratic time for a long line. */
  #last = 0;
  /** A sign of exclamation that is not written yet: in front of a link it would make an image of it. */
  #hasBang = false;

  /** Off in headings and terms, which are strong as they are. */
  isEmphasisOn = true;

  isEmpty(): boolean {
    return this.markdown === '' && this.#code === '' && !this.#hasBang;
  }

  /** Whether what comes next touches a letter, a digit or a closing bracket. */
  endsInWord(): boolean {
    return !this.#hasSpace && WORD_END.test(String.fromCharCode(this.#last));
  }

  append(raw: string): void {
    if (this.#codeDepth > 0) {
      this.#code += raw;
      return;
    }
    const tidy = collapseSpace(raw);
    const startsInSpace = tidy.charCodeAt(0) === 32;
    if (startsInSpace) {
      this.#hasSpace = true;
      if (tidy.length === 1) return;
    }
    const endsInSpace = tidy.charCodeAt(tidy.length - 1) === 32;
    const core = startsInSpace || endsInSpace ? tidy.slice(startsInSpace ? 1 : 0, endsInSpace ? -1 : undefined) : tidy;
    if (core === '') return;
    const escaped = escapeInline(core, this.#marks.includes('['));
    // `[i](j)` in a text is no link, wherever its parts come from.
    const isTarget = core.charCodeAt(0) === 40 && !this.#hasSpace && this.#last === 93;
    const isBang = escaped.charCodeAt(escaped.length - 1) === 33 && !endsInSpace;
    this.#put((isTarget ? '\\' : '') + (isBang ? escaped.slice(0, -1) : escaped), core);
    this.#hasBang = isBang;
    this.#hasSpace = endsInSpace;
  }

  /** Markdown that is to stand as it is, such as a formula. */
  appendRaw(markdown: string, text: string): void {
    if (this.#codeDepth > 0) this.#code += text;
    else this.#put(markdown, text);
  }

  appendImage(alt: string, url: string): void {
    if (this.#codeDepth === 0) this.#put(`![${escapeInline(alt, true)}](${destination(url)})`, '');
  }

  /** True for the second break in a row, which is how many pages write a paragraph. */
  appendBreak(): boolean {
    if (this.#codeDepth > 0) this.#code += ' ';
    else if (this.#hasBreak) return true;
    else if (this.markdown !== '') this.#hasBreak = true;
    return false;
  }

  openMark(mark: Mark): void {
    if (this.#codeDepth > 0 || this.#marks.includes(mark) || (mark !== '[' && !this.isEmphasisOn)) return;
    this.#marks.push(mark);
  }

  /** Also inside code: the code before it is written, and what follows is code inside the link. */
  openLink(url: string): void {
    this.#writeCode();
    this.closeMark('[');
    this.#linkUrl = url;
    this.#marks.push('[');
  }

  closeLink(): void {
    this.#writeCode();
    this.closeMark('[');
  }

  /** Also ends what was opened inside and not closed. */
  closeMark(mark: Mark): void {
    const at = this.#marks.lastIndexOf(mark);
    if (at >= 0) this.#closeMarksFrom(at);
  }

  openCode(): void {
    this.#codeDepth++;
  }

  closeCode(): void {
    if (this.#codeDepth > 0 && --this.#codeDepth === 0) this.#writeCode();
  }

  /** Ends the line: all marks are closed, and the next one starts fresh. */
  take(): { markdown: string; text: string } {
    this.#writeCode();
    this.#codeDepth = 0;
    this.#closeMarksFrom(0);
    if (this.#hasBang) this.#writeBang(false);
    this.#flushClosers();
    const line = { markdown: this.markdown, text: this.text };
    this.markdown = '';
    this.text = '';
    this.#hasSpace = false;
    this.#hasBreak = false;
    this.#endsInCode = false;
    this.#last = 0;
    return line;
  }

  #writeCode(): void {
    if (this.#code === '') return;
    const raw = collapseSpace(this.#code);
    this.#code = '';
    const code = raw.trim();
    if (code === '') {
      this.#hasSpace = true;
      return;
    }
    // Two spans side by side would be read as one, unless a mark comes between them.
    if (raw.charCodeAt(0) === 32 || (this.#endsInCode && this.#written === this.#marks.length)) this.#hasSpace = true;
    this.#put(codeSpan(code), code);
    this.#endsInCode = true;
    this.#hasSpace = raw.charCodeAt(raw.length - 1) === 32;
  }

  #put(markdown: string, text: string): void {
    if (this.#hasBang) this.#writeBang(!this.#hasSpace && !this.#hasBreak && this.#marks[this.#written] === '[');
    if (this.#closers.length > 0) this.#writeClosers();
    if (this.markdown !== '') {
      if (this.#hasBreak) {
        this.markdown += '  \n';
        this.text += '\n';
      } else if (this.#hasSpace) {
        this.markdown += ' ';
        if (this.text !== '') this.text += ' ';
      }
    }
    while (this.#written < this.#marks.length) this.markdown += this.#marks[this.#written++];
    this.markdown += markdown;
    this.#last = markdown.charCodeAt(markdown.length - 1);
    this.text += text;
    this.#hasSpace = false;
    this.#hasBreak = false;
    this.#endsInCode = false;
  }

  /** `*a**b*` is no emphasis to any reader: where the same mark opens again at once, it was never closed. */
  #writeClosers(): void {
    if (!this.#hasSpace && !this.#hasBreak) {
      while (this.#closers.length > 0 && this.#closers.at(-1) === this.#marks[this.#written]) {
        this.#closers.pop();
        this.#written++;
      }
    }
    this.#flushClosers();
  }

  #flushClosers(): void {
    for (const mark of this.#closers) this.markdown += mark;
    if (this.#closers.length > 0) this.#closers = [];
  }

  #writeBang(isBeforeLink: boolean): void {
    this.markdown += isBeforeLink ? '\\!' : '!';
    this.#hasBang = false;
  }

  #closeMarksFrom(at: number): void {
    if (this.#hasBang && this.#marks.length > at) this.#writeBang(false);
    while (this.#marks.length > at) {
      const mark = this.#marks.pop();
      if (this.#marks.length >= this.#written) continue;
      this.#written = this.#marks.length;
      if (mark === undefined) return;
      if (mark === '[') {
        this.#flushClosers();
        this.markdown += `](${destination(this.#linkUrl)})`;
        this.#last = 0;
      } else this.#closers.push(mark);
      this.#endsInCode = false;
    }
  }
}
