/** Dates as sitemaps and feeds write them. Knows nothing of now: a date in the far future is a date. */

/** No date is longer; keeps the patterns below from being tried on anything else. */
const MAX_DATE_CHARS = 64;

/** Zero dates of databases and languages (0001-01-01, 1899-12-30) are no answer to "when was this page changed". */
const EARLIEST_YEAR = 1900;

/** W3C date-time (year, month, date, time, zone), and its common slips: a space for the T, one digit, no colon in the zone. */
const W3C =
  /^(\d{4})(?:-(\d{1,2})(?:-(\d{1,2})(?:(?:T|\s+)(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?\s*(Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?)?)?$/i;

/** RFC 822 as feeds have it: day of the week, time, seconds and zone may be missing, the year may have two digits. */
const RFC_822 =
  /^(?:[a-z]{3,9}\.?,?\s+)?(\d{1,2})[\s-]+([a-z]{3})[a-z]{0,6}\.?[\s-]+(\d{4}|\d{2})(?:\s+(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?)?\s*([a-z]{1,5}|[+-]\d{2}:?\d{2})?$/i;

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** The zones that RFC 822 names. Any other name counts as UTC, as RFC 5322 says. */
const ZONE_HOURS: ReadonlyMap<string, number> = new Map([
  ['est', -5],
  ['edt', -4],
  ['cst', -6],
  ['cdt', -5],
  ['mst', -7],
  ['mdt', -6],
  ['pst', -8],
  ['pdt', -7],
]);

/** Null for what is no date. What is missing is the first of its kind (month, day, midnight), a missing zone is UTC. */
export function parseDate(text: string): Date | null {
  if (text.length > MAX_DATE_CHARS) return null;
  const w3c = W3C.exec(text);
  if (w3c) {
    const [, year, month, day, hour, minute, second, fraction, zone] = w3c;
    return toDate({
      year: Number(year),
      month: Number(month ?? 1),
      day: Number(day ?? 1),
      hour: Number(hour ?? 0),
      minute: Number(minute ?? 0),
      second: Number(second ?? 0),
      millisecond: Math.floor(Number(`0.${fraction ?? 0}`) * 1000),
      offsetMinutes: offsetOf(zone),
    });
  }
  const rfc = RFC_822.exec(text);
  if (!rfc) return null;
  const [, day, month, year, hour, minute, second, zone] = rfc;
  return toDate({
    year: fullYear(year ?? ''),
    month: MONTHS.indexOf((month ?? '').toLowerCase()) + 1,
    day: Number(day),
    hour: Number(hour ?? 0),
    minute: Number(minute ?? 0),
    second: Number(second ?? 0),
    millisecond: 0,
    offsetMinutes: offsetOf(zone),
  });
}

interface DateParts {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly millisecond: number;
  /** Null for a zone that can't be. */
  readonly offsetMinutes: number | null;
}

function toDate(parts: DateParts): Date | null {
  const { year, month, day, hour, minute, second, millisecond, offsetMinutes } = parts;
  if (year < EARLIEST_YEAR || month < 1 || month > 12 || day < 1 || offsetMinutes === null) return null;
  // Second 60 is a leap second: the next minute, to a Date.
  if (hour > 23 || minute > 59 || second > 60) return null;
  // Day 0 of the next month is the last of this one.
  if (day > 28 && day > new Date(Date.UTC(year, month, 0)).getUTCDate()) return null;
  const date = new Date(Date.UTC(year, month - 1, day, hour, minute - offsetMinutes, second, millisecond));
  // "Never" west of Greenwich, 9999-12-31T23:59:59-05:00, is a year that few stores know.
  return date.getUTCFullYear() > 9999 ? null : date;
}

/** As RFC 5322 reads the two digits of old feeds. */
function fullYear(digits: string): number {
  const year = Number(digits);
  if (digits.length > 2) return year;
  return year < 50 ? 2000 + year : 1900 + year;
}

function offsetOf(zone: string | undefined): number | null {
  if (zone === undefined) return 0;
  const sign = zone.startsWith('-') ? -1 : 1;
  if (sign > 0 && !zone.startsWith('+')) return (ZONE_HOURS.get(zone.toLowerCase()) ?? 0) * 60;
  const digits = zone.replace(/\D/g, '').padEnd(4, '0');
  const hours = Number(digits.slice(0, 2));
  const minutes = Number(digits.slice(2));
  return hours > 23 || minutes > 59 ? null : sign * (hours * 60 + minutes);
}
