/** The language of a text that does not say it itself. */
import { francAll } from 'franc-min';

/** Shorter texts are guesses. */
const MIN_CHARS = 80;
const MAX_CHARS = 1000;
/** A second language that is nearly as likely means that nobody knows. */
const MIN_LEAD = 0.02;

/**
 * Small words of languages that most pages are in. Trigrams cost a millisecond, more than all else that is done to a small page; these words
 * tell the same of nearly every page for a fiftieth of it.
 */
const SMALL_WORDS: Readonly<Record<string, string>> = {
  en: 'the of and to is that for with this are be not you from it which have was',
  de: 'der die und das ist nicht mit ein eine den von auf werden dem wird zu sich auch',
  fr: 'le les des et est une dans pour que qui sur pas avec vous ce sont aux être',
  es: 'el los las y es una para por con del que se como más son su está pero',
  it: 'il di che è per una con della non sono gli dei nel anche più questo alla si',
  pt: 'o os e é um uma para com não do da que em são dos mais por como',
  nl: 'de het een van en is dat op te zijn voor met niet aan wordt ook door om',
};
const LANGUAGES = Object.keys(SMALL_WORDS);
const languagesOf = new Map<string, number[]>();
for (const [at, language] of LANGUAGES.entries()) {
  for (const word of (SMALL_WORDS[language] ?? '').split(' ')) {
    const known = languagesOf.get(word);
    if (known) known.push(at);
    else languagesOf.set(word, [at]);
  }
}
/** Of all words of a text, small ones of its language are a fifth to a third; in reference pages fewer. */
const MIN_SMALL_SHARE = 0.1;
/** One letter is a word in some languages, and a variable in all code. */
const MIN_DISTINCT = 4;

/** A language tag such as `en`, or null where the text is too short or too unclear to tell. */
export function detectLanguage(text: string): string | null {
  const sample = text.slice(0, MAX_CHARS);
  if (sample.length < MIN_CHARS) return null;
  const bySmallWords = languageOfSmallWords(sample);
  if (bySmallWords !== null) return bySmallWords;
  const [best, next] = francAll(sample, { minLength: MIN_CHARS });
  if (!best || best[0] === 'und' || best[1] - (next?.[1] ?? 0) < MIN_LEAD) return null;
  // Codes of three letters become the usual ones where there are such.
  return Intl.getCanonicalLocales(best[0])[0] ?? null;
}

/** Null unless one language has many of its small words in the text, and no other half as many. */
function languageOfSmallWords(sample: string): string | null {
  const words = sample.toLowerCase().match(/\p{L}+/gu) ?? [];
  const counts = LANGUAGES.map(() => 0);
  const distinct = LANGUAGES.map(() => 0);
  const seen = new Set<string>();
  for (const word of words) {
    const languages = languagesOf.get(word);
    if (languages === undefined) continue;
    for (const at of languages) {
      counts[at] = (counts[at] ?? 0) + 1;
      if (!seen.has(word)) distinct[at] = (distinct[at] ?? 0) + 1;
    }
    seen.add(word);
  }
  const best = Math.max(...counts);
  const at = counts.indexOf(best);
  const isAlone = counts.filter((count) => count * 2 > best).length === 1;
  const isClear = best >= words.length * MIN_SMALL_SHARE && (distinct[at] ?? 0) >= MIN_DISTINCT;
  return isAlone && isClear ? (LANGUAGES[at] ?? null) : null;
}
