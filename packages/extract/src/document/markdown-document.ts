/** A page in markdown: it is kept as it is; what it is called, how it is built and where it leads is read from it. */
import type { PageLink } from '../links.ts';
import type { OutlineEntry } from '../markdown/writer.ts';
import { collapseSpace } from '../space.ts';
import { type MarkdownLine, markdownLines, markdownLinks } from './markdown-links.ts';

export interface ReadMarkdown {
  readonly title: string | null;
  readonly description: string | null;
  readonly author: string | null;
  readonly outline: readonly OutlineEntry[];
  readonly links: readonly PageLink[];
}

const ATX = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/;
const SETEXT = /^ {0,3}(=+|-+)[ \t]*$/;
/** What no heading of two lines can be the first of. */
const NO_SETEXT_TEXT = /^(?:$|\s*$| {4}|\t| {0,3}(?:[-*+>|]|\d+[.)]\s))/;
const MAX_HEADING = 500;
const MAX_OUTLINE = 1000;

export function readMarkdown(markdown: string, url: string): ReadMarkdown {
  const { fields, bodyAt } = frontMatter(markdown);
  const lines = [...markdownLines(bodyAt === 0 ? markdown : markdown.slice(bodyAt))];
  const outline = headings(lines);
  return {
    title: fields.get('title') ?? outline[0]?.text ?? null,
    description: fields.get('description') ?? fields.get('summary') ?? null,
    author: fields.get('author') ?? null,
    outline,
    links: markdownLinks(lines, url),
  };
}

function headings(lines: readonly MarkdownLine[]): OutlineEntry[] {
  const outline: OutlineEntry[] = [];
  const add = (level: number, source: string): void => {
    const text = plain(source);
    if (text !== '' && outline.length < MAX_OUTLINE) outline.push({ level, text });
  };
  for (const [index, { text, isCode }] of lines.entries()) {
    if (isCode) continue;
    const atx = ATX.exec(text);
    if (atx) {
      add(atx[1]?.length ?? 1, (atx[2] ?? '').replace(/(?:^|[ \t])#+[ \t]*$/, ''));
      continue;
    }
    const underline = SETEXT.exec(text)?.[1];
    const before = lines[index - 1];
    if (underline === undefined || !before || before.isCode) continue;
    if (!NO_SETEXT_TEXT.test(before.text) && !ATX.test(before.text))
      add(underline.startsWith('=') ? 1 : 2, before.text);
  }
  return outline;
}

const plain = (source: string): string =>
  collapseSpace(
    source
      .slice(0, MAX_HEADING)
      .replace(/!?\[([^\]]*)\](?:\([^)]*\))?/g, '$1')
      .replace(/\\([!-/:-@[-`{-~])|[*`]+/g, '$1'),
  ).trim();

/** The simple fields of a head in YAML, as generators of sites write it: `name: value`, in quotes or not. The rest of YAML is not read. */
const FRONT_MATTER = /^---[ \t]*\n/;
const FIELD = /^(title|description|summary|author):[ \t]*(.*)$/;
const MAX_FRONT_MATTER = 16 * 1024;
/** What begins a list, a map, a block of lines, a tag or an anchor. */
const NO_PLAIN_VALUE = /^[[{|>&*!#%@]/;

function frontMatter(markdown: string): { readonly fields: ReadonlyMap<string, string>; readonly bodyAt: number } {
  const fields = new Map<string, string>();
  const start = FRONT_MATTER.exec(markdown)?.[0].length;
  if (start === undefined) return { fields, bodyAt: 0 };
  const end = /\n(?:---|\.\.\.)[ \t]*(?:\n|$)/.exec(markdown.slice(start - 1, start + MAX_FRONT_MATTER));
  if (!end) return { fields, bodyAt: 0 };
  const bodyAt = start - 1 + end.index + end[0].length;
  for (const line of markdown.slice(start, start + end.index).split('\n')) {
    const [, name = '', value = ''] = FIELD.exec(line) ?? [];
    const text = unquoted(value.trim());
    if (name !== '' && text !== '' && !fields.has(name)) fields.set(name, text.slice(0, 2000));
  }
  return { fields, bodyAt };
}

function unquoted(value: string): string {
  const quoted = /^"((?:[^"\\]|\\.)*)"\s*(?:#.*)?$|^'((?:[^']|'')*)'\s*(?:#.*)?$/.exec(value);
  if (quoted) return quoted[1]?.replace(/\\(["\\])/g, '$1') ?? quoted[2]?.replaceAll("''", "'") ?? '';
  return NO_PLAIN_VALUE.test(value) ? '' : value.replace(/\s+#.*$/, '');
}
