/**
 * The text of one value as it comes in pieces: references decoded, CDATA taken as it stands, length bounded. Entities that a
 * document type declares are not expanded, here or anywhere.
 */
import { MAX_RAW_CHARS } from './sitemap.ts';

/** A numeric reference, a named one, or an & that begins neither. */
const REFERENCE = /&(?:#x([\da-f]{1,8});|#(\d{1,10});|([\p{L}_:][\p{L}\d_:.-]{0,63});)?/giu;

const PREDEFINED: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);

export class FieldText {
  /** Some & began no entity that XML knows; it was left as it stands. */
  hasStrayAmpersand = false;
  /** Among these: some `&name;`, which would be an entity had it been declared. */
  hasUnknownEntity = false;
  /** Longer than is kept. */
  isTooLong = false;
  /** Holds elements, so that its text is not all there. */
  isSpoilt = false;

  #decoded = '';
  /** Not decoded before it is whole: a reference may be split between two pieces. */
  #raw = '';
  #rawChars = 0;

  /** Text of the file, references and all. */
  append(piece: string): void {
    // Space ahead of the value is not part of it, nor of its length.
    const text = this.#rawChars === 0 ? piece.trimStart() : piece;
    if (this.#fits(text.length)) this.#raw += text;
  }

  /** The text of a CDATA section, in which an & is just that; null if it was too long to be kept. */
  appendLiteral(text: string | null): void {
    this.interrupt();
    if (text === null) this.isTooLong = true;
    else if (this.#fits(text.length)) this.#decoded += text;
  }

  /** Something stood in between: what comes next can't complete a reference. */
  interrupt(): void {
    if (this.#raw === '') return;
    this.#decoded += this.#raw.includes('&') ? this.#decode(this.#raw) : this.#raw;
    this.#raw = '';
  }

  /** Of a value that is too long or spoilt, only that much is known. */
  read(): string {
    this.interrupt();
    return this.#decoded.trim();
  }

  #fits(chars: number): boolean {
    this.#rawChars += chars;
    if (this.#rawChars > MAX_RAW_CHARS) this.isTooLong = true;
    return !this.isTooLong;
  }

  #decode(raw: string): string {
    return raw.replace(REFERENCE, (whole: string, hex?: string, decimal?: string, name?: string) => {
      const decoded = name === undefined ? characterOf(hex, decimal) : PREDEFINED.get(name.toLowerCase());
      if (decoded !== undefined) return decoded;
      this.hasStrayAmpersand = true;
      if (name !== undefined) this.hasUnknownEntity = true;
      return whole;
    });
  }
}

function characterOf(hex: string | undefined, decimal: string | undefined): string | undefined {
  if (hex === undefined && decimal === undefined) return undefined;
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
  // Half a surrogate pair and what lies beyond Unicode are no characters, and XML has no NUL.
  if (code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return undefined;
  return String.fromCodePoint(code);
}
