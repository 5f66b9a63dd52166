/**
 * HTML to a tree. Sits on htmlparser2's tokenizer rather than its parser, whose time is quadratic in nesting (see ADR 0003). Knows what
 * opening an element ends and how badly nested markup is put right; not what an element means for the page.
 * Takes time in proportion to the length of the markup, whatever it holds.
 */
import { decodeHTML, decodeHTMLAttribute } from 'entities';
import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';
import { Element, Text } from './node.ts';
import { composeShadows, opensShadow } from './shadow.ts';
import { lowerCase, TAG_COUNT, type Tag, tagNamed } from './tags.ts';

/** As in browsers. Deeper elements lose their structure, never their text. */
const MAX_DEPTH = 512;
/** Names that are not HTML's are counted one by one; a page may make up as many as it likes. */
const MAX_OTHER_NAMES = 1000;

const NO_ATTRIBUTES = Object.freeze({});

/** The element that holds the page: `<html>` itself if it has one, is a child of it. */
export function parseHtml(html: string): Element {
  const builder = new TreeBuilder(html);
  // Entities are decoded here, slice by slice: the tokenizer then skips through text instead of looking at each sign.
  const tokenizer = new Tokenizer({ decodeEntities: false }, builder);
  tokenizer.write(html);
  tokenizer.end();
  if (builder.hasShadows) composeShadows(builder.root, MAX_DEPTH);
  return builder.root;
}

class TreeBuilder implements TokenizerCallbacks {
  readonly root = new Element(tagNamed('#root'), '#root', NO_ATTRIBUTES);
  hasShadows = false;

  readonly #html: string;
  /** Open elements, outermost first; `#current` is the last of them. */
  readonly #open: Element[] = [];
  #current: Element = this.root;
  /** How many are open by tag: an end without a start costs nothing. */
  readonly #openOf = new Int32Array(TAG_COUNT);
  readonly #openOther = new Map<string, number>();
  /** Elements open beyond the depth limit: as many ends belong to them. */
  #beyond = 0;
  #foreign = 0;

  #name = '';
  #attribs: Record<string, string> | null = null;
  #attribute = '';

  constructor(html: string) {
    this.#html = html;
  }

  onopentagname(start: number, end: number): void {
    this.#name = lowerCase(this.#html.slice(start, end));
    this.#attribs = null;
  }

