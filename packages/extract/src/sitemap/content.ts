/** Which parser reads a file, told by how it begins. */
import type { AddressResolver } from './entry-draft.ts';
import type { Findings } from './findings.ts';
import type { ProblemLog } from './problems.ts';
import type { SitemapParser } from './sitemap.ts';
import { TextSitemap } from './text-sitemap.ts';
import { XmlSitemap } from './xml-sitemap.ts';

/** How far XML is looked for behind something else, such as the warnings of a script. */
const HEAD_CHARS = 4096;
const ADDRESS_START = /^https?:\/\//i;
const XML_START = /<\?xml|<(?:[\w.-]{1,64}:)?(?:urlset|sitemapindex|rss|rdf|feed)\b/i;
const PAGE_START = /<!doctype html|<html\b|<body\b/i;
/** No text has these: tab, the line ends and form feed are the control characters that do occur. */
const BINARY = /\p{Cc}/u;
const TEXT_CONTROLS = /[\t\n\v\f\r\u0085]/g;

export class SitemapContent implements SitemapParser {
  readonly #resolve: AddressResolver;
  readonly #findings: Findings;
  readonly #log: ProblemLog;
  #parser: SitemapParser | null = null;
  /** Without the white space it begins with, until a parser is found. */
  #head = '';
  #isBinary = false;

  constructor(resolve: AddressResolver, findings: Findings, log: ProblemLog) {
    this.#resolve = resolve;
    this.#findings = findings;
    this.#log = log;
  }

  get hasGivenUp(): boolean {
    return this.#isBinary || (this.#parser?.hasGivenUp ?? false);
  }

  write(text: string): void {
    if (this.hasGivenUp) return;
    if (this.#parser) {
      this.#parser.write(text);
      return;
    }
    this.#head = this.#head === '' ? text.trimStart() : this.#head + text;
    this.#choose(false);
  }

  end(isCut: boolean): void {
    if (this.hasGivenUp) return;
    if (!this.#parser && this.#head === '') {
      if (!isCut) this.#log.say('EMPTY', 'The file is empty.');
      return;
    }
    if (!this.#parser) this.#choose(true);
    this.#parser?.end(isCut);
  }

  #choose(isWhole: boolean): void {
    const head = this.#head.slice(0, HEAD_CHARS);
    if (head.startsWith('<')) this.#begin(new XmlSitemap(this.#resolve, this.#findings, this.#log));
    else if (ADDRESS_START.test(head)) this.#begin(new TextSitemap(this.#resolve, this.#findings, this.#log));
    else if (isWhole || head.length === HEAD_CHARS) this.#chooseByMore(head);
  }

  #chooseByMore(head: string): void {
    if (BINARY.test(head.replace(TEXT_CONTROLS, ''))) {
      this.#isBinary = true;
      this.#log.say('NOT_A_SITEMAP', 'The file is binary data, or compressed in a way that is not understood.');
    } else if (XML_START.test(head) || PAGE_START.test(head)) {
      this.#begin(new XmlSitemap(this.#resolve, this.#findings, this.#log));
    } else {
      this.#begin(new TextSitemap(this.#resolve, this.#findings, this.#log));
    }
  }

  #begin(parser: SitemapParser): void {
    this.#parser = parser;
    parser.write(this.#head);
    this.#head = '';
  }
}
