/** What a page says about itself in its head: collected as met, judged at the end, when `<base>` is known. */
import type { Attributes } from './markup.ts';
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
  readonly wordCount: number;
  /** `og:` properties by the rest of their name, the first of each. */
  readonly openGraph: Record<string, string>;
  readonly jsonLd: readonly unknown[];
}

/** A page may fill its head without end; nobody reads more than this. */
const MAX_ENTRIES = 100;
const MAX_VALUE_CHARACTERS = 2000;
const MAX_JSON_LD_CHARACTERS = 256 * 1024;
const MAX_JSON_LD_ITEMS = 20;

export class HeadCollector {
  title: string | null = null;
  language: string | null = null;
  canonicalHref: string | null = null;
  /** By lower-case name, property or itemprop; the first of each counts. */
  readonly #meta = new Map<string, string>();
  readonly #robots: string[] = [];
  readonly #jsonLd: unknown[] = [];
  #jsonLdCharacters = 0;

  addMeta(attributes: Attributes): void {
    const content = attributes.get('content')?.trim();
    const name = (
      attributes.get('property') ??
      attributes.get('name') ??
      attributes.get('itemprop') ??
      attributes.get('http-equiv')
    )
      ?.trim()
      .toLowerCase();
    // A page may say it in several tags, and each counts.
    if (content && name === 'robots' && this.#robots.length < MAX_ENTRIES) this.#robots.push(content.slice(0, 200));
    if (!content || !name || this.#meta.has(name) || this.#meta.size >= MAX_ENTRIES) return;
    this.#meta.set(name, content.slice(0, MAX_VALUE_CHARACTERS));
  }

  addLink(attributes: Attributes): void {
    if (this.canonicalHref === null && attributes.get('rel')?.trim().toLowerCase() === 'canonical') {
      this.canonicalHref = attributes.get('href');
    }
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

  /** What the page says to all robots, and to the one of this name. */
  robots(productToken: string): RobotsDirectives {
    return readDirectives(...this.#robots, this.first(productToken.toLowerCase()) ?? '');
  }

  pageLanguage(): string | null {
    const declared = this.language?.trim() || this.first('content-language', 'og:locale');
    return declared ? declared.replaceAll('_', '-').slice(0, 35) : null;
  }

  metadata(resolve: (href: string) => string | null, wordCount: number): PageMetadata {
    const image = this.first('og:image', 'og:image:url', 'twitter:image');
    return {
      description: this.first('description', 'og:description', 'twitter:description'),
      author: this.first('author', 'article:author', 'dc.creator'),
      publishedAt: isoTime(
        this.first('article:published_time', 'datepublished', 'date', 'dc.date', 'dcterms.created') ??
          this.#fromJsonLd('datePublished'),
      ),
      modifiedAt: isoTime(
        this.first('article:modified_time', 'og:updated_time', 'datemodified', 'last-modified', 'dcterms.modified') ??
          this.#fromJsonLd('dateModified'),
      ),
      canonicalUrl: this.canonicalHref === null ? null : resolve(this.canonicalHref),
      siteName: this.first('og:site_name', 'application-name'),
      image: image === null ? null : resolve(image),
      wordCount,
      openGraph: this.#openGraph(),
      jsonLd: this.#jsonLd,
    };
  }

  #openGraph(): Record<string, string> {
    const entries: [string, string][] = [];
    for (const [name, value] of this.#meta) if (name.startsWith('og:')) entries.push([name.slice(3), value]);
    return Object.fromEntries(entries);
  }

  #fromJsonLd(property: string): string | null {
    for (const item of this.#jsonLd.flat(1)) {
      if (typeof item !== 'object' || item === null) continue;
      const value: unknown = Reflect.get(item, property);
      if (typeof value === 'string') return value;
    }
    return null;
  }
}

function isoTime(value: string | null): string | null {
  if (value === null) return null;
  const time = new Date(value);
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}
