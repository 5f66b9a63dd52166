/** The language of a text that does not say it itself. */
import { francAll } from 'franc-min';

/** Shorter texts are guesses. */
const MIN_CHARS = 80;
const MAX_CHARS = 1000;
/** A second language that is nearly as likely means that nobody knows. */
const MIN_LEAD = 0.02;

/** A language tag such as `en`, or null where the text is too short or too unclear to tell. */
export function detectLanguage(text: string): string | null {
  const sample = text.slice(0, MAX_CHARS);
  if (sample.length < MIN_CHARS) return null;
  const [best, next] = francAll(sample, { minLength: MIN_CHARS });
  if (!best || best[0] === 'und' || best[1] - (next?.[1] ?? 0) < MIN_LEAD) return null;
  // Codes of three letters become the usual ones where there are such.
  return Intl.getCanonicalLocales(best[0])[0] ?? null;
}
