/**
 * What in a URL says that it cuts through other pages: it numbers, sorts, filters, searches or dates them. The words are
 * shared by link-rank.ts (what to fetch last) and template.ts (what may have no end); what follows from one is theirs.
 */

export const words = (...lines: readonly string[]): ReadonlySet<string> =>
  new Set(lines.flatMap((line) => line.split(' ')));

/** Numbers that count pages. `p` is not among them: at WordPress `?p=123` is a post. */
const PAGE_PARAMETERS = words(
  'page paged pg pagenum page_num pagenumber page_number pageno page_no pageindex currentpage',
);
/** Numbers that count what is on the pages. */
const OFFSET_PARAMETERS = words('start offset skip startindex start_index first_result');
/** A page of a listing shows about so many: an offset divided by it is a page. */
const ITEMS_PER_PAGE = 20;

/** The same things in another choice or order. */
const FACET_PARAMETERS = words(
  'filter filters filterby filter_by facet facets refine refinement refinements fq',
  'sort sortby sort_by sort-by sortorder sort_order sort-order order orderby order_by order-by orderdir dir direction',
  'limit per_page perpage per-page pagesize page_size page-size results_per_page items_per_page show_per_page',
  'color colour size brand price price_min price_max min_price max_price minprice maxprice rating material availability',
  'display layout viewmode view_mode',
);
const FACET_PREFIXES = ['filter', 'facet', 'refine', 'sort_', 'sort-', 'order_by'];
/** `view` is a facet by its value only: `?view=net-8.0` is a version of a reference, `?view=article` a kind of page. */
const FACET_VIEWS = words(
  'list grid table tile tiles gallery compact all day week month year agenda print next previous',
);

const CALENDAR_PARAMETERS = words(
  'date day week month year yr mon ymd yyyymmdd cal calendar ical startdate start_date start-date enddate end_date end-date',
  'datefrom date_from dateto date_to eventdate event_date event-date eventdisplay tribe-bar-date',
);
const SEARCH_PARAMETERS = words('q query s search searchterm search_term search_query searchquery keyword keywords');

const PAGE_EXTENSIONS = words('html htm xhtml shtml php asp aspx jsp cfm cgi pl do action');

/** `YYYY-MM`, `YYYY-MM-DD` (or with `_`), `YYYYMMDD`, and the weeks `YYYY-Www`. With dots it would be a version. */
const DATE =
  /^(?:19|20)\d\d(?:[-_](?:0[1-9]|1[0-2])(?:[-_](?:0[1-9]|[12]\d|3[01]))?|(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])|-?w\d\d?)$/i;

/** Whether any parameter passes; names come in lower case. */
export function someParameter(query: string, test: (name: string, value: string) => boolean): boolean {
  for (let start = query.startsWith('?') ? 1 : 0; start < query.length; ) {
    const ampersand = query.indexOf('&', start);
    const end = ampersand < 0 ? query.length : ampersand;
    const parameter = query.slice(start, end);
    const equals = parameter.indexOf('=');
    const name = equals < 0 ? parameter : parameter.slice(0, equals);
    if (name !== '' && test(name.toLowerCase(), equals < 0 ? '' : parameter.slice(equals + 1))) return true;
    start = end + 1;
  }
  return false;
}

export function isFacet(name: string, value: string): boolean {
  if (FACET_PARAMETERS.has(name)) return true;
  if (name === 'view') return FACET_VIEWS.has(value.toLowerCase());
  // `f[]`, `price[min]`: the query of a form with several boxes.
  return name.includes('[') || name.includes('%5b') || FACET_PREFIXES.some((prefix) => name.startsWith(prefix));
}

/** A date that counts or moves on. A version may be written as a date: `?api-version=2024-05-01`. */
export function isCalendar(name: string, value: string): boolean {
  return CALENDAR_PARAMETERS.has(name) || (isDate(value) && !name.includes('ver') && name !== 'v');
}

/** `?q=node/5` is how Drupal writes a path, and `?s=5` no search either. */
export function isSearch(name: string, value: string): boolean {
  if (!SEARCH_PARAMETERS.has(name)) return false;
  return !value.includes('/') && !value.includes('%2F') && !(name === 's' && isNumber(value));
}

/** Which page of a listing a parameter asks for, or null: `?page=about` names one. */
export function pageOfParameter(name: string, value: string): number | null {
  const isPage = PAGE_PARAMETERS.has(name);
  if ((!isPage && !OFFSET_PARAMETERS.has(name)) || !isNumber(value)) return null;
  return isPage ? Number(value) : Math.floor(Number(value) / ITEMS_PER_PAGE) + 1;
}

/** Which page of a listing the end of a path asks for, or null: `/page/3`, `/page-3`, `/comment-page-3`, `/page3.html`. */
export function pageOfPath(last: string, before: string): number | null {
  if (isNumber(last)) return before === 'page' ? Number(last) : null;
  const digits = last.startsWith('page') ? 4 : last.startsWith('comment-page') ? 12 : 0;
  if (digits === 0) return null;
  const sign = last[digits];
  const number = last.slice(sign === '-' || sign === '_' || sign === ':' ? digits + 1 : digits);
  return isNumber(number) ? Number(number) : null;
}

/**
 * Whether a path ends in a date in parts, `/2024/05` or `/2024/05/18`. A year alone is none: it may be an edition or a
 * version. `last`: the last of the names without its extension.
 */
export function endsInDate(names: readonly string[], last: string): boolean {
  const second = names[names.length - 2] ?? '';
  if (isYear(second)) return isUpTo(12, last);
  return isUpTo(31, last) && isUpTo(12, second) && isYear(names[names.length - 3] ?? '');
}

export const isDate = (text: string): boolean => text.length >= 6 && text.length <= 10 && DATE.test(text);

export const isYear = (text: string): boolean =>
  text.length === 4 && isNumber(text) && (text.startsWith('20') || text.startsWith('19'));

/** Digits only, and not so many that they are no count. */
export function isNumber(text: string): boolean {
  if (text === '' || text.length > 10) return false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 48 || code > 57) return false;
  }
  return true;
}

/** The segments of a path in lower case, the empty ones left out. */
export function namesOf(path: string): string[] {
  const lower = path.toLowerCase();
  const names: string[] = [];
  for (let start = 1; start < lower.length; ) {
    const slash = lower.indexOf('/', start);
    const end = slash < 0 ? lower.length : slash;
    if (end > start) names.push(lower.slice(start, end));
    start = end + 1;
  }
  return names;
}

/** A last segment without the extension of a page or script; `/asp.net` and `/v1.2` keep theirs. */
export function stemOf(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot > 0 && PAGE_EXTENSIONS.has(name.slice(dot + 1)) ? name.slice(0, dot) : name;
}

const isUpTo = (most: number, text: string): boolean =>
  text.length <= 2 && isNumber(text) && Number(text) >= 1 && Number(text) <= most;
