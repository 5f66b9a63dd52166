/**
 * Names the file of each page after its URL: readable, safe on every file system, never two alike (nor alike but for
 * case), never outside the directory. Pure: creates nothing.
 */
import { createHash } from 'node:crypto';

/** Gives the path of a page's file, relative and with `/`. Call it once per URL, in a stable order. */
export type FileNamer = (url: string) => string;

const SEGMENT_BYTES = 80;
/** Leaves room for the directory itself: Windows takes 260 characters in all. */
const PATH_BYTES = 160;
/** Written beside the pages. */
const RESERVED = ['index.md', 'index.json'];
const WINDOWS_DEVICE = /^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(\.|$)/i;
const PAGE_EXTENSION = /\.(html?|xhtml|php|aspx?|jsp|md)$/i;

/** Pages of `mainHost` lie at the top, those of other hosts in a folder of their host's name. */
export function createFileNamer(mainHost: string): FileNamer {
  const files = new Set(RESERVED);
  const folders = new Set<string>();

  const isFree = (path: string): boolean => {
    const folded = fold(path);
    if (files.has(folded) || folders.has(folded)) return false;
    return !foldersOf(folded).some((folder) => files.has(folder));
  };
  const take = (path: string): string => {
    const folded = fold(path);
    files.add(folded);
    for (const folder of foldersOf(folded)) folders.add(folder);
    return path;
  };

  return (address) => {
    const url = new URL(address);
    const segments = segmentsOf(url);
    if (url.host !== mainHost) segments.unshift(safeSegment(url.host));
    const path = `${segments.join('/')}.md`;
    if (Buffer.byteLength(path) <= PATH_BYTES && isFree(path)) return take(path);
    // At the top, so that neither a long way down nor a file where a folder is needed can be in the way.
    const stem = clip(segments.at(-1) ?? 'page', SEGMENT_BYTES - 17);
    const digest = createHash('sha256').update(address).digest('hex');
    for (let length = 8; length <= digest.length; length += 8) {
      const hashed = `${stem}-${digest.slice(0, length)}.md`;
      if (isFree(hashed)) return take(hashed);
    }
    throw new Error(`the URL ${address} was named twice`);
  };
}

function segmentsOf(url: URL): string[] {
  const segments = url.pathname.split('/').filter(Boolean).map(decodeLoosely);
  const last = segments.pop() ?? 'home';
  const stem = last.replace(PAGE_EXTENSION, '') || last;
  const query = url.search ? `-${decodeLoosely(url.search.slice(1))}` : '';
  return [...segments, `${stem}${query}`].map(safeSegment);
}

/** Letters and digits of any script stay; whatever a file system, a shell or a person may trip over becomes a dash. */
function safeSegment(text: string): string {
  const plain = text
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}\p{M}._~+@-]+/gu, '-')
    .replace(/-{2,}/g, '-')
    .replace(/^[-.~\s]+|[-.\s]+$/g, '');
  const clipped = clip(plain, SEGMENT_BYTES).replace(/[-.]+$/, '') || '_';
  return WINDOWS_DEVICE.test(clipped) ? `_${clipped}` : clipped;
}

/** Cuts to a number of UTF-8 bytes, between characters. */
function clip(text: string, bytes: number): string {
  let kept = '';
  let size = 0;
  for (const character of text) {
    size += Buffer.byteLength(character);
    if (size > bytes) break;
    kept += character;
  }
  return kept;
}

/** As the most forgetful file system would compare it. */
function fold(path: string): string {
  return path.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFC');
}

function foldersOf(path: string): string[] {
  const segments = path.split('/').slice(0, -1);
  return segments.map((_, index) => segments.slice(0, index + 1).join('/'));
}

function decodeLoosely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Not valid UTF-8 behind the percent signs: the escaped spelling is a name as well.
    return text;
  }
}
