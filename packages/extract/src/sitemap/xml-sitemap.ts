/**
 * Elements to entries: which element is an entry, which of its children are its own values, and what to make of tags that
 * don't match. What the values mean is the draft's.
 *
 *   searching   no root yet; the first known one, or an entry without a root, sets the format
 *   inside      the root is open; entries count wherever they are
 *   outside     the root was closed (or never there); what comes is reported, entries count all the same, since files are
 *               concatenated by mistake
 */
import { type AddressResolver, EntryDraft, type Field } from './entry-draft.ts';
import { FieldText } from './field-text.ts';
import type { Findings } from './findings.ts';
import type { ProblemLog } from './problems.ts';
import { Prolog } from './prolog.ts';
import type { SitemapParser } from './sitemap.ts';
import { formatOf, isHtmlName, isHtmlRoot, type XmlFormat } from './xml-formats.ts';
import { type LinkAttributes, type XmlHandler, type XmlName, XmlTokens } from './xml-tokens.ts';

/** Deeper elements are only counted. Entries lie at depth 2 or 3, with extensions down to 6 or so. */
const MAX_DEPTH = 64;
const MAX_ENTRY_DEPTH = 32;
/** How many elements are looked at for a root: warnings that a script printed ahead of it are a few. */
const MAX_ELEMENTS_BEFORE_ROOT = 100;

const NOTHING = -1;

export class XmlSitemap implements SitemapParser, XmlHandler {
  hasGivenUp = false;

  readonly #findings: Findings;
  readonly #log: ProblemLog;
  readonly #draft: EntryDraft;
  readonly #prolog = new Prolog();
  readonly #tokens = new XmlTokens(this);
  #isInProlog = true;

  #format: XmlFormat | null = null;
  /** A second root is reported, but read. */
  #hadRoot = false;
  #isRootOpen = false;
  #rootPrefix = '';
  /** The first element of all, if it is not a root. */
  #stranger = '';
  #strangers = 0;

  /** Open elements, outermost first, and how many more are open beyond the depth limit. */
  readonly #open: XmlName[] = [];
  #beyond = 0;
  /** Where in `#open` the current entry and its current value are. */
  #entryAt = NOTHING;
  #fieldAt = NOTHING;
  #field: Field = 'address';
  #value = new FieldText();

  constructor(resolve: AddressResolver, findings: Findings, log: ProblemLog) {
    this.#findings = findings;
    this.#log = log;
    this.#draft = new EntryDraft(resolve, findings, log);
  }

