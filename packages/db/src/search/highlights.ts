/**
 * The parts of a chunk that say why it was found, as plain text with the places of the matches in it: no markup, so nothing that a page
 * says can become one. Only for what is shown: cutting them is the dearest part of a search.
 */
import { randomBytes } from 'node:crypto';
import type postgres from 'postgres';
import { storableJson } from '../storable.ts';
import { plainText, searchable } from './plain-text.ts';
import type { Asked } from './search-text.ts';

export interface Highlight {
  readonly text: string;
  /** Of each match, where it begins and where it ends, in UTF-16 code units. */
  readonly matches: readonly (readonly [number, number])[];
}

export interface Highlighted {
  readonly text: string;
  readonly config: string;
}

const MOST_READ = 20_000;
const MOST_WORDS = 35;
const MOST_FRAGMENTS = 2;
/** Characters around a match, where there are no words to count. */
const AROUND = 60;

/** One list for each of `chunks`, in their order. */
export async function highlight(
  tx: postgres.ISql,
  chunks: readonly Highlighted[],
  asked: Asked,
): Promise<readonly (readonly Highlight[])[]> {
  const queries = new Map(asked.words.map(({ config, query }) => [config, query]));
  const texts = chunks.map(({ text, config }, at) => {
    const plain = plainText(text.slice(0, MOST_READ)).toWellFormed();
    return { at, config, plain, text: searchable(plain), query: queries.get(config) };
  });
  const headlines = await cutByWords(
    tx,
    texts.filter((text) => text.query !== undefined),
  );
  return texts.map(({ at, plain }) => headlines.get(at) ?? partsAround(plain, asked.parts.terms));
}

interface TextToCut {
  readonly at: number;
  readonly plain: string;
  readonly text: string;
}

async function cutByWords(tx: postgres.ISql, texts: readonly TextToCut[]): Promise<ReadonlyMap<number, Highlight[]>> {
  if (texts.length === 0) return new Map();
  // A page can't hold what was random after it was indexed.
  const mark = randomBytes(12).toString('hex');
  const [start, stop, cut] = [`${mark}a`, `${mark}z`, `${mark}f`];
  const options = `StartSel=${start}, StopSel=${stop}, FragmentDelimiter=${cut}, MaxFragments=${MOST_FRAGMENTS}, MaxWords=${MOST_WORDS}, MinWords=10, ShortWord=0`;
  const rows = await tx<{ at: number; headline: string }[]>`
    SELECT at, ts_headline(('pg_catalog.' || config)::regconfig, text, query::tsquery, ${options}) AS headline
    FROM json_to_recordset(${storableJson(texts)}::json) AS given(at int, text text, config text, query text)`;
  const byPlace = new Map(texts.map((text) => [text.at, text]));
  return new Map(
    rows.map(({ at, headline }) => {
      const fragments = headline.split(cut).map((fragment) => readMarks(fragment.trim(), start, stop));
      return [at, fragments.filter(({ text }) => text !== '').map((found) => asWritten(found, byPlace.get(at)))];
    }),
  );
}

/** What was cut from the searchable text, as the text itself has it in that place. */
function asWritten(cut: Highlight, of: TextToCut | undefined): Highlight {
  const from = of?.text.indexOf(cut.text) ?? -1;
  return of === undefined || from === -1 ? cut : { ...cut, text: of.plain.slice(from, from + cut.text.length) };
}

/** Takes the marks out and keeps their places. */
export function readMarks(marked: string, start: string, stop: string): Highlight {
  const matches: [number, number][] = [];
  let text = '';
  for (const [nth, part] of marked.split(start).entries()) {
    if (nth === 0) {
      text += part;
      continue;
    }
    const end = part.indexOf(stop);
    const matched = end === -1 ? part : part.slice(0, end);
    matches.push([text.length, text.length + matched.length]);
    text += matched + (end === -1 ? '' : part.slice(end + stop.length));
  }
  return { text, matches };
}

/** The surroundings of the first match; without one, the beginning. */
export function partsAround(text: string, terms: readonly string[]): Highlight[] {
  const searched = searchable(text);
  const firsts = terms.map((term) => searched.indexOf(term)).filter((at) => at !== -1);
  const first = firsts.length === 0 ? 0 : Math.min(...firsts);
  const from = Math.max(0, first - AROUND);
  // A cut may go through a pair of surrogates.
  const part = text.slice(from, first + 2 * AROUND).toWellFormed();
  if (part === '') return [];
  const places: [number, number][] = [];
  for (const term of terms) {
    const searchedPart = searched.slice(from, from + part.length);
    for (let at = searchedPart.indexOf(term); at !== -1; at = searchedPart.indexOf(term, at + term.length))
      places.push([at, at + term.length]);
  }
  places.sort((a, b) => a[0] - b[0] || b[1] - a[1]);
  const matches: [number, number][] = [];
  for (const place of places) if (place[0] >= (matches.at(-1)?.[1] ?? 0)) matches.push(place);
  return [{ text: part, matches }];
}
