/** Bytes of a page to characters. Never throws: a wrong label costs a few letters, not the page. */

/** How far the HTML standard looks for a `<meta>` that names the encoding. */
const META_WINDOW_BYTES = 1024;

const META_CHARSET = /<meta[^>]*?charset\s*=\s*["']?\s*([\w.:-]+)/i;

export interface DecodedHtml {
  readonly html: string;
  /** The encoding used, under its standard name. */
  readonly charset: string;
}

/**
 * The encoding is that of the byte order mark, else of the Content-Type header, else of a `<meta>` near the start, else
 * UTF-8 if the bytes are valid, else windows-1252. A label nobody knows is passed over.
 */
export function decodeHtml(body: Uint8Array, contentType: string | null): DecodedHtml {
  const declared = labelOfMark(body) ?? knownLabel(charsetOf(contentType)) ?? knownLabel(metaCharset(body));
  if (declared !== null) return decodeAs(body, declared);
  try {
    return { html: new TextDecoder('utf-8', { fatal: true }).decode(body), charset: 'utf-8' };
  } catch {
    // Not UTF-8: the standard's default for pages of the West, which has a character for every byte.
    return decodeAs(body, 'windows-1252');
  }
}

function decodeAs(body: Uint8Array, label: string): DecodedHtml {
  const decoder = new TextDecoder(label);
  return { html: decoder.decode(body), charset: decoder.encoding };
}

function labelOfMark(body: Uint8Array): string | null {
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf) return 'utf-8';
  if (body[0] === 0xff && body[1] === 0xfe) return 'utf-16le';
  if (body[0] === 0xfe && body[1] === 0xff) return 'utf-16be';
  return null;
}

function charsetOf(contentType: string | null): string | undefined {
  return contentType ? /;\s*charset\s*=\s*["']?\s*([\w.:-]+)/i.exec(contentType)?.[1] : undefined;
}

/** Reads the start of the page as Latin-1, in which the tags of every ASCII-compatible encoding can be read. */
function metaCharset(body: Uint8Array): string | undefined {
  const window = body.subarray(0, META_WINDOW_BYTES);
  const head = Buffer.from(window.buffer, window.byteOffset, window.byteLength).toString('latin1');
  const label = META_CHARSET.exec(head)?.[1];
  // A label of UTF-16 that can be read as ASCII is wrong: the standard takes such a page for UTF-8.
  return label !== undefined && /^utf-?16/i.test(label) ? 'utf-8' : label;
}

function knownLabel(label: string | undefined): string | null {
  if (label === undefined) return null;
  try {
    return new TextDecoder(label).encoding;
  } catch {
    // A RangeError is the only way to learn that a label is unknown.
    return null;
  }
}
