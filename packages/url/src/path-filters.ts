/** Filters on the path of a link: patterns, asset types, presets, and guards against paths without end. */
import picomatch from 'picomatch';
import { normalizePercent } from './normalize.ts';

/**
 * What is never a page, by the extension of the last segment. An unknown extension passes (`/v1.2`, `/asp.net`), since a
 * wrong refusal loses a page and a wrong pass costs one request. The price of `js` is that a page at `/node.js` is lost.
 */
const ASSET_EXTENSIONS = new Set(
  [
    'png jpg jpeg gif webp avif svg ico bmp tif tiff heic psd ai eps',
    'woff woff2 ttf otf eot',
    'css scss less js mjs cjs map wasm webmanifest xml rss atom xsd xsl',
    'zip gz tgz bz2 xz zst 7z rar tar jar war whl deb rpm apk',
    'mp3 mp4 m4a m4v webm ogg ogv oga wav flac aac avi mov mkv wmv flv m3u8 srt vtt',
    'exe msi dmg pkg iso img bin dll so class sig asc sha256 torrent',
    'doc docx xls xlsx ppt pptx odt ods odp rtf epub mobi ps csv tsv parquet sqlite ics vcf',
  ].flatMap((line) => line.split(' ')),
);

/** Segments that mark what a reader of documentation never wants. */
const COMMERCIAL_SEGMENTS = new Set(
  [
    'pricing plans buy shop store cart checkout order orders subscribe billing trial free-trial demo request-demo',
    'careers jobs about about-us company team leadership press newsroom investors investor-relations',
    'customers case-studies testimonials partners partner resellers affiliates contact contact-us contact-sales sales',
    'legal privacy privacy-policy terms terms-of-service tos cookies cookie-policy gdpr imprint impressum dmca',
    'login logout log-in log-out signin sign-in signout sign-out signup sign-up register account auth sso oauth',
    'password forgot-password reset-password events webinars webinar newsletter unsubscribe donate',
  ].flatMap((line) => line.split(' ')),
);

/** After one of these a segment such as `login` is a subject, not a door: `/docs/api/login` stays. */
export const DOCUMENTATION_SEGMENTS = new Set(
  [
    'docs doc documentation reference references api apis guide guides manual manuals handbook',
    'tutorial tutorials learn help kb knowledge-base faq wiki',
  ].flatMap((line) => line.split(' ')),
);

const PAGE_EXTENSION = /\.(?:html?|xhtml|php|aspx?|jsp)$/;

export function isAsset(path: string): boolean {
  const dot = path.lastIndexOf('.');
  // The longest known extension has 11 letters: a longer rest is not worth folding.
  if (dot < 0 || path.length - dot > 12 || path.includes('/', dot)) return false;
  return ASSET_EXTENSIONS.has(path.slice(dot + 1).toLowerCase());
}

/** Whether the preset `docs` drops a path: whole segments only, so `/pricing` goes and `/pricing-api` stays. */
export function isCommercial(segments: readonly string[]): boolean {
  for (const segment of segments) {
    const name = segment.toLowerCase().replace(PAGE_EXTENSION, '');
    if (DOCUMENTATION_SEGMENTS.has(name)) return false;
    if (COMMERCIAL_SEGMENTS.has(name)) return true;
  }
  return false;
}

/**
 * Globs on the path, without its trailing slash: `*` within a segment, `**` across, `?`, `[…]`, `{a,b}`. `/docs/**` is
 * `/docs` and all below. A missing leading slash is added. Extended globs such as `+(a)` are off: they can backtrack.
 */
export function compileGlobs(
  patterns: readonly string[],
  options: { ignoreCase: boolean },
): ((path: string) => boolean) | null {
  if (patterns.length === 0) return null;
  const matches = picomatch(patterns.map(encodePattern), {
    dot: true,
    nocase: options.ignoreCase,
    noextglob: true,
    nonegate: true,
    windows: false,
  });
  return (path) => {
    const subject = normalizePercent(path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path);
    return matches(subject);
  };
}

/**
 * Patterns are written by people and paths are percent-encoded, so the letters of a pattern have to be as well.
 * A leading `**` goes without slash: the matcher takes `/**` + `/api` to need a segment before `api`.
 */
function encodePattern(pattern: string): string {
  const encoded = pattern.replace(/[^\x21-\x7e]+/g, encodeURIComponent).replace(/^\//, '');
  return encoded.startsWith('**') ? encoded : `/${encoded}`;
}

/**
 * Paths that a relative link on a wrong base makes without end: one segment more than `limit` times anywhere, or a
 * sequence of segments `limit` times in a row (`/a/b/a/b/a/b` for 3).
 */
export function hasRepeatedSegments(segments: readonly string[], limit: number): boolean {
  if (segments.length <= Math.min(limit, 3)) return false;
  const counts = new Map<string, number>();
  let mostOften = 0;
  for (const segment of segments) {
    const count = (counts.get(segment) ?? 0) + 1;
    counts.set(segment, count);
    if (count > mostOften) mostOften = count;
  }
  if (mostOften > limit) return true;
  return limit > 1 && mostOften === limit && hasRepeatedSequence(segments, limit);
}

/** A sequence of length n recurs where `segments[i] === segments[i + n]` holds for n × (limit − 1) places in a row. */
function hasRepeatedSequence(segments: readonly string[], limit: number): boolean {
  for (let length = 2; length * limit <= segments.length; length++) {
    let run = 0;
    for (let at = 0; at + length < segments.length; at++) {
      run = segments[at] === segments[at + length] ? run + 1 : 0;
      if (run === length * (limit - 1)) return true;
    }
  }
  return false;
}
