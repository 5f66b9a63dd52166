/**
 * HTML to a balanced stream of elements and text. Sits on htmlparser2's tokenizer rather than its parser, which shifts
 * an array as long as the nesting on every tag and builds an object per tag (see ADR 0003). Knows what opening an element
 * ends, and how deep a page may nest; not what an element means for the page.
 */
import { decodeHTML, decodeHTMLAttribute } from 'entities';
import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';
import { hasCapital, TAG_COUNT, type Tag, tagNamed } from './tags.ts';

/** What a handler may keep with an open element and gets back when it ends; 0 for nothing. */
export type ElementMark = number;

export interface MarkupHandler {
  /** A mark other than 0 keeps even a phrasing element on the stack, so that its own end is found. */
  open(tag: Tag, attributes: Attributes): ElementMark;
  close(tag: Tag, mark: ElementMark): void;
  /** Entities are decoded, white space is as in the source. */
  text(text: string): void;
}

/** The attributes of the element that is being opened. */
export interface Attributes {
  get(name: AttributeName): string | null;
}

const ATTRIBUTE_NAMES = [
  ...([
    'href',
    'rel',
    'src',
    'alt',
    'class',
    'role',
    'hidden',
    'style',
    'aria-hidden',
    'lang',
    'name',
    'content',
  ] as const),
  ...(['property', 'itemprop', 'http-equiv', 'type', 'start', 'colspan', 'data-src'] as const),
];
type AttributeName = (typeof ATTRIBUTE_NAMES)[number];
const SLOTS: ReadonlyMap<string, number> = new Map(ATTRIBUTE_NAMES.map((name, slot) => [name, slot]));

/** As in browsers. Deeper elements lose their structure, never their text. */
const MAX_DEPTH = 512;

export function readMarkup(html: string, handler: MarkupHandler): void {
  const reader = new MarkupReader(html, handler);
  // Entities are decoded here, slice by slice: the tokenizer then skips through text instead of looking at each sign.
  const tokenizer = new Tokenizer({ decodeEntities: false }, reader);
  tokenizer.write(html);
  tokenizer.end();
}

class MarkupReader implements TokenizerCallbacks, Attributes {
  readonly #html: string;
  readonly #handler: MarkupHandler;

  /** Open elements, outermost first, their marks, and how many there are by tag: an end without a start costs nothing. */
  readonly #open: Tag[] = [];
  readonly #marks: ElementMark[] = [];
  readonly #openOf = new Int32Array(TAG_COUNT);
  /** Elements open beyond the depth limit: as many ends belong to them. */
  #beyond = 0;
  #foreign = 0;

  #tag: Tag | null = null;
  #slot = -1;
  /** Where the value of each attribute of the current tag lies, valid where the stamp is the tag's own. */
  readonly #starts = new Int32Array(SLOTS.size);
  readonly #ends = new Int32Array(SLOTS.size);
  readonly #stamps = new Int32Array(SLOTS.size);
  #stamp = 0;
  #hasAttributes = false;

  constructor(html: string, handler: MarkupHandler) {
    this.#html = html;
    this.#handler = handler;
  }

