/** Problems of one file by kind and number: as many objects as there are kinds, however many entries are bad. */
import { MAX_ADDRESS_CHARS, type SitemapProblem, type SitemapProblemCode } from './sitemap.ts';

/** Why an entry has no usable address. */
export type AddressFault = 'missing' | 'invalid' | 'too-long' | 'entity';

type Slip = 'ampersand' | 'tag' | 'value';

/** What ended the reading, or the file, comes before what was wrong within. */
const ORDER: readonly SitemapProblemCode[] = [
  'EMPTY',
  'NOT_A_SITEMAP',
  'TOO_LARGE',
  'GZIP_BROKEN',
  'TRUNCATED',
  'ENTITIES_DECLARED',
  'UNUSABLE_ADDRESSES',
  'TAGS_MISMATCHED',
  'CONTENT_OUTSIDE',
  'STRAY_AMPERSANDS',
  'VALUES_IGNORED',
];

/** Hold for any file; the others only mean something in a sitemap. */
const OF_ANY_FILE: ReadonlySet<SitemapProblemCode> = new Set(['NOT_A_SITEMAP', 'TOO_LARGE', 'GZIP_BROKEN']);

export class ProblemLog {
  readonly #sentences = new Map<SitemapProblemCode, string>();
  readonly #faults: Record<AddressFault, number> = { missing: 0, invalid: 0, 'too-long': 0, entity: 0 };
  readonly #slips: Record<Slip, number> = { ampersand: 0, tag: 0, value: 0 };

  /** The first sentence of a kind counts: it is nearest to the cause. */
  say(code: SitemapProblemCode, message: string): void {
    if (!this.#sentences.has(code)) this.#sentences.set(code, message);
  }

  has(code: SitemapProblemCode): boolean {
    return this.#sentences.has(code);
  }

  countFault(fault: AddressFault): void {
    this.#faults[fault]++;
  }

  countSlip(slip: Slip, times = 1): void {
    this.#slips[slip] += times;
  }

  list(): SitemapProblem[] {
    const said = new Map(this.#sentences);
    const add = (code: SitemapProblemCode, message: string | null) => message !== null && said.set(code, message);
    add('UNUSABLE_ADDRESSES', this.#unusable());
    const { ampersand, tag, value } = this.#slips;
    if (tag > 0) add('TAGS_MISMATCHED', `${counted(tag, 'tag is', 'tags are')} not closed or closing nothing.`);
    if (ampersand > 0) {
      const those = counted(ampersand, 'address has', 'addresses have');
      add('STRAY_AMPERSANDS', `${those} an & that should be written &amp;; it was taken as it stands.`);
    }
    if (value > 0) {
      const those = counted(value, 'value', 'values');
      add('VALUES_IGNORED', `${those} of lastmod, changefreq or priority can't be read; the entries count without.`);
    }
    const isSitemap = !said.has('NOT_A_SITEMAP');
    return ORDER.flatMap((code) => {
      const message = isSitemap || OF_ANY_FILE.has(code) ? said.get(code) : undefined;
      return message === undefined ? [] : [{ code, message }];
    });
  }

  #unusable(): string | null {
    const { missing, invalid, 'too-long': tooLong, entity } = this.#faults;
    const total = missing + invalid + tooLong + entity;
    if (total === 0) return null;
    const reasons: readonly (readonly [number, string])[] = [
      [missing, 'without any'],
      [invalid, 'not http(s) or malformed'],
      [tooLong, `longer than ${MAX_ADDRESS_CHARS} characters`],
      [entity, 'written with a declared entity'],
    ];
    const listed = reasons.filter(([count]) => count > 0).map(([count, reason]) => `${count} ${reason}`);
    return `${counted(total, 'entry has', 'entries have')} no usable address: ${listed.join(', ')}.`;
  }
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
