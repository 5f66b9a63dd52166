/** The XML formats as tables: by which root each is known, what its entries are called, and what in them is of use. */
import type { EntryKind, Field } from './entry-draft.ts';
import type { SitemapFormat } from './sitemap.ts';
import type { XmlName } from './xml-tokens.ts';

type XmlFormatName = Exclude<SitemapFormat, 'text'>;

export interface XmlFormat {
  readonly name: XmlFormatName;
  readonly entries: ReadonlyMap<string, EntryKind>;
  /** By local name if the element has its entry's prefix, else by full name. */
  readonly fields: ReadonlyMap<string, Field>;
  /** Text has its place in values only; feeds have it all over. */
  readonly isStrict: boolean;
}

const ROOTS: ReadonlyMap<string, XmlFormatName> = new Map([
  ['urlset', 'urlset'],
  ['sitemapindex', 'index'],
  ['rss', 'rss'],
  ['rdf', 'rss'],
  ['feed', 'atom'],
  // A sitemap that lost its root: the entries are as good as any.
  ['url', 'urlset'],
  ['sitemap', 'index'],
]);

/** Some put pages into an index, or sitemaps into a set of pages: each is taken for what it says it is. */
const SITEMAP_ENTRIES: ReadonlyMap<string, EntryKind> = new Map([
  ['url', 'page'],
  ['sitemap', 'sitemap'],
]);

const SITEMAP_FIELDS: ReadonlyMap<string, Field> = new Map([
  ['loc', 'address'],
  ['lastmod', 'lastmod'],
  ['changefreq', 'changefreq'],
  ['priority', 'priority'],
]);

const FORMATS: Readonly<Record<XmlFormatName, XmlFormat>> = {
  urlset: { name: 'urlset', entries: SITEMAP_ENTRIES, fields: SITEMAP_FIELDS, isStrict: true },
  index: { name: 'index', entries: SITEMAP_ENTRIES, fields: SITEMAP_FIELDS, isStrict: true },
  rss: {
    name: 'rss',
    entries: new Map([['item', 'page']]),
    fields: new Map([
      ['link', 'address'],
      ['pubdate', 'lastmod'],
      ['dc:date', 'lastmod'],
    ]),
    isStrict: false,
  },
  atom: {
    name: 'atom',
    entries: new Map([['entry', 'page']]),
    fields: new Map([
      ['link', 'address'],
      ['updated', 'lastmod'],
    ]),
    isStrict: false,
  },
};

/** The format whose root this is, or whose entry if the root is missing. */
export function formatOf(name: XmlName): XmlFormat | null {
  const format = ROOTS.get(name.local);
  return format === undefined ? null : FORMATS[format];
}

const HTML_ROOTS: ReadonlySet<string> = new Set(['html', 'head', 'body']);
const HTML_NAMES: ReadonlySet<string> = new Set(
  'html head body title meta script style div span p a b br h1 h2 center font table img noscript iframe'.split(' '),
);

/** Only a web page begins like this. */
export const isHtmlRoot = (name: XmlName): boolean => HTML_ROOTS.has(name.local);

/** A web page, or what some script prints ahead of a sitemap: `<br /><b>Warning</b>`. */
export const isHtmlName = (name: string): boolean => HTML_NAMES.has(name);
