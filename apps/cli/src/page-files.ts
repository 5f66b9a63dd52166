/** What stands in the index of a run's files, for people; a page's own file is up to `@trawl/exports`. Pure. */

export interface RunFiles {
  readonly startUrl: string;
  readonly runId: string;
  readonly status: string;
  readonly startedAt: string;
  readonly durationMs: number;
  readonly discoveredBeyondLimit: number;
  readonly warnings: readonly string[];
}

export interface WrittenPage {
  readonly url: string;
  readonly title: string | null;
  readonly file: string;
  /** The file of its picture, where the run took one. */
  readonly screenshot?: string;
  readonly depth: number;
  readonly httpStatus: number | null;
  readonly duplicateOf: string | null;
  readonly crawledAt: string;
}

export interface UnwrittenPage {
  readonly url: string;
  readonly code: string;
  readonly message: string;
  readonly depth: number;
  readonly httpStatus: number | null;
  readonly finalUrl: string | null;
  readonly parentUrl: string | null;
}

export interface WrittenRun {
  readonly pages: readonly WrittenPage[];
  readonly failed: readonly UnwrittenPage[];
  readonly skipped: readonly UnwrittenPage[];
}

export function renderIndex(run: RunFiles, { pages, failed, skipped }: WrittenRun): string {
  const counts = `${pages.length} pages, ${failed.length} failed, ${skipped.length} skipped`;
  const beyond = run.discoveredBeyondLimit > 0 ? `, ${run.discoveredBeyondLimit} known but beyond the limit` : '';
  return [
    `# ${cell(run.startUrl)}`,
    '',
    `Run ${run.runId}, ${run.status}, started ${run.startedAt}: ${counts}${beyond}.`,
    ...run.warnings.flatMap((warning) => ['', `**Note:** ${cell(warning)}`]),
    ...section('Pages', ['Title', 'URL', 'File', 'Depth'], pages.map(pageRow)),
    ...section('Failed', ['URL', 'Code', 'Why'], failed.map(reasonRow)),
    ...section('Skipped', ['URL', 'Code', 'Why'], skipped.map(reasonRow)),
    '',
  ].join('\n');
}

function section(heading: string, columns: readonly string[], rows: readonly string[]): string[] {
  if (rows.length === 0) return [];
  return ['', `## ${heading}`, '', `| ${columns.join(' | ')} |`, `|${columns.map(() => '---|').join('')}`, ...rows];
}

function pageRow({ title, url, file, depth }: WrittenPage): string {
  const link = `[${cell(file)}](${file.split('/').map(linkSegment).join('/')})`;
  return `| ${cell(title || url)} | ${cell(url)} | ${link} | ${depth} |`;
}

function reasonRow({ url, code, message }: UnwrittenPage): string {
  return `| ${cell(url)} | ${code} | ${cell(message)} |`;
}

/** A crawled title is foreign text: it must not end the cell, nor become a link or a tag. */
function cell(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\|[\]<>`*_]/g, '\\$&');
}

/** Parentheses would end the link. */
function linkSegment(segment: string): string {
  return encodeURIComponent(segment).replace(/[()]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
}
