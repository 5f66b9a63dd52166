/**
 * Session ids written into URLs: they name the visitor, so one page has as many URLs as visits. Which of them are no
 * part of an identity is decided here; that they stay in the URL that is requested is normalize.ts's business.
 */

/** Names that mean a session wherever they are met. Compared in lower case, as all names here. */
const SESSION_NAMES = new Set(
  [
    'jsessionid jsessionidsso jservsessionid phpsessid phpsessionid asp.net_sessionid mscssid bv_sessionid ci_session',
    '_session_id sessid sesskey _wpnonce cftoken zenid oscsid xtcsid modsid osadminid',
  ].flatMap((line) => line.split(' ')),
);
/** The same, unless the value is a number of few digits: the talks of a conference are `?session_id=42`. */
const COUNTED_NAMES = new Set(['sessionid', 'session_id', 'session-id', 'sess_id', 's_id']);
/** Classic ASP adds letters of its own to the name: `ASPSESSIONIDQQGGGTFC`. */
const ASP_SESSION = 'aspsessionid';

/** Names that mean a session unless the value is something to say: `?session=keynote2024`, `?sid=42`. */
const VISIT_NAMES = new Set(
  'sid ssid ses sess session phpsession sessionkey session_key sessiontoken session_token'.split(' '),
);
const MIN_VISIT_LENGTH = 8;
const MIN_VISIT_CHANGES = 2;

/** Names that mean a session on one site and a subject or a search on another: the value has to look random too. */
const AMBIGUOUS_NAMES = new Set(
  ['s', 'token _token csrf _csrf csrftoken csrf_token authenticity_token nonce'].flatMap((line) => line.split(' ')),
);

/**
 * ASP.NET without cookies puts a segment into the path: `(S(55chars…))`, `(X(1)S(…)F(…))`: session, ticket, anonymous id.
 * The brackets may be escaped.
 */
const COOKIELESS_SEGMENT = /^(?:\(|%28)(?:[AFSX](?:\(|%28)[\w-]+(?:\)|%29))+(?:\)|%29)$/i;
/** So `/(S(n))` remains a subject of mathematics; `X(1)` only says that cookies were probed. */
const COOKIELESS_ID = /[AFS](?:\(|%28)[\w-]{16}|^(?:\(|%28)X(?:\(|%28)\d/i;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const MIN_RANDOM_LENGTH = 16;
/** Words have digits at one or two places (`windows2000server` changes twice); 16 random base-36 digits change 6 times. */
const MIN_RANDOM_CHANGES = 3;

/**
 * Whether a text looks drawn by lot: a UUID, or at least 16 ASCII letters and digits, no other sign among them, that are
 * hex with both kinds, or change between letters and digits at least three times. Case is not looked at, since identity
 * may fold it. A long number stays: it counts something or is a time.
 */
export function looksRandom(text: string): boolean {
  return text.length >= MIN_RANDOM_LENGTH && isMixed(text, MIN_RANDOM_CHANGES);
}

/** Letters and digits only, that change from one to the other so often; once is enough for hex. */
function isMixed(text: string, minChanges: number): boolean {
  let changes = 0;
  let isHex = true;
  let wasDigit = isDigit(text.charCodeAt(0));
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const digit = isDigit(code);
    const letter = code | 32;
    if (!digit) {
      if (letter < 97 || letter > 122) return text.length === 36 && UUID.test(text);
      if (letter > 102) isHex = false;
    }
    if (digit !== wasDigit) changes++;
    wasDigit = digit;
  }
  return changes >= (isHex ? 1 : minChanges);
}

/** `beside`: the text the parameter stands in, since `cfid` is a session only where a `cftoken` is. */
export function isSessionParameter(parameter: string, beside: string): boolean {
  const equals = parameter.indexOf('=');
  const name = (equals < 0 ? parameter : parameter.slice(0, equals)).toLowerCase();
  if (VISIT_NAMES.has(name)) return equals >= 0 && looksLikeVisit(parameter.slice(equals + 1));
  if (AMBIGUOUS_NAMES.has(name)) return equals >= 0 && looksRandom(parameter.slice(equals + 1));
  if (name === 'cfid') return /[&;?]cftoken=|^cftoken=/i.test(beside);
  if (COUNTED_NAMES.has(name)) return equals < 0 || !isShortNumber(parameter, equals + 1);
  return SESSION_NAMES.has(name) || name.startsWith(ASP_SESSION);
}

const looksLikeVisit = (value: string): boolean =>
  value.length >= MIN_VISIT_LENGTH && isMixed(value, MIN_VISIT_CHANGES);

/** Whether a name means a session more often than not, whatever its value. */
export const isSessionName = (name: string): boolean => VISIT_NAMES.has(name) || COUNTED_NAMES.has(name);

/** A path without `;jsessionid=…` and its like, and without the segments of ASP.NET. Other path parameters stay. */
export function withoutPathSessions(path: string): string {
  if (!path.includes(';') && !path.includes('(') && !path.includes('%28')) return path;
  const kept: string[] = [];
  for (const segment of path.split('/')) {
    const name = withoutSegmentSessions(segment, path);
    if (!COOKIELESS_SEGMENT.test(name) || !COOKIELESS_ID.test(name)) kept.push(name);
  }
  const rest = kept.join('/');
  return rest === '' ? '/' : rest;
}

/**
 * One parameter of a query without the sessions in it, or an empty string. Some servers append theirs behind a semicolon
 * even here (`?a=1;jsessionid=…`), and some take the semicolon for an ampersand.
 */
export function withoutQuerySessions(parameter: string, query: string): string {
  if (!parameter.includes(';')) return isSessionParameter(parameter, query) ? '' : parameter;
  return parameter
    .split(';')
    .filter((piece) => !isSessionParameter(piece, query))
    .join(';');
}

function withoutSegmentSessions(segment: string, path: string): string {
  if (!segment.includes(';')) return segment;
  const [name = '', ...parameters] = segment.split(';');
  // What is left would be a step up or none, which the next parser takes: the key would not be its own key.
  if (name === '.' || name === '..') return segment;
  return [name, ...parameters.filter((parameter) => !isSessionParameter(parameter, path))].join(';');
}

function isShortNumber(text: string, from: number): boolean {
  if (text.length === from || text.length - from > 6) return false;
  for (let at = from; at < text.length; at++) if (!isDigit(text.charCodeAt(at))) return false;
  return true;
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57;