  write(text: string): void {
    const rest = this.#isInProlog ? this.#prolog.skip(text) : text;
    if (rest === null) return;
    if (this.#isInProlog) this.#leaveProlog();
    this.#tokens.write(rest);
  }

  end(isCut: boolean): void {
    if (this.#isInProlog) this.#leaveProlog();
    if (this.#format === null) {
      if (!isCut) this.#giveUp();
      return;
    }
    const last = this.#open.at(-1);
    if (!isCut && last) this.#log.say('TRUNCATED', `The file ends within <${last.full}>: the rest is missing.`);
    // An address that is whole counts, one that may be cut short does not; nor is that the entry's fault.
    if (this.#entryAt !== NOTHING && this.#draft.hasAddress) this.#draft.finish();
  }

  open(name: XmlName, link: LinkAttributes): void {
    if (this.hasGivenUp) return;
    if (this.#format === null && !this.#findFormat(name)) return;
    const kind = this.#format?.entries.get(name.local);
    if (kind !== undefined && this.#mayBeginEntry(name)) {
      this.#makeWayForEntry();
      this.#draft.begin(kind);
      this.#push(name);
      this.#entryAt = this.#open.length - 1;
      return;
    }
    if (this.#open.length === 0 && !this.#openRoot(name)) return;
    const field = this.#fieldOf(name);
    if (this.#fieldAt !== NOTHING) {
      // `<loc>…<lastmod>`: the end of the first is missing. Any other element within a value leaves only half of it.
      if (field === null) this.#value.isSpoilt = true;
      else this.#closeDownTo(this.#fieldAt, 1);
    }
    const isOwn = field !== null && this.#beyond === 0 && this.#open.length === this.#entryAt + 1;
    this.#push(name);
    if (isOwn) this.#beginField(field, link);
  }

  close(name: XmlName): void {
    if (this.hasGivenUp) return;
    const isEntry = this.#entryAt !== NOTHING && this.#open[this.#entryAt]?.full === name.full;
    const at = isEntry ? this.#entryAt : this.#open.findLastIndex((open) => open.full === name.full);
    // The ends of the entry and of the root are certain; of others as many belong to what lies too deep as were opened there.
    if (this.#beyond > 0 && !isEntry && at !== 0) {
      this.#beyond--;
    } else if (at >= 0) {
      this.#closeDownTo(at, 0);
    } else if (this.#format !== null) {
      if (this.#open.length === 0) this.#sayOutside();
      else this.#log.countSlip('tag');
    }
  }

  text(text: string): void {
    if (this.#isAtField()) this.#value.append(text);
    else if (this.#isTextStray() && /\S/.test(text)) this.#sayOutside();
  }

  literal(text: string | null): void {
    if (this.#isAtField()) this.#value.appendLiteral(text);
    else if (this.#isTextStray() && text !== '') this.#sayOutside();
  }

  interruption(): void {
    if (this.#isAtField()) this.#value.interrupt();
  }

  declaration(text: string): void {
    if (/(?:^|<!)entity\s/i.test(text)) this.#sayEntities();
  }

  #leaveProlog(): void {
    this.#isInProlog = false;
    if (this.#prolog.hasText) this.#sayOutside();
    if (this.#prolog.declaresEntities) this.#sayEntities();
  }

  /** Whether the format is known now. */
  #findFormat(name: XmlName): boolean {
    const format = formatOf(name);
    if (format !== null) {
      if (this.#strangers > 0) this.#sayOutside();
      this.#format = format;
      this.#findings.format = format.name;
      return true;
    }
    if (this.#strangers === 0) this.#stranger = name.full;
    this.#strangers++;
    if (isHtmlRoot(name) || this.#strangers > MAX_ELEMENTS_BEFORE_ROOT) this.#giveUp();
    return false;
  }

  #giveUp(): void {
    this.hasGivenUp = true;
    this.#log.say('NOT_A_SITEMAP', this.#verdict());
  }

  #verdict(): string {
    if (this.#prolog.hasHtmlDoctype || isHtmlName(this.#stranger)) {
      return 'This looks like a web page, not a sitemap: the server may answer with a page for addresses it does not know.';
    }
    if (this.#stranger === '') return 'There is no element in this file: it is no sitemap, or its start only.';
    return `The root element is <${this.#stranger.slice(0, 50)}>, which is neither a sitemap's nor a feed's.`;
  }

  /** False for an element that is around the root, of which nothing is kept. */
  #openRoot(name: XmlName): boolean {
    const isRoot = formatOf(name) !== null;
    if (!isRoot || this.#hadRoot) this.#sayOutside();
    if (!isRoot) return false;
    this.#hadRoot = true;
    this.#isRootOpen = true;
    this.#rootPrefix = name.prefix;
    return true;
  }

  /** Entries don't nest: one within another begins where the end of the other is missing. An extension's own is none. */
  #mayBeginEntry(name: XmlName): boolean {
    return this.#entryAt === NOTHING || name.prefix === this.#open[this.#entryAt]?.prefix;
  }

  #makeWayForEntry(): void {
    if (this.#entryAt !== NOTHING) this.#closeDownTo(this.#entryAt, 1);
    // No entry lies that deep: elements around entries lack their ends, one more with each entry.
    if (this.#open.length > MAX_ENTRY_DEPTH) this.#closeDownTo(this.#isRootOpen ? 1 : 0, 1);
    if (!this.#isRootOpen) this.#sayOutside();
  }

  #fieldOf(name: XmlName): Field | null {
    const entry = this.#entryAt === NOTHING ? undefined : this.#open[this.#entryAt];
    if (entry === undefined || this.#format === null) return null;
    const isOwn = name.prefix === entry.prefix || name.prefix === this.#rootPrefix;
    return this.#format.fields.get(isOwn ? name.local : name.full) ?? null;
  }

  #beginField(field: Field, link: LinkAttributes): void {
    if (this.#format?.name === 'atom' && field === 'address') {
      // The address is an attribute, and links to other things have a rel that says so.
      const rel = link.rel?.read().toLowerCase() ?? 'alternate';
      if (rel === 'alternate' && link.href !== null) this.#draft.set(field, link.href);
      return;
    }
    this.#field = field;
    this.#fieldAt = this.#open.length - 1;
    this.#value = new FieldText();
  }

  #push(name: XmlName): void {
    if (this.#open.length < MAX_DEPTH) this.#open.push(name);
    else this.#beyond++;
  }

  /** Closes the element at `at` and all within it, which lack their ends; so do `unclosed` more. */
  #closeDownTo(at: number, unclosed: number): void {
    const within = this.#open.length - at - 1 + this.#beyond;
    if (within + unclosed > 0) this.#log.countSlip('tag', within + unclosed);
    this.#open.length = at;
    this.#beyond = 0;
    if (this.#fieldAt >= at) {
      this.#fieldAt = NOTHING;
      this.#draft.set(this.#field, this.#value);
    }
    if (this.#entryAt >= at) {
      this.#entryAt = NOTHING;
      this.#draft.finish();
    }
    if (at === 0) this.#isRootOpen = false;
  }

  #isAtField(): boolean {
    return this.#fieldAt !== NOTHING && this.#fieldAt === this.#open.length - 1;
  }

  #isTextStray(): boolean {
    if (this.#format === null) return false;
    const depth = this.#open.length;
    return depth === 0 || (this.#format.isStrict && (depth === 1 || depth === this.#entryAt + 1));
  }

  #sayOutside(): void {
    this.#log.say('CONTENT_OUTSIDE', 'Text or elements stand before, between or after the entries, where none belong.');
  }

  #sayEntities(): void {
    this.#log.say('ENTITIES_DECLARED', 'The file declares entities of its own; they are never expanded.');
  }
}
