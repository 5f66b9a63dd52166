/**
 * What stands ahead of the first element: white space, comments, instructions, a document type. Skipped here rather than by
 * the tokenizer, for which a document type ends at the first `>` even within a declaration: `<!ENTITY e "<url>…">` would give
 * elements. Nothing that a document type declares is kept, let alone expanded or fetched.
 *
 *   around    between the parts of the prolog, where the first element ends it
 *   doctype   in `<!DOCTYPE … >`, whose subset in brackets may hold declarations
 *   quoted    in a literal of the document type
 *   comment, instruction   in either of the first two, to which they lead back
 */

type Place = 'around' | 'doctype' | 'quoted' | 'comment' | 'instruction';

/** Enough to tell by what begins at a `<`, `<!DOCTYPE html>` with some space in it included. */
const LOOK_AHEAD_CHARS = 32;
const STARTS = ['<?', '<!--', '<!doctype', '<!entity'];
const HTML_DOCTYPE = /^<!doctype\s+html[\s>]/i;
const DOCTYPE_SIGN = /["'[\]>]|<(?=[!?]|$)/g;

export class Prolog {
  declaresEntities = false;
  hasHtmlDoctype = false;
  /** Something other than white space stands between its parts. */
  hasText = false;

  #place: Place = 'around';
  #isInDoctype = false;
  #isInSubset = false;
  #quote = '';
  /** Too short to tell what it begins. */
  #carry = '';

  /** Null while the prolog lasts; then what begins with the first element. */
  skip(chunk: string): string | null {
    const text = this.#carry + chunk;
    this.#carry = '';
    let at = 0;
    while (at < text.length) {
      switch (this.#place) {
        case 'around': {
          const start = text.indexOf('<', at);
          if (/\S/.test(text.slice(at, start < 0 ? undefined : start))) this.hasText = true;
          if (start < 0) return null;
          if (this.#carriesUndecided(text, start)) return null;
          at = this.#enter(text, start);
          if (at < 0) return text.slice(start);
          break;
        }
        case 'doctype':
          at = this.#readDoctype(text, at);
          break;
        case 'quoted':
          at = this.#skipPast(this.#quote, text, at);
          break;
        case 'comment':
          at = this.#skipPast('-->', text, at);
          break;
        case 'instruction':
          at = this.#skipPast('?>', text, at);
          break;
      }
    }
    return null;
  }

  /** Goes where the markup at `start` leads; where to read on, or -1 for an element. */
  #enter(text: string, start: number): number {
    const ahead = text.slice(start, start + LOOK_AHEAD_CHARS).toLowerCase();
    if (ahead.startsWith('<!--')) {
      this.#place = 'comment';
      return start + 4;
    }
    if (ahead.startsWith('<?')) {
      this.#place = 'instruction';
      return start + 2;
    }
    if (this.#isInDoctype) {
      if (ahead.startsWith('<!entity')) this.declaresEntities = true;
      return start + 1;
    }
    if (!ahead.startsWith('<!doctype')) return -1;
    this.hasHtmlDoctype ||= HTML_DOCTYPE.test(ahead);
    this.#place = 'doctype';
    this.#isInDoctype = true;
    return start + '<!doctype'.length;
  }

  #readDoctype(text: string, from: number): number {
    DOCTYPE_SIGN.lastIndex = from;
    const found = DOCTYPE_SIGN.exec(text);
    if (!found) return text.length;
    const at = found.index;
    switch (found[0]) {
      case '<':
        return this.#carriesUndecided(text, at) ? text.length : this.#enter(text, at);
      case '[':
        this.#isInSubset = true;
        break;
      case ']':
        this.#isInSubset = false;
        break;
      case '>':
        if (this.#isInSubset) break;
        this.#isInDoctype = false;
        this.#place = 'around';
        break;
      default:
        this.#quote = found[0];
        this.#place = 'quoted';
    }
    return at + 1;
  }

  #skipPast(end: string, text: string, from: number): number {
    const at = text.indexOf(end, from);
    if (at < 0) {
      // The end itself may be split.
      if (end.length > 1) this.#carry = text.slice(Math.max(from, text.length - end.length + 1));
      return text.length;
    }
    this.#place = this.#isInDoctype ? 'doctype' : 'around';
    return at + end.length;
  }

  /** Whether the text ends before it can be told what begins at `start`; it is then kept for the next chunk. */
  #carriesUndecided(text: string, start: number): boolean {
    const ahead = text.slice(start, start + LOOK_AHEAD_CHARS).toLowerCase();
    if (ahead.length === LOOK_AHEAD_CHARS) return false;
    const isOpen = STARTS.some((known) => known.startsWith(ahead));
    // Which document type it is takes a few characters more.
    const isDoctype = !this.#isInDoctype && ahead.startsWith('<!doctype') && !/[>[]/.test(ahead);
    if (isOpen || isDoctype) this.#carry = text.slice(start);
    return isOpen || isDoctype;
  }
}
