/**
 * How soon a link is worth fetching, by the look of its URL alone: documentation, then anything, then pages that only
 * list others. An order and no filter: whoever is ranked wrongly is fetched later, never lost, so the words are few and
 * plain. Runs once per distinct link, in about a microsecond.
 */
import {
  endsInDate,
  isCalendar,
  isDate,
  isFacet,
  isNumber,
  isSearch,
  isYear,
  namesOf,
  pageOfParameter,
  pageOfPath,
  someParameter,
  stemOf,
  words,
} from './listing-signs.ts';
import { DOCUMENTATION_SEGMENTS } from './path-filters.ts';

export type LinkRank = 'documentation' | 'ordinary' | 'listing';

/** Whole segments, beside those the preset `docs` goes by. */
const DOCUMENTATION_NAMES = new Set([
  ...DOCUMENTATION_SEGMENTS,
  ...words(
    'how-to how-tos howto howtos faqs getting-started get-started gettingstarted quickstart quick-start first-steps',
    'javadoc javadocs apidoc apidocs api-docs rustdoc pydoc godoc man manpages man-pages knowledgebase knowledge',
    'developer developers examples cookbook cheatsheet cheat-sheet glossary concepts troubleshooting spec specification',
    'specifications stdlib readme courses lessons',
  ),
]);
/** Last words of a segment: `/user-guide`, `/react_tutorial`. `api` is not one of them: `/pricing-api` sells. */
const DOCUMENTATION_ENDINGS = words(
  'docs documentation guide guides tutorial tutorials reference manual handbook howto faq cheatsheet quickstart wiki',
);
const DOCUMENTATION_STARTS = ['how-to-', 'howto-', 'getting-started-', 'introduction-to-'];

/** Segments with pages of their own behind them that only list. */
const LISTING_NAMES = words(
  'tag tags tagged category categories author authors label labels search results',
  'feed feeds rss calendar kalender memberlist',
  'login logout log-in log-out signin sign-in signout sign-out signup sign-up register account wp-login wp-admin',
  'forgot-password reset-password lost-password share print printable print-version cart checkout wishlist compare',
);
/** What a site calls its articles in order of time: behind one, a year alone is an archive. */
const TIMELINE_NAMES = words('archive archives blog news posts articles press events');

/** Parameters that list, or open a door, whatever their value. */
const LISTING_PARAMETERS = words(
  'tag tags category categories cat author label labels archive archives cursor',
  'print printable print_view printview printer_friendly replytocom comment_page cpage feed rss share',
  'oldid diff redlink returnto return_to returnurl return_url redirect redirect_to redirect_uri continue',
);
/** `?action=edit`, `?do=login`: what is done to a page rather than shown by it. */
const ACTION_PARAMETERS = words('action do act format output task');
const ACTIONS = words(
  'edit history info raw delete protect print printable login register logout search profile',
  'revisions diff backlink recent index media reply report quote share email',
);
/** MediaWiki: what is around the articles. The Help, Manual and API namespaces are articles. */
const WIKI_NAMESPACES = words('special category user talk user_talk file template module mediawiki category_talk');

/**
 * Two kinds of signs. A shape (a page number, a sorting, the end of a date) lists wherever it stands: `/docs/page/2` is a
 * second cut through links that the first page has too, so it comes last although documentation lies behind it. A word
 * lists only before a word of documentation: behind that it is a subject, as `/docs/tags/for` of a template language is.
 */
export function linkRank(pathname: string, search: string): LinkRank {
  if (search.length > 1 && someParameter(search, listsByParameter)) return 'listing';
  const names = namesOf(pathname);
  if (names.length === 0) return 'ordinary';
  return listsByShape(names) ? 'listing' : rankByWords(names);
}

function listsByParameter(name: string, value: string): boolean {
  if (LISTING_PARAMETERS.has(name) || pageOfParameter(name, value) !== null) return true;
  if (isFacet(name, value) || isCalendar(name, value) || isSearch(name, value)) return true;
  // WordPress numbers posts by `p` and writes months as `m=202405`; others number pages, which are few.
  if (name === 'p') return value.length <= 2 && isNumber(value);
  if (name === 'm') return (value.length === 6 || value.length === 8) && value.startsWith('20') && isNumber(value);
  return ACTION_PARAMETERS.has(name) && ACTIONS.has(value.toLowerCase());
}

function listsByShape(names: readonly string[]): boolean {
  const { length } = names;
  const last = stemOf(names[length - 1] ?? '');
  const before = names[length - 2] ?? '';
  if (pageOfPath(last, before) !== null) return true;
  if (endsInDate(names, last)) return true;
  // `/changelog/2024-05-18` is an entry and `/api/2024-05` a version: a date in one segment needs a word before it.
  if (TIMELINE_NAMES.has(before) && (isYear(last) || isDate(last))) return true;
  return last === 'comments' && length > 2;
}

function rankByWords(names: readonly string[]): LinkRank {
  const lastAt = names.length - 1;
  const last = names[lastAt] ?? '';
  const isStaticFile = last.endsWith('.html') || last.endsWith('.htm');
  for (let at = 0; at <= lastAt; at++) {
    const name = names[at] ?? '';
    const stem = at === lastAt ? stemOf(name) : name;
    if (isDocumentation(stem)) return isWikiNamespace(last) ? 'listing' : 'documentation';
    // Generated references use any word for a folder or file: `/java/util/Calendar.html`, `/javax/security/auth/login/…`.
    // Generated blogs list near the top: `/tags.html`, `/blog/tag/linux.html`.
    if (isStaticFile && (at > 1 || (at === lastAt && at > 0))) continue;
    if (LISTING_NAMES.has(stem) || isWikiNamespace(stem)) return 'listing';
    // Behind `topics` there are chapters too (`/topics/db/queries`), and behind `archives` articles (`/archives/123`).
    if ((stem === 'topic' || stem === 'topics') && lastAt - at <= 1 && !isStaticFile) return 'listing';
    if ((stem === 'archive' || stem === 'archives') && at === lastAt) return 'listing';
  }
  return 'ordinary';
}

function isDocumentation(name: string): boolean {
  if (DOCUMENTATION_NAMES.has(name)) return true;
  const dash = Math.max(name.lastIndexOf('-'), name.lastIndexOf('_'));
  if (dash < 0) return false;
  return (
    DOCUMENTATION_ENDINGS.has(name.slice(dash + 1)) || DOCUMENTATION_STARTS.some((start) => name.startsWith(start))
  );
}

function isWikiNamespace(name: string): boolean {
  const colon = name.indexOf(':');
  return colon > 0 && WIKI_NAMESPACES.has(name.slice(0, colon));
}
