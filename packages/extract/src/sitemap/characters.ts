/** The bytes of a sitemap to characters, as they come. Never throws: a wrong label costs a few letters, not the file. */
import { TextDecoder } from 'node:util';

/** How far an XML declaration may reach: with every part it has about 70 bytes. */
const DECLARATION_BYTES = 1024;
const DECLARATION = /^\s*<\?xml\s[^>]*?\bencoding\s*=\s*["']\s*([\w.:-]{1,40})/i;

export class Characters {
  #decoder: TextDecoder | null = null;
  #head = Buffer.alloc(0);

  /** Empty while it is not clear how to read what came. */
  write(bytes: Uint8Array): string {
    if (this.#decoder) return this.#decoder.decode(bytes, { stream: true });
    this.#head = Buffer.concat([this.#head, bytes]);
    return mayDeclareMore(this.#head) ? '' : this.#begin();
  }

  end(): string {
    const rest = this.#decoder ? '' : this.#begin();
    return rest + (this.#decoder?.decode() ?? '');
  }

  /** The byte order mark's encoding, else the one that the zeros of UTF-16 show, else the declared one, else UTF-8. */
  #begin(): string {
    const head = this.#head;
    this.#head = Buffer.alloc(0);
    this.#decoder = new TextDecoder(labelOfMark(head) ?? declaredLabel(head) ?? 'utf-8');
    return this.#decoder.decode(head, { stream: true });
  }
}

function mayDeclareMore(head: Buffer): boolean {
  if (head.length < 4) return true;
  if (labelOfMark(head) !== null || head.length >= DECLARATION_BYTES) return false;
  const text = head.toString('latin1').trimStart().toLowerCase();
  return text.length < 5 ? '<?xml'.startsWith(text) : text.startsWith('<?xml') && !text.includes('>');
}

function labelOfMark(head: Buffer): string | null {
  const [first, second, third] = head;
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if ((first === 0xff && second === 0xfe) || (first === 0x3c && second === 0)) return 'utf-16le';
  if ((first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c)) return 'utf-16be';
  return null;
}

/** Reads the start as Latin-1, in which a declaration in any encoding that resembles ASCII can be read. */
function declaredLabel(head: Buffer): string | null {
  const label = DECLARATION.exec(head.toString('latin1', 0, DECLARATION_BYTES))?.[1];
  if (label === undefined) return null;
  try {
    const { encoding } = new TextDecoder(label);
    // A label of UTF-16 that can be read as ASCII is wrong.
    return encoding.startsWith('utf-16') ? null : encoding;
  } catch {
    // A RangeError is the only way to learn that a label is unknown.
    return null;
  }
}
