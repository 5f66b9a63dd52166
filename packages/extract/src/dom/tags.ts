/** What each HTML element means to a reader of pages. Elements not listed are transparent: only what is in them counts. */

type TagKind =
  | 'anchor'
  | 'article'
  | 'base'
  | 'blockquote'
  | 'block'
  | 'break'
  | 'cell'
  | 'code'
  | 'definition'
  | 'dropped'
  | 'emphasis'
  | 'footer'
  | 'frame'
  | 'heading'
  | 'image'
  | 'item'
  | 'link'
  | 'list'
  | 'main'
  | 'map-area'
  | 'math'
  | 'meta'
  | 'other'
  | 'phrase'
  | 'preformatted'
  | 'root'
  | 'row'
  | 'rule'
  | 'script'
  | 'strike'
  | 'strong'
  | 'table'
  | 'term'
  | 'title';

export interface Tag {
  readonly kind: TagKind;
  /** Position in a table of counters. */
  readonly index: number;
  readonly isVoid: boolean;
  /** Part of a line of text. */
  readonly isPhrasing: boolean;
  /** Opening it ends an open paragraph. */
  readonly endsParagraph: boolean;
  /** Opening it ends the nearest open element of these names … */
  readonly ends: readonly string[];
  /** … unless one of these is in between. */
  readonly within: readonly string[];
}

const tags = new Map<string, Tag>();

interface Traits {
  isVoid?: boolean;
  isPhrasing?: boolean;
  ends?: readonly string[];
  within?: readonly string[];
}

function define(kind: TagKind, names: string, traits: Traits = {}): void {
  for (const name of names.split(' ')) tags.set(name, makeTag(kind, tags.size, traits));
}

function makeTag(kind: TagKind, index: number, traits: Traits): Tag {
  const isPhrasing = traits.isPhrasing ?? false;
  return {
    kind,
    index,
    isVoid: traits.isVoid ?? false,
    isPhrasing,
    endsParagraph: !isPhrasing && !['script', 'title', 'root', 'dropped', 'other'].includes(kind),
    ends: traits.ends ?? [],
    within: traits.within ?? [],
  };
}

const phrasing = { isPhrasing: true };
const voidPhrasing = { isPhrasing: true, isVoid: true };

define(
  'phrase',
  'span font small big u ins mark abbr acronym time label sub sup q bdi bdo data ruby rt rp nobr',
  phrasing,
);
define('anchor', 'a', phrasing);
define('strong', 'b strong', phrasing);
define('emphasis', 'i em cite var dfn', phrasing);
define('code', 'code kbd samp tt', phrasing);
define('strike', 's del strike', phrasing);
define('math', 'math', phrasing);
define('image', 'img', voidPhrasing);
define('break', 'br', voidPhrasing);
define('phrase', 'wbr', voidPhrasing);
define('meta', 'meta', voidPhrasing);
define('link', 'link', voidPhrasing);
define('base', 'base', voidPhrasing);
define('map-area', 'area', voidPhrasing);
define('frame', 'frame', voidPhrasing);
define('dropped', 'input source track param embed col keygen', voidPhrasing);

define('root', 'html body head');
define('title', 'title');
define('script', 'script style');
define('dropped', 'template noscript svg canvas object audio video select datalist button textarea dialog');
define('dropped', 'noembed noframes');
define('frame', 'iframe');
define('footer', 'footer');
define('main', 'main');
define('article', 'article');
define('block', 'div p section header aside address details summary figure figcaption fieldset legend form caption');
define('block', 'center hgroup search thead tbody tfoot nav');
define('heading', 'h1 h2 h3 h4 h5 h6', {
  ends: ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'],
  within: ['div', 'section', 'td'],
});
define('list', 'ul ol dir menu');
define('list', 'dl');
define('item', 'li', { ends: ['li'], within: ['ul', 'ol', 'dir', 'table'] });
define('term', 'dt', { ends: ['dt', 'dd'], within: ['dl', 'table'] });
define('definition', 'dd', { ends: ['dt', 'dd'], within: ['dl', 'table'] });
define('dropped', 'option optgroup', { ends: ['option'], within: ['select', 'datalist'] });
define('blockquote', 'blockquote');
define('preformatted', 'pre xmp listing plaintext');
define('rule', 'hr', { isVoid: true });
define('table', 'table');
define('row', 'tr', { ends: ['tr'], within: ['table'] });
define('cell', 'td th', { ends: ['td', 'th'], within: ['tr', 'table'] });

/** All elements that are not listed: custom elements, those of SVG and MathML, what people make up. */
const OTHER = makeTag('other', tags.size, {});

export const TAG_COUNT = tags.size + 1;

/** `name` in lower case. */
export function tagNamed(name: string): Tag {
  return tags.get(name) ?? OTHER;
}

/** Testing first is much cheaper than folding each name: markup is nearly always in lower case. */
export function lowerCase(name: string): string {
  for (let at = 0; at < name.length; at++) {
    const code = name.charCodeAt(at);
    if (code >= 65 && code <= 90) return name.toLowerCase();
  }
  return name;
}
