/**
 * One line of running text in the making, as markdown and as plain text. White space is held back until something
 * follows, and so are the marks of emphasis and links: a mark then always touches text, as markdown demands, and one
 * around nothing never appears.
 */
import { codeSpan, destination, escapeInline } from './escape.ts';
import { collapseSpace } from './space.ts';

export type Mark = '*' | '**' | '~~' | '[';

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

  /** Off in headings and terms, which are strong as they are. */
  isEmphasisOn = true;

  isEmpty(): boolean {
    return this.markdown === '' && this.#code === '';
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
    this.#put(escapeInline(core), core);
    this.#hasSpace = endsInSpace;
  }

  appendImage(alt: string, url: string): void {
    if (this.#codeDepth === 0) this.#put(`![${escapeInline(alt)}](${destination(url)})`, '');
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

  openLink(url: string): void {
    this.closeMark('[');
    this.#linkUrl = url;
    this.openMark('[');
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
    if (this.#codeDepth > 0) {
      this.#codeDepth = 0;
      this.#writeCode();
    }
    this.#closeMarksFrom(0);
    const line = { markdown: this.markdown, text: this.text };
    this.markdown = '';
    this.text = '';
    this.#hasSpace = false;
    this.#hasBreak = false;
    this.#endsInCode = false;
    return line;
  }

  #writeCode(): void {
    const raw = collapseSpace(this.#code);
    this.#code = '';
    const code = raw.trim();
    if (code === '') {
      if (raw !== '') this.#hasSpace = true;
      return;
    }
    if (raw.charCodeAt(0) === 32 || this.#endsInCode) this.#hasSpace = true;
    this.#put(codeSpan(code), code);
    this.#endsInCode = true;
    this.#hasSpace = raw.charCodeAt(raw.length - 1) === 32;
  }

  #put(markdown: string, text: string): void {
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
    this.text += text;
    this.#hasSpace = false;
    this.#hasBreak = false;
    this.#endsInCode = false;
  }

  #closeMarksFrom(at: number): void {
    while (this.#marks.length > at) {
      const mark = this.#marks.pop();
      if (this.#marks.length >= this.#written) continue;
      this.#written = this.#marks.length;
      this.markdown += mark === '[' ? `](${destination(this.#linkUrl)})` : mark;
      this.#endsInCode = false;
    }
  }
}
