/** A sitemap of plain text: one absolute address per line, nothing else. */
import type { AddressResolver } from './entry-draft.ts';
import type { Findings } from './findings.ts';
import type { ProblemLog } from './problems.ts';
import { MAX_ADDRESS_CHARS, MAX_RAW_CHARS, type SitemapParser } from './sitemap.ts';

/** An address, and no prose that begins with one. */
const ADDRESS = /^https?:\/\/\S+$/i;
const LINE_END = /[\r\n]+/;

/** A file without an address in so many characters is not read to its end. */
const MAX_CHARS_WITHOUT_ADDRESS = 2 ** 20;

export class TextSitemap implements SitemapParser {
  hasGivenUp = false;

  readonly #resolve: AddressResolver;
  readonly #findings: Findings;
  readonly #log: ProblemLog;
  /** What came of the current line, unless it is too long to be kept. */
  #line = '';
  #isTooLong = false;
  #chars = 0;

  constructor(resolve: AddressResolver, findings: Findings, log: ProblemLog) {
    this.#resolve = resolve;
    this.#findings = findings;
    this.#log = log;
  }

  write(text: string): void {
    const [first = '', ...others] = text.split(LINE_END);
    this.#extend(first);
    for (const start of others) {
      this.#endLine();
      this.#extend(start);
    }
    this.#chars += text.length;
    if (this.#findings.entryCount === 0 && this.#chars > MAX_CHARS_WITHOUT_ADDRESS) this.#giveUp();
  }

  end(isCut: boolean): void {
    // Half of an address is another address.
    if (!isCut) this.#endLine();
    if (this.#findings.entryCount === 0 && !isCut) this.#giveUp();
  }

  #extend(piece: string): void {
    if (this.#line.length + piece.length > MAX_RAW_CHARS) this.#isTooLong = true;
    else this.#line += piece;
  }

  #endLine(): void {
    const line = this.#line.trim();
    const isTooLong = this.#isTooLong || line.length > MAX_ADDRESS_CHARS;
    this.#line = '';
    this.#isTooLong = false;
    if (isTooLong) this.#log.countFault('too-long');
    else if (line !== '') this.#add(line);
  }

  #add(line: string): void {
    const url = ADDRESS.test(line) ? this.#resolve(line) : null;
    if (url === null) {
      this.#log.countFault('invalid');
      return;
    }
    this.#findings.format = 'text';
    this.#findings.addEntry({ url, lastmod: null, changefreq: null, priority: null });
  }

  #giveUp(): void {
    this.hasGivenUp = true;
    this.#log.say('NOT_A_SITEMAP', 'The file is neither XML nor a list of addresses: no line of it is one.');
  }
}
