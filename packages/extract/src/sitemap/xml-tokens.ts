/**
 * XML in chunks to tags and text. Sits on htmlparser2's tokenizer, which gives positions only: the text they point to is kept
 * here, and no more of it than the longest token that matters. Knows no nesting and no meaning.
 */
import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';
import { FieldText } from './field-text.ts';
import { MAX_RAW_CHARS } from './sitemap.ts';

/** A name in lower case: sitemaps get the case wrong. */
export interface XmlName {
  /** With its prefix, as a tag is matched by. */
  readonly full: string;
  readonly prefix: string;
  readonly local: string;
}

export interface XmlHandler {
  open(name: XmlName, link: LinkAttributes): void;
  close(name: XmlName): void;
  /** As in the source, references not decoded, in as many pieces as it arrived in. */
  text(text: string): void;
  /** The text of a CDATA section; null if it is longer than any value. */
  literal(text: string | null): void;
  /** A comment or an instruction. */
  interruption(): void;
  /** `<!…>` behind the prolog, up to its first `>`; of what is longer than any value, nothing. */
  declaration(text: string): void;
}

/** What a `<link>` says of itself; other elements have neither. */
export interface LinkAttributes {
  readonly href: FieldText | null;
  readonly rel: FieldText | null;
}

const MAX_NAME_CHARS = 256;
const TOO_LONG: XmlName = { full: '…', prefix: '', local: '…' };
/** The names of a sitemap are a dozen; a file that makes up new ones has each of them read anew. */
const MAX_KNOWN_NAMES = 256;

export class XmlTokens implements TokenizerCallbacks {
  readonly #handler: XmlHandler;
  // Entities are left to whoever keeps the text: the tokenizer then skips through it instead of looking at each sign.
  readonly #tokenizer = new Tokenizer({ xmlMode: true, decodeEntities: false }, this);

  /** What was written last, and with what came before it, as far as a token may reach back; where each begins. */
  #chunk = '';
  #chunkFrom = 0;
  #kept = '';
  #keptFrom = 0;

  readonly #known = new Map<string, XmlName>();
  #name = TOO_LONG;
  #isLink = false;
  #href: FieldText | null = null;
  #rel: FieldText | null = null;
  #attribute: FieldText | null = null;

  constructor(handler: XmlHandler) {
    this.#handler = handler;
  }

  /** Never ended: all that the tokenizer holds back is a tag, or a comment, that is cut off. */
  write(chunk: string): void {
    // Twice as much as needed, so that small chunks don't have the text copied for each of them.
    const surplus = this.#kept.length - MAX_RAW_CHARS;
    if (surplus > MAX_RAW_CHARS) {
      this.#kept = this.#kept.slice(surplus);
      this.#keptFrom += surplus;
    }
    this.#chunkFrom = this.#keptFrom + this.#kept.length;
    this.#chunk = chunk;
    this.#kept += chunk;
    this.#tokenizer.write(chunk);
  }

  onopentagname(start: number, end: number): void {
    this.#name = this.#nameAt(start, end);
    this.#isLink = this.#name.local === 'link';
    this.#href = null;
    this.#rel = null;
  }

  onattribname(start: number, end: number): void {
    this.#attribute = null;
    if (!this.#isLink || end - start > 'href'.length) return;
    const name = this.#slice(start, end).toLowerCase();
    if (name === 'href' && this.#href === null) this.#attribute = this.#href = new FieldText();
    else if (name === 'rel' && this.#rel === null) this.#attribute = this.#rel = new FieldText();
  }

  onattribdata(start: number, end: number): void {
    this.#attribute?.append(this.#slice(start, end));
  }

  onattribend(): void {
    this.#attribute = null;
  }

  onopentagend(): void {
    this.#handler.open(this.#name, { href: this.#href, rel: this.#rel });
  }

  onselfclosingtag(): void {
    const name = this.#name;
    this.onopentagend();
    this.#handler.close(name);
  }

  onclosetag(start: number, end: number): void {
    this.#handler.close(this.#nameAt(start, end));
  }

  ontext(start: number, end: number): void {
    this.#handler.text(this.#slice(start, end));
  }

  oncdata(start: number, end: number, endOffset: number): void {
    const isTooLong = end - endOffset - start > MAX_RAW_CHARS;
    this.#handler.literal(isTooLong ? null : this.#slice(start, end - endOffset));
  }

  oncomment(): void {
    this.#handler.interruption();
  }

  onprocessinginstruction(): void {
    this.#handler.interruption();
  }

  ondeclaration(start: number, end: number): void {
    if (end - start <= MAX_RAW_CHARS) this.#handler.declaration(this.#slice(start, end));
  }

  // Never called: entities are left alone, and the tokenizer is not ended.
  ontextentity(): void {}
  onattribentity(): void {}
  onend(): void {}

  #slice(start: number, end: number): string {
    // Most tokens lie within one chunk; the others cost a copy of all that is kept, which is a chain of chunks until then.
    if (start >= this.#chunkFrom) return this.#chunk.slice(start - this.#chunkFrom, end - this.#chunkFrom);
    return this.#kept.slice(Math.max(0, start - this.#keptFrom), end - this.#keptFrom);
  }

  #nameAt(start: number, end: number): XmlName {
    if (end - start > MAX_NAME_CHARS) return TOO_LONG;
    const written = this.#slice(start, end);
    const known = this.#known.get(written);
    if (known) return known;
    const name = toName(written);
    if (this.#known.size < MAX_KNOWN_NAMES) this.#known.set(written, name);
    return name;
  }
}

function toName(written: string): XmlName {
  // `</loc<lastmod>` lacks a `>`, and the tokenizer takes all of it for the name.
  const tag = written.indexOf('<');
  const full = (tag > 0 ? written.slice(0, tag) : written).toLowerCase();
  const colon = full.indexOf(':');
  return { full, prefix: full.slice(0, Math.max(0, colon)), local: full.slice(colon + 1) };
}
