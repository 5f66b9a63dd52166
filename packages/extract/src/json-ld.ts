/** What structured data says of the page itself. Reads schema.org as far as it repeats what other pages say in their head. */

export interface JsonLdFacts {
  readonly description: string | null;
  readonly author: string | null;
  readonly published: string | null;
  readonly modified: string | null;
  readonly siteName: string | null;
  readonly image: string | null;
}

/** Enough for every page that means something by it; a graph may be as long as the page likes. */
const MAX_NODES = 200;
const MAX_DEPTH = 4;
/** What a page is; of a person or a trail of breadcrumbs nothing is taken. */
const PAGE_TYPE =
  /article|posting|page|product|recipe|report|book|howto|dataset|softwareapplication|creativework|event|faq|qa/i;
const NOT_PAGE = /breadcrumb|collection|itemlist|imageobject|organization|person|searchaction/i;

export function jsonLdFacts(items: readonly unknown[]): JsonLdFacts {
  const nodes: object[] = [];
  collect(items, nodes, 0);
  const about = nodes.filter(isPage);
  const first = (property: string, read: (value: unknown) => string | null): string | null => {
    for (const node of about) {
      const value = read(Reflect.get(node, property));
      if (value !== null) return value;
    }
    return null;
  };
  return {
    description: first('description', textOf),
    author: first('author', namesOf),
    published: first('datePublished', textOf),
    modified: first('dateModified', textOf),
    siteName: first('publisher', nameOf) ?? first('isPartOf', nameOf),
    image: first('image', urlOf),
  };
}

function collect(value: unknown, nodes: object[], depth: number): void {
  if (depth > MAX_DEPTH || nodes.length >= MAX_NODES || typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) collect(item, nodes, depth + 1);
    return;
  }
  nodes.push(value);
  for (const property of ['@graph', 'mainEntity', 'mainEntityOfPage'])
    collect(Reflect.get(value, property), nodes, depth + 1);
}

/** A node without a type is taken at its word. */
function isPage(node: object): boolean {
  const type: unknown = Reflect.get(node, '@type');
  const name = Array.isArray(type) ? type.join(' ') : type;
  return typeof name !== 'string' || (PAGE_TYPE.test(name) && !NOT_PAGE.test(name));
}

const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : null;

function nameOf(value: unknown): string | null {
  if (Array.isArray(value)) return nameOf(value[0]);
  return typeof value === 'object' && value !== null ? textOf(Reflect.get(value, 'name')) : textOf(value);
}

function namesOf(value: unknown): string | null {
  if (!Array.isArray(value)) return nameOf(value);
  const names = value
    .slice(0, 10)
    .map(nameOf)
    .filter((name) => name !== null);
  return names.length > 0 ? names.join(', ') : null;
}

function urlOf(value: unknown): string | null {
  if (Array.isArray(value)) return urlOf(value[0]);
  return typeof value === 'object' && value !== null ? textOf(Reflect.get(value, 'url')) : textOf(value);
}
