/**
 * `llms.txt` and `llms-full.txt` of a site, as https://llmstxt.org has them: the name, a summary, then links by section, or the contents
 * themselves. Links have to be sorted, so a line of each page is held; lines are bounded, contents are not held.
 */
import { withLineEnd } from './page-file.ts';
import { type ExportedSite, type MarkdownPage, metadataText, type PageParts } from './pages.ts';
import { inPieces } from './pieces.ts';

/** What is more is no title, and no description. */
const TITLE_CHARACTERS = 200;
const DESCRIPTION_CHARACTERS = 300;
/** Of pages that share their first path segment with no other. */
const OTHER_PAGES = 'Pages';

interface Entry {
  readonly url: string;
  readonly line: string;
}

/** By first path segment, then by URL: the same pages give the same text, in whatever order they come. */
export function exportLlms(
  parts: PageParts<Omit<MarkdownPage, 'markdown'>>,
  site: ExportedSite,
): AsyncGenerator<Buffer, void, undefined> {
  return inPieces(links(parts, site));
}

export function exportLlmsFull(
  parts: PageParts<MarkdownPage>,
  site: ExportedSite,
): AsyncGenerator<Buffer, void, undefined> {
  return inPieces(contents(parts, site));
}

async function* links(parts: PageParts<Omit<MarkdownPage, 'markdown'>>, site: ExportedSite): AsyncGenerator<string> {
  const sections = new Map<string, Entry[]>();
  let summary: { url: string; text: string } | null = null;
  for await (const pages of parts) {
    for (const page of pages) {
      const description = clip(metadataText(page, 'description') ?? '', DESCRIPTION_CHARACTERS);
      const { section, isHome } = placeOf(page.url, site.mainHost);
      if (isHome && description && (summary === null || page.url < summary.url))
        summary = { url: page.url, text: description };
      const title = linkText(clip(page.title ?? '', TITLE_CHARACTERS) || page.url);
      const line = `- [${title}](${linkTarget(page.url)})${description ? `: ${description}` : ''}\n`;
      const entries = sections.get(section) ?? [];
      entries.push({ url: page.url, line });
      sections.set(section, entries);
    }
  }
  yield `# ${clip(site.name, TITLE_CHARACTERS)}\n`;
  if (summary) yield `\n> ${summary.text}\n`;
  const several = [...sections].filter(([name, entries]) => name !== '' && entries.length > 1);
  const single = [...sections].filter(([name, entries]) => name === '' || entries.length === 1);
  yield* section(
    OTHER_PAGES,
    single.flatMap(([, entries]) => entries),
  );
  several.sort(([a], [b]) => compare(a, b));
  for (const [name, entries] of several) yield* section(name, entries);
}

function* section(name: string, entries: Entry[]): Generator<string> {
  if (entries.length === 0) return;
  yield `\n## ${clip(name, TITLE_CHARACTERS)}\n\n`;
  for (const { line } of entries.sort((a, b) => compare(a.url, b.url))) yield line;
}

async function* contents(parts: PageParts<MarkdownPage>, site: ExportedSite): AsyncGenerator<string> {
  yield `# ${clip(site.name, TITLE_CHARACTERS)}\n`;
  for await (const pages of parts) {
    for (const page of pages) {
      const title = clip(page.title ?? '', TITLE_CHARACTERS) || page.url;
      yield `\n# ${title}\nSource: ${page.url}\n\n${withLineEnd(page.markdown ?? '')}`;
    }
  }
}

/** Pages of other hosts are in sections of their own. The home page is in none. */
function placeOf(address: string, mainHost: string | null): { section: string; isHome: boolean } {
  const url = URL.parse(address);
  if (url === null) return { section: '', isHome: false };
  const [segment] = url.pathname.split('/').filter(Boolean);
  const host = url.host === mainHost ? '' : url.host;
  const name = segment === undefined ? '' : decodeLoosely(segment);
  return { section: [host, name].filter(Boolean).join('/'), isHome: host === '' && segment === undefined };
}

function decodeLoosely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Not valid UTF-8 behind the percent signs: the escaped spelling is a name as well.
    return text;
  }
}

/** One line of at most so many characters, cut between two of them. */
function clip(text: string, characters: number): string {
  const line = text
    .slice(0, 4 * characters)
    .replace(/\s+/g, ' ')
    .trim();
  const all = [...line];
  return all.length <= characters
    ? line
    : `${all
        .slice(0, characters - 1)
        .join('')
        .trimEnd()}…`;
}

const linkText = (text: string): string => text.replace(/[\\[\]]/g, '\\$&');
/** Parentheses would end the link. */
const linkTarget = (url: string): string => url.replaceAll('(', '%28').replaceAll(')', '%29').replaceAll(' ', '%20');
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