  get(name: AttributeName): string | null {
    if (!this.#hasAttributes) return null;
    const slot = SLOTS.get(name) ?? -1;
    if (this.#stamps[slot] !== this.#stamp) return null;
    const value = this.#html.slice(this.#starts[slot], this.#ends[slot]);
    return value.includes('&') ? decodeHTMLAttribute(value) : value;
  }

  onopentagname(start: number, end: number): void {
    this.#tag = tagNamed(this.#html.slice(start, end));
    this.#stamp++;
    this.#hasAttributes = false;
  }

  onattribname(start: number, end: number): void {
    if (this.#tag === null) return;
    const name = this.#html.slice(start, end);
    const slot = SLOTS.get(name) ?? (hasCapital(name) ? SLOTS.get(name.toLowerCase()) : undefined) ?? -1;
    // The first of two equal attributes counts.
    this.#slot = slot >= 0 && this.#stamps[slot] === this.#stamp ? -1 : slot;
    if (this.#slot < 0) return;
    this.#hasAttributes = true;
    this.#stamps[slot] = this.#stamp;
    this.#starts[slot] = end;
    this.#ends[slot] = end;
  }

  onattribdata(start: number, end: number): void {
    if (this.#slot < 0) return;
    this.#starts[this.#slot] = start;
    this.#ends[this.#slot] = end;
  }

  onattribend(): void {
    this.#slot = -1;
  }

  onopentagend(): void {
    const tag = this.#tag;
    this.#tag = null;
    if (tag !== null) this.#openElement(tag);
  }

  onselfclosingtag(): void {
    const tag = this.#tag;
    this.onopentagend();
    // Only foreign elements can close themselves; `<div/>` is just `<div>`.
    if (tag !== null && !tag.isVoid && (tag.name === 'svg' || this.#foreign > 0)) this.#closeElement(tag);
  }

  onclosetag(start: number, end: number): void {
    const tag = tagNamed(this.#html.slice(start, end));
    if (tag !== null && !tag.isVoid) this.#closeElement(tag);
  }

  ontext(start: number, end: number): void {
    const text = this.#html.slice(start, end);
    this.#handler.text(text.includes('&') && !this.#isInScript() ? decodeHTML(text) : text);
  }

  oncdata(start: number, end: number, endOffset: number): void {
    if (this.#foreign > 0) this.#handler.text(this.#html.slice(start, end - endOffset));
  }

  onend(): void {
    while (this.#open.length > 0) this.#pop();
  }

  isInForeignContext(): boolean {
    return this.#foreign > 0;
  }

  // Never called with entities left alone, and nothing of interest.
  ontextentity(): void {}
  onattribentity(): void {}
  oncomment(): void {}
  ondeclaration(): void {}
  onprocessinginstruction(): void {}

  #openElement(tag: Tag): void {
    if (tag.endsParagraph && this.#open.at(-1)?.name === 'p') this.#pop();
    if (tag.ends.length > 0) this.#endNearest(tag);
    const mark = this.#handler.open(tag, this);
    if (tag.isVoid || (tag.isPhrasing && mark === 0 && this.#openOf[tag.index] === 0)) return;
    if (this.#open.length >= MAX_DEPTH) {
      // Its end can't be told from others', so what a mark stands for ends at once.
      this.#beyond++;
      if (mark !== 0) this.#handler.close(tag, mark);
      return;
    }
    this.#open.push(tag);
    this.#marks.push(mark);
    this.#count(tag, 1);
  }

  #closeElement(tag: Tag): void {
    if (this.#openOf[tag.index] === 0) {
      if (tag.isPhrasing) this.#handler.close(tag, 0);
      return;
    }
    if (this.#beyond > 0) {
      this.#beyond--;
      return;
    }
    for (;;) {
      if (this.#pop() === tag) return;
    }
  }

  /** `<li>` ends the `<li>` before it, and all within, but not one that holds the list it stands in. */
  #endNearest(tag: Tag): void {
    for (let at = this.#open.length - 1; at >= 0; at--) {
      const name = this.#open[at]?.name ?? '';
      if (tag.ends.includes(name)) {
        while (this.#open.length > at) this.#pop();
        return;
      }
      if (tag.within.includes(name)) return;
    }
  }

  #pop(): Tag | undefined {
    const tag = this.#open.pop();
    const mark = this.#marks.pop() ?? 0;
    if (tag === undefined) return undefined;
    this.#count(tag, -1);
    this.#handler.close(tag, mark);
    return tag;
  }

  #count(tag: Tag, by: 1 | -1): void {
    this.#openOf[tag.index] = (this.#openOf[tag.index] ?? 0) + by;
    if (tag.name === 'svg') this.#foreign += by;
  }

  #isInScript(): boolean {
    const name = this.#open.at(-1)?.name;
    return name === 'script' || name === 'style';
  }
}
