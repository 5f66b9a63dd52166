/** One entry while it is read: its values as text to what they mean. Knows nothing of elements or formats. */

import { createResolver } from '../links.ts';
import { parseDate } from './dates.ts';
import type { FieldText } from './field-text.ts';
import type { Findings } from './findings.ts';
import type { AddressFault, ProblemLog } from './problems.ts';
import { type ChangeFrequency, MAX_ADDRESS_CHARS } from './sitemap.ts';

export type Field = 'address' | 'lastmod' | 'changefreq' | 'priority';

/** What an entry names: a page, or a further sitemap. */
export type EntryKind = 'page' | 'sitemap';

const FREQUENCIES: readonly ChangeFrequency[] = ['always', 'hourly', 'daily', 'weekly', 'monthly', 'yearly', 'never'];
const NUMBER = /^(?:\d{1,9}(?:\.\d{0,20})?|\.\d{1,20})$/;

/** The address that a reference in this sitemap leads to; null unless it is http(s). */
export type AddressResolver = (reference: string) => string | null;

export function createAddressResolver(sitemapUrl: string): AddressResolver {
  const resolve = createResolver(sitemapUrl);
  return (reference) => {
    const resolved = resolve(reference);
    return resolved && resolved.url + resolved.fragment;
  };
}

/** One for a whole file: `begin` empties it. */
export class EntryDraft {
  readonly #resolve: AddressResolver;
  readonly #findings: Findings;
  readonly #log: ProblemLog;

  #kind: EntryKind = 'page';
  #url: string | null = null;
  #fault: AddressFault = 'missing';
  #lastmod: Date | null = null;
  #changefreq: ChangeFrequency | null = null;
  #priority: number | null = null;

  constructor(resolve: AddressResolver, findings: Findings, log: ProblemLog) {
    this.#resolve = resolve;
    this.#findings = findings;
    this.#log = log;
  }

  begin(kind: EntryKind): void {
    this.#kind = kind;
    this.#url = null;
    this.#fault = 'missing';
    this.#lastmod = null;
    this.#changefreq = null;
    this.#priority = null;
  }

  /** The first usable value of each kind counts. */
  set(field: Field, value: FieldText): void {
    if (field === 'address') {
      if (this.#url === null) this.#setAddress(value);
      return;
    }
    const text = value.read();
    if (text !== '' && !this.#setDetail(field, text)) this.#log.countSlip('value');
  }

  finish(): void {
    const url = this.#url;
    if (url === null) this.#log.countFault(this.#fault);
    else if (this.#kind === 'sitemap') this.#findings.addSitemap(url);
    else {
      const lastmod = this.#lastmod;
      this.#findings.addEntry({ url, lastmod, changefreq: this.#changefreq, priority: this.#priority });
    }
  }

  get hasAddress(): boolean {
    return this.#url !== null;
  }

  #setAddress(value: FieldText): void {
    const text = value.read();
    if (value.isTooLong || text.length > MAX_ADDRESS_CHARS) this.#fault = 'too-long';
    else if (value.isSpoilt) this.#fault = 'invalid';
    else if (value.hasUnknownEntity && this.#log.has('ENTITIES_DECLARED')) this.#fault = 'entity';
    else if (text !== '') {
      this.#url = this.#resolve(text);
      if (this.#url === null) this.#fault = 'invalid';
      else if (value.hasStrayAmpersand) this.#log.countSlip('ampersand');
    }
  }

  /** False if the text is nothing of its kind. */
  #setDetail(field: Exclude<Field, 'address'>, text: string): boolean {
    if (field === 'lastmod') {
      const date = parseDate(text);
      this.#lastmod ??= date;
      return date !== null;
    }
    if (field === 'changefreq') {
      const word = text.toLowerCase();
      const frequency = FREQUENCIES.find((known) => known === word) ?? null;
      this.#changefreq ??= frequency;
      return frequency !== null;
    }
    const priority = NUMBER.test(text) && Number(text) <= 1 ? Number(text) : null;
    this.#priority ??= priority;
    return priority !== null;
  }
}
