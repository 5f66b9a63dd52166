/**
 * The shape of a URL: what pages made from one pattern have in common. A site without end (calendars, filters, sessions)
 * has few shapes with very many pages each, which is how a quota tells it from a large one.
 */
import { hash } from 'node:crypto';
import { machineName } from './host.ts';
import {
  endsInDate,
  isCalendar,
  isDate,
  isFacet,
  isNumber,
  isSearch,
  namesOf,
  pageOfPath,
  someParameter,
  stemOf,
  words,
} from './listing-signs.ts';
import { isSessionName, isSessionParameter, looksRandom, withoutPathSessions } from './session-ids.ts';

const HEX = /^(?=.*\d)[0-9a-f]{8,}$/i;
const CALENDAR_NAMES = words('calendar cal kalender calendrier termine');
/** What a calendar shows of a date: `/events/2026-11/list`. */
const CALENDAR_VIEWS = words('day week month year list grid agenda events calendar');

/**
 * Host and path with variable segments as `#`, digits within a segment as `#`, the last of several segments as `*`, and
 * the name of the parameter: `example.com/api/util/*`, `example.com/item?id=*`. A page right below the root keeps its
 * name (save its digits): the top level of a site is written by people.
 *
 * Of an endless-looking URL the query is `?*`: by their names a grid of 10 filters would be 1,023 templates, each with a
 * quota of its own. Its template starts with `~` and is never that of another URL, as the first quota goes by the look.
 */
export function pathTemplate(url: URL | string): string {
  const { hostname, pathname, search } = typeof url === 'string' ? new URL(url) : url;
  return templateOf(machineName(hostname), pathname, search, isEndlessLooking(pathname, search));
}

/** `pathTemplate` of parts that are at hand. */
export function templateOf(host: string, path: string, query: string, endless: boolean): string {
  const segments = path.split('/').slice(1);
  if (segments.length > 1 && segments.at(-1) === '') segments.pop();
  const last = segments.length - 1;
  const shape = segments.map((segment, at) => (at === last && at > 0 ? '*' : shapeOf(segment))).join('/');
  return endless ? `~${host}/${shape}${query.length > 1 ? '?*' : ''}` : `${host}/${shape}${queryShape(query)}`;
}

/**
 * Whether a URL is of a kind that sites make without end: dates that go on, filters that combine, and ids drawn by lot. Not page
 * numbers, however deep: many a site that is only large names its pages so. Only how many of its kind are tried at first depends on it, so a doubtful sign may count; a page of
 * documentation or an article (`/2024/05/18/title`) must not.
 */
export function isEndlessLooking(path: string, query: string): boolean {
  return (query.length > 1 && isEndlessQuery(query)) || isEndlessPath(path);
}

function isEndlessQuery(query: string): boolean {
  let parameters = 0;
  return someParameter(query, (name, value) => {
    parameters++;
    // Two parameters combine: each value of one with each of the other.
    return parameters > 1 || isEndlessParameter(name, value);
  });
}

function isEndlessParameter(name: string, value: string): boolean {
  if (isFacet(name, value) || isCalendar(name, value) || isSearch(name, value)) return true;
  if (looksRandom(value) || isSessionName(name) || isSessionParameter(`${name}=${value}`, '')) return true;
  return hasRepeatedItem(value);
}

/** `?tags=red,blue,red`: each click adds one more. */
function hasRepeatedItem(value: string): boolean {
  if (!value.includes(',') && !value.includes('%2C') && !value.includes('|') && !value.includes('%7C')) return false;
  const items = value.split(/,|%2C|\||%7C/);
  return new Set(items).size < items.length;
}

function isEndlessPath(path: string): boolean {
  const names = namesOf(path);
  const last = stemOf(names.at(-1) ?? '');
  const page = pageOfPath(last, names.at(-2) ?? '');
  // What is left is what the page or view is of: `/2026/11/page/2`, `/events/2026-11/list`.
  if (page !== null) names.length -= isNumber(last) ? 2 : 1;
  else if (CALENDAR_VIEWS.has(last)) names.pop();
  return isDated(names) || names.some(isToken) || withoutPathSessions(path) !== path;
}

/** A date with a title behind it is an article, so only the end of the path counts. */
function isDated(names: readonly string[]): boolean {
  const last = stemOf(names.at(-1) ?? '');
  if (isDate(last) || endsInDate(names, last)) return true;
  // Below a calendar any number is a date, in whatever spelling: `/calendar/week-14`, `/calendar/november-2026`.
  return (
    /\d/.test(last) && last.split(/[-_]/).some(isNumber) && names.slice(0, -1).some((name) => CALENDAR_NAMES.has(name))
  );
}

/** Files are not tokens: what generators call by a hash is as finite as what they were made from. */
const isToken = (name: string): boolean => looksRandom(name) && !name.includes('.');

/** 48 bits of a digest: the same in every process, and short, since it is carried with each link. */
export function templateHash(template: string): string {
  return hash('sha1', template, 'base64url').slice(0, 8);
}

function shapeOf(segment: string): string {
  if (HEX.test(segment) || looksRandom(segment)) return '#';
  // A date is digits and separators, so `2026-11-18` and `2026_11_18` become one sign, as a plain number does.
  return /\d/.test(segment) ? segment.replace(/\d+(?:[-_.:]\d+)*/g, '#') : segment;
}

/** Of a query that does not look endless, and so has one parameter or none. */
function queryShape(query: string): string {
  const parameter = query
    .slice(1)
    .split('&')
    .find((candidate) => candidate !== '' && !candidate.startsWith('='));
  return parameter === undefined ? '' : `?${parameter.split('=', 1)[0]}=*`;
}
