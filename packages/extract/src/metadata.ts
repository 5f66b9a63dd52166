/** What a page says about itself: collected as met, judged at the end, when `<base>` is known. */
import { attribute, type Element } from './dom/node.ts';
import { jsonLdFacts } from './json-ld.ts';
import type { OutlineEntry } from './markdown/writer.ts';
import { type RobotsDirectives, readDirectives } from './robots-directives.ts';

export interface PageMetadata {
  readonly description: string | null;
  readonly author: string | null;
  /** ISO 8601, UTC. */
  readonly publishedAt: string | null;
  readonly modifiedAt: string | null;
  readonly canonicalUrl: string | null;
  readonly siteName: string | null;
  readonly image: string | null;
  readonly generator: string | null;
  readonly keywords: readonly string[];
  readonly wordCount: number;
  /** The headings of the content, in order. */
  readonly outline: readonly OutlineEntry[];
  /** `og:` properties by the rest of their name, the first of each. */
  readonly openGraph: Record<string, string>;
  readonly jsonLd: readonly unknown[];
}

/** A page may fill its head without end; nobody reads more than this. */
const MAX_ENTRIES = 100;
const MAX_VALUE_CHARACTERS = 2000;
const MAX_JSON_LD_CHARACTERS = 256 * 1024;
const MAX_JSON_LD_ITEMS = 20;
const MAX_KEYWORDS = 50;

const PUBLISHED = /publish|entry-date|posted|dt-published|pubdate/i;
const MODIFIED = /modif|updat|dt-updated/i;

export class HeadCollector {
  title: string | null = null;
  language: string | null = null;
  canonicalHref: string | null = null;
  /** By lower-case name, property or itemprop; the first of each counts. */
  readonly #meta = new Map<string, string>();
  readonly #robots: string[] = [];
  readonly #jsonLd: unknown[] = [];
  #jsonLdCharacters = 0;
  /** Of `<time>` elements that say what they are. */
  #published: string | null = null;
  #modified: string | null = null;

  addMeta(element: Element): void {
    const content = attribute(element, 'content')?.trim();
    const name = (
      attribute(element, 'property') ??
      attribute(element, 'name') ??
      attribute(element, 'itemprop') ??
      attribute(element, 'http-equiv')
    )
      ?.trim()
      .toLowerCase();
    // A page may say it in several tags, and each counts.
    if (content && name === 'robots' && this.#robots.length < MAX_ENTRIES) this.#robots.push(content.slice(0, 200));
    if (!content || !name || this.#meta.has(name) || this.#meta.size >= MAX_ENTRIES) return;
    this.#meta.set(name, content.slice(0, MAX_VALUE_CHARACTERS));
  }

  addLink(element: Element): void {
    if (this.canonicalHref === null && attribute(element, 'rel')?.trim().toLowerCase() === 'canonical') {
      this.canonicalHref = attribute(element, 'href');
    }
  }

  addTime(element: Element): void {
    const at = attribute(element, 'datetime');
    if (at === null) return;
    const says = `${attribute(element, 'itemprop') ?? ''} ${attribute(element, 'class') ?? ''}`;
    if (MODIFIED.test(says)) this.#modified ??= at;
    else if (PUBLISHED.test(says) || Object.hasOwn(element.attribs, 'pubdate')) this.#published ??= at;
  }

  addJsonLd(source: string): void {
    this.#jsonLdCharacters += source.length;
    if (this.#jsonLdCharacters > MAX_JSON_LD_CHARACTERS || this.#jsonLd.length >= MAX_JSON_LD_ITEMS) return;
    try {
      this.#jsonLd.push(JSON.parse(source));
    } catch {
      // Broken data of a page is the page's own matter: the rest of it is as good as ever.
    }
  }

  first(...names: string[]): string | null {
    for (const name of names) {
      const value = this.#meta.get(name);
      if (value !== undefined) return value;
    }
    return null;
  }

  /** Whether it says when it was published. */
  isPublished(): boolean {
    return (
      this.first('article:published_time', 'datepublished') !== null ||
      this.#published !== null ||
      jsonLdFacts(this.#jsonLd).published !== null
    );
  }

  /** What the page says to all robots, and to the one of this name. */
  robots(productToken: string): RobotsDirectives {
    return readDirectives(...this.#robots, this.first(productToken.toLowerCase()) ?? '');
  }

  /** As the page declares it, in its usual spelling; null where it declares none, or nothing that is one. */
  pageLanguage(): string | null {
    const declared = this.language?.trim() || this.first('content-language', 'og:locale', 'dc.language');
    if (!declared) return null;
    try {
      return Intl.getCanonicalLocales(declared.split(',', 1)[0]?.trim().replaceAll('_', '-'))[0] ?? null;
    } catch {
      // A RangeError is the only way to learn that it is no language.
      return null;
    }
  }

  metadata(
    resolve: (href: string) => string | null,
    content: { readonly wordCount: number; readonly outline: readonly OutlineEntry[] },
  ): PageMetadata {
    const facts = jsonLdFacts(this.#jsonLd);
    const image = this.first('og:image', 'og:image:url', 'twitter:image') ?? facts.image;
    const keywords = this.first('keywords', 'news_keywords')?.split(/[,;]/) ?? [];
    return {
      description:
        this.first('description', 'og:description', 'twitter:description', 'dc.description') ?? facts.description,
      author: this.#author() ?? facts.author,
      publishedAt: firstTime(
        this.first('article:published_time', 'datepublished', 'date', 'dc.date', 'dcterms.created', 'parsely-pub-date'),
        facts.published,
        this.#published,
      ),
      modifiedAt: firstTime(
        this.first('article:modified_time', 'og:updated_time', 'datemodified', 'last-modified', 'dcterms.modified'),
        facts.modified,
        this.#modified,
      ),
      canonicalUrl: this.canonicalHref === null ? null : resolve(this.canonicalHref),
      siteName: this.first('og:site_name', 'application-name') ?? facts.siteName,
      image: image === null ? null : resolve(image),
      generator: this.first('generator'),
      keywords: keywords
        .map((word) => word.trim())
        .filter((word) => word !== '')
        .slice(0, MAX_KEYWORDS),
      ...content,
      openGraph: this.#openGraph(),
      jsonLd: this.#jsonLd,
    };
  }

  /** `article:author` is often the address of a profile, which names nobody. */
  #author(): string | null {
    for (const name of ['author', 'article:author', 'dc.creator', 'parsely-author', 'sailthru.author', 'byl']) {
      const value = this.first(name);
      if (value !== null && !/^https?:\/\//i.test(value)) return value;
    }
    return null;
  }

  #openGraph(): Record<string, string> {
    const entries: [string, string][] = [];
    for (const [name, value] of this.#meta) if (name.startsWith('og:')) entries.push([name.slice(3), value]);
    return Object.fromEntries(entries);
  }
}

function firstTime(...values: (string | null)[]): string | null {
  for (const value of values) {
    const time = value === null ? Number.NaN : Date.parse(value);
    if (!Number.isNaN(time)) return new Date(time).toISOString();
  }
  return null;
}
