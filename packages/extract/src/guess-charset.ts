/**
 * Guesses the encoding of a page that declares none and is not UTF-8, by the statistics of `chardet`. What speaks is text with letters
 * beyond ASCII: markup, scripts and text without any would all count for English.
 */
import { analyse } from 'chardet';

/** As much text as is looked at, and as much of the page as is looked through for it. */
const SAMPLE_BYTES = 16 * 1024;
const SCANNED_BYTES = 512 * 1024;

/** The standard's default for pages of the West, which has a character for every byte. */
const FALLBACK = 'windows-1252';
/** Fewer letters beyond ASCII than this are as likely a few quotes and names within English. */
const FEWEST_BYTES = 8;
/**
 * Sentences of some 150 letters in Polish, Russian, Greek, Turkish, Lithuanian … get 21 to 72 for their own encoding and at most 16 where
 * theirs is none of those known. Encodings of several bytes get 100, and 10 to 55 for one another's texts.
 */
const LEAST_CONFIDENCE = 20;
const LEAST_CONFIDENCE_OF_SEVERAL_BYTES = 60;
const SEVERAL_BYTES: ReadonlySet<string> = new Set(['Shift_JIS', 'Big5', 'EUC-JP', 'EUC-KR', 'GB18030']);
/** What is UTF of any kind was found out before. Names are those of `chardet`; each is read as what is a superset of it. */
const READ_AS: ReadonlyMap<string, string> = new Map([
  ...[...SEVERAL_BYTES].map((name) => [name, name.toLowerCase()] as const),
  ['ISO-8859-1', FALLBACK],
  ['windows-1252', FALLBACK],
  ['ISO-8859-2', 'iso-8859-2'],
  ['windows-1250', 'windows-1250'],
  ['ISO-8859-5', 'iso-8859-5'],
  ['windows-1251', 'windows-1251'],
  ['KOI8-R', 'koi8-u'],
  ['ISO-8859-6', 'iso-8859-6'],
  ['windows-1256', 'windows-1256'],
  ['ISO-8859-7', 'windows-1253'],
  ['windows-1253', 'windows-1253'],
  ['ISO-8859-8', 'windows-1255'],
  ['windows-1255', 'windows-1255'],
  ['ISO-8859-9', 'windows-1254'],
  ['windows-1254', 'windows-1254'],
  ['windows-1257', 'windows-1257'],
]);

const BEYOND_ASCII = /[\x80-\xff]/;
const ALL_BEYOND_ASCII = /[\x80-\xff]/g;

/** A label that `TextDecoder` knows. */
export function guessCharset(body: Buffer, isMarkup: boolean): string {
  const source = body.toString('latin1', 0, SCANNED_BYTES);
  const sample = isMarkup ? markupSample(source) : textSample(source);
  if ((sample.match(ALL_BEYOND_ASCII)?.length ?? 0) < FEWEST_BYTES) return FALLBACK;
  for (const { name, confidence } of analyse(Buffer.from(sample, 'latin1'))) {
    const label = READ_AS.get(name);
    if (label === undefined) continue;
    const least = SEVERAL_BYTES.has(name) ? LEAST_CONFIDENCE_OF_SEVERAL_BYTES : LEAST_CONFIDENCE;
    if (confidence >= least) return label;
  }
  return FALLBACK;
}

function textSample(source: string): string {
  const sample = new Sample();
  for (let at = 0; at < source.length && !sample.isFull; ) {
    const end = source.indexOf('\n', at);
    sample.add(source.slice(at, end < 0 ? source.length : end));
    at = end < 0 ? source.length : end + 1;
  }
  return sample.text;
}

/** What stands between tags. No encoding that extends ASCII uses the bytes of `<` and `>` for anything else. */
function markupSample(source: string): string {
  const folded = source.toLowerCase();
  const sample = new Sample();
  for (let at = 0; at < source.length && !sample.isFull; ) {
    const tag = source.indexOf('<', at);
    sample.add(source.slice(at, tag < 0 ? source.length : tag));
    if (tag < 0) break;
    at = endOfTag(folded, tag);
  }
  return sample.text;
}

/** Behind the tag, and behind the contents of those that hold no text. */
function endOfTag(folded: string, tag: number): number {
  const end = ['!--', 'script', 'style'].find((name) => folded.startsWith(name, tag + 1));
  const closing = end === undefined ? '>' : end === '!--' ? '-->' : `</${end}`;
  const at = folded.indexOf(closing, tag + 1);
  return at < 0 ? folded.length : at + closing.length;
}

class Sample {
  text = '';

  get isFull(): boolean {
    return this.text.length >= SAMPLE_BYTES;
  }

  add(piece: string): void {
    if (BEYOND_ASCII.test(piece)) this.text += `${piece.slice(0, SAMPLE_BYTES)} `;
  }
}