  onattribname(start: number, end: number): void {
    const name = lowerCase(this.#html.slice(start, end));
    this.#attribs ??= {};
    // The first of two equal attributes counts.
    if (Object.hasOwn(this.#attribs, name)) {
      this.#attribute = '';
      return;
    }
    this.#attribute = name;
    this.#attribs[name] = '';
  }

  onattribdata(start: number, end: number): void {
    if (this.#attribute === '' || this.#attribs === null) return;
    const value = this.#html.slice(start, end);
    this.#attribs[this.#attribute] = value.includes('&') ? decodeHTMLAttribute(value) : value;
  }

  onattribend(): void {
    this.#attribute = '';
  }

  onopentagend(): void {
    this.#openElement(this.#name);
  }

  onselfclosingtag(): void {
    const name = this.#name;
    const element = this.#openElement(name);
    // Only foreign elements can close themselves; `<div/>` is just `<div>`. An anchor without a target is left open by nobody who means it.
    const isMeant = this.#foreign > 0 || (name === 'a' && element.attribs.href === undefined) || name.includes('-');
    if (isMeant && !element.tag.isVoid) this.#closeElement(name);
  }

  onclosetag(start: number, end: number): void {
    const name = lowerCase(this.#html.slice(start, end));
    // Browsers make a paragraph of a stray `</p>`, and a break of `</br>`: only the latter shows.
    if (name === 'br') this.#add(new Element(tagNamed('br'), 'br', NO_ATTRIBUTES));
    else this.#closeElement(name);
  }

  ontext(start: number, end: number): void {
    const text = this.#html.slice(start, end);
    const isRaw = this.#current.tag.kind === 'script';
    this.#addText(!isRaw && text.includes('&') ? decodeHTML(text) : text);
  }

  oncdata(start: number, end: number, endOffset: number): void {
    if (this.#foreign > 0) this.#addText(this.#html.slice(start, end - endOffset));
  }

  isInForeignContext(): boolean {
    return this.#foreign > 0;
  }

  // Never called with entities left alone, or nothing of interest.
  onend(): void {}
  ontextentity(): void {}
  onattribentity(): void {}
  oncomment(): void {}
  ondeclaration(): void {}
  onprocessinginstruction(): void {}

  #addText(data: string): void {
    const text = new Text(data);
    text.parent = this.#current;
    this.#current.children.push(text);
  }

  #add(element: Element): void {
    element.parent = this.#current;
    this.#current.children.push(element);
  }

  #openElement(name: string): Element {
    const tag = tagNamed(name);
    if (tag.endsParagraph && this.#openOf[P.index] !== 0) this.#endParagraph();
    if (tag.ends.length > 0) this.#endNearest(tag);
    // Links do not nest.
    else if (tag.kind === 'anchor' && this.#openOf[tag.index] !== 0) this.#closeElement('a');
    const element = new Element(tag, name, this.#attribs ?? NO_ATTRIBUTES);
    this.#attribs = null;
    this.#add(element);
    if (tag.isVoid) return element;
    if (name === 'template') this.hasShadows ||= opensShadow(element);
    if (this.#open.length >= MAX_DEPTH) {
      this.#beyond++;
      return element;
    }
    this.#open.push(element);
    this.#current = element;
    this.#count(element, 1);
    return element;
  }

  #closeElement(name: string): void {
    const tag = tagNamed(name);
    if (tag.isVoid || this.#openOf[tag.index] === 0) return;
    if (tag.kind === 'other' && !this.#openOther.get(name)) return;
    if (this.#beyond > 0) {
      this.#beyond--;
      return;
    }
    const open = this.#open;
    let at = open.length - 1;
    let hasBlock = false;
    for (; at >= 0; at--) {
      const element = open[at];
      if (element === undefined || element.name === name) break;
      // What is inside a cell can't end what is around its table.
      if (element.tag.kind === 'cell' && !isTablePart(tag)) return;
      hasBlock ||= !element.tag.isPhrasing && element.tag.kind !== 'other';
    }
    if (at < 0) return;
    if (tag.isPhrasing && hasBlock) {
      // `<a><div></a>`: the link is over, the block is not.
      const [ended] = open.splice(at, 1);
      if (ended) this.#count(ended, -1);
      return;
    }
    this.#popTo(at);
  }

  /** A block ends the paragraph it stands in, but not one around a table or a block further out. */
  #endParagraph(): void {
    for (let at = this.#open.length - 1; at >= 0; at--) {
      const element = this.#open[at];
      if (element === undefined) return;
      if (element.name === 'p') {
        this.#popTo(at);
        return;
      }
      if (!element.tag.isPhrasing) return;
    }
  }

  /** `<li>` ends the `<li>` before it, and all within, but not one that holds the list it stands in. */
  #endNearest(tag: Tag): void {
    for (let at = this.#open.length - 1; at >= 0; at--) {
      const name = this.#open[at]?.name ?? '';
      if (tag.ends.includes(name)) {
        this.#popTo(at);
        return;
      }
      if (tag.within.includes(name)) return;
    }
  }

  /** Ends all open elements from this one on. */
  #popTo(at: number): void {
    const open = this.#open;
    while (open.length > at) {
      const element = open.pop();
      if (element) this.#count(element, -1);
    }
    this.#current = open.at(-1) ?? this.root;
  }

  #count(element: Element, by: 1 | -1): void {
    const { tag, name } = element;
    this.#openOf[tag.index] = (this.#openOf[tag.index] ?? 0) + by;
    if (name === 'svg' || name === 'math') this.#foreign += by;
    if (tag.kind !== 'other') return;
    const count = (this.#openOther.get(name) ?? 0) + by;
    if (count > 0 && this.#openOther.size < MAX_OTHER_NAMES) this.#openOther.set(name, count);
    else this.#openOther.delete(name);
  }
}

const P = tagNamed('p');

const isTablePart = ({ kind }: Tag): boolean =>
  kind === 'cell' || kind === 'row' || kind === 'table' || kind === 'root' || kind === 'main' || kind === 'article';
