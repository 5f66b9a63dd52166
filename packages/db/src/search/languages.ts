/** Which text search configuration a page is indexed and searched with, by the language it says it is in. */

/** By primary language subtag. Those that a server does not have (older ones lack some) are left to `simple`. */
const CONFIGS: Readonly<Record<string, string>> = {
  ar: 'arabic',
  ca: 'catalan',
  da: 'danish',
  de: 'german',
  el: 'greek',
  en: 'english',
  es: 'spanish',
  eu: 'basque',
  fi: 'finnish',
  fr: 'french',
  ga: 'irish',
  hi: 'hindi',
  hu: 'hungarian',
  hy: 'armenian',
  id: 'indonesian',
  it: 'italian',
  lt: 'lithuanian',
  nb: 'norwegian',
  ne: 'nepali',
  nl: 'dutch',
  nn: 'norwegian',
  no: 'norwegian',
  pt: 'portuguese',
  ro: 'romanian',
  ru: 'russian',
  sr: 'serbian',
  sv: 'swedish',
  ta: 'tamil',
  tr: 'turkish',
  yi: 'yiddish',
};

/** No stemming and no stop words: words are found as they are written. */
const SIMPLE = 'simple';

/** `de-AT` and `DE_at` are `de`; null for what is no language tag. */
export function primaryLanguage(tag: string | null): string | null {
  return /^[a-z]{2,3}(?=$|[-_])/.exec(tag?.trim().toLowerCase() ?? '')?.[0] ?? null;
}

export function configFor(language: string | null, known: ReadonlySet<string>): string {
  const primary = primaryLanguage(language);
  const config = primary !== null && Object.hasOwn(CONFIGS, primary) ? CONFIGS[primary] : undefined;
  return config !== undefined && known.has(config) ? config : SIMPLE;
}
