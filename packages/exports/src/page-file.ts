/** A page as a markdown file of its own: YAML front matter, then the markdown as it is. Pure. */
import { type MarkdownPage, metadataText } from './pages.ts';

/** What a page does not say has no line. */
export function renderPageFile(page: MarkdownPage): string {
  const fields: readonly (readonly [name: string, value: string | number | null])[] = [
    ['url', page.url],
    ['title', page.title],
    ['description', metadataText(page, 'description')],
    ['author', metadataText(page, 'author')],
    ['language', page.language],
    ['publishedAt', metadataText(page, 'publishedAt')],
    ['modifiedAt', metadataText(page, 'modifiedAt')],
    ['canonicalUrl', metadataText(page, 'canonicalUrl')],
    ['depth', page.depth],
    ['duplicateOf', page.duplicateOf],
    ['crawledAt', page.crawledAt],
  ];
  const lines = fields.flatMap(([name, value]) => (value === null ? [] : [`${name}: ${yamlValue(value)}`]));
  return `---\n${lines.join('\n')}\n---\n\n${withLineEnd(page.markdown ?? '')}`;
}

export function withLineEnd(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

/** A JSON string is a YAML string, but for some characters that YAML wants escaped and JSON leaves alone. */
function yamlValue(value: string | number): string {
  if (typeof value === 'number') return String(value);
  return JSON.stringify(value.toWellFormed()).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
