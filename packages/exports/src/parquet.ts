/**
 * Parquet with typed columns, Snappy-compressed. Written a row group at a time, each of bounded size; of those behind,
 * `parquet-footer.ts` keeps some numbers.
 */
import type { Page } from '@trawl/contracts';
import { ByteWriter, type ColumnSource, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import { metadataNumber, metadataText, type PageParts } from './pages.ts';
import { createParquetFooter } from './parquet-footer.ts';

export type ParquetPage = Omit<Page, 'html' | 'screenshot' | 'error' | 'outcome'> & { readonly tokenCount: number };

/**
 * Characters of text in a row group. It is encoded on the spot, which holds up everything else: 4 Mi take some 60 ms. Larger ones would
 * compress no better, as each page of a column is compressed by itself.
 */
const GROUP_CHARACTERS = 4 * 1024 * 1024;
const GROUP_ROWS = 10_000;
const CREATED_BY = 'trawl';

interface Column {
  readonly schema: readonly SchemaElement[];
  readonly read: (page: ParquetPage) => unknown;
  /** Long texts: no dictionary, which would be as large as they are. */
  readonly isText?: true;
  /** Bounds of each row group, for columns that readers leave groups out by. They are held to the end. */
  readonly hasBounds?: true;
}

const leaf = (
  name: string,
  type: Omit<SchemaElement, 'name' | 'repetition_type'>,
  isRequired = false,
): SchemaElement => ({
  name,
  ...type,
  repetition_type: isRequired ? 'REQUIRED' : 'OPTIONAL',
});
const STRING = { type: 'BYTE_ARRAY', converted_type: 'UTF8' } as const;
const INT = { type: 'INT32' } as const;
const LONG = { type: 'INT64' } as const;
const FLAG = { type: 'BOOLEAN' } as const;
const JSON_TEXT = { type: 'BYTE_ARRAY', converted_type: 'JSON' } as const;
const TIME = {
  type: 'INT64',
  converted_type: 'TIMESTAMP_MILLIS',
  logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
} as const;

const plain = (element: SchemaElement, read: Column['read']): Column => ({ schema: [element], read });
const bounded = (element: SchemaElement, read: Column['read']): Column => ({
  schema: [element],
  read,
  hasBounds: true,
});
const text = (element: SchemaElement, read: Column['read']): Column => ({ schema: [element], read, isText: true });

/** A list of records, as all readers expect one to be spelled. */
function listOf(name: string, fields: readonly SchemaElement[]): SchemaElement[] {
  return [
    { name, repetition_type: 'REQUIRED', num_children: 1, converted_type: 'LIST', logical_type: { type: 'LIST' } },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    { name: 'element', repetition_type: 'REQUIRED', num_children: fields.length },
    ...fields,
  ];
}

const COLUMNS: readonly Column[] = [
  plain(leaf('id', STRING, true), (page) => page.id),
  plain(leaf('url', STRING, true), (page) => page.url),
  plain(leaf('finalUrl', STRING), (page) => page.finalUrl),
  plain(leaf('title', STRING), (page) => page.title),
  plain(leaf('description', STRING), (page) => metadataText(page, 'description')),
  plain(leaf('author', STRING), (page) => metadataText(page, 'author')),
  bounded(leaf('language', STRING), (page) => page.language),
  plain(leaf('publishedAt', TIME), (page) => time(metadataText(page, 'publishedAt'))),
  plain(leaf('modifiedAt', TIME), (page) => time(metadataText(page, 'modifiedAt'))),
  plain(leaf('canonicalUrl', STRING), (page) => metadataText(page, 'canonicalUrl')),
  bounded(leaf('depth', INT, true), (page) => page.depth),
  plain(leaf('parentUrl', STRING), (page) => page.parentUrl),
  bounded(leaf('httpStatus', INT), (page) => page.httpStatus),
  plain(leaf('contentType', STRING), (page) => page.contentType),
  plain(leaf('bytes', LONG), (page) => (page.bytes === null ? null : BigInt(page.bytes))),
  plain(leaf('elapsedMs', INT), (page) => page.elapsedMs),
  plain(leaf('rendered', FLAG, true), (page) => page.rendered),
  plain(leaf('wordCount', INT), (page) => whole(metadataNumber(page, 'wordCount'))),
  plain(leaf('tokenCount', INT, true), (page) => page.tokenCount),
  plain(leaf('change', STRING), (page) => page.change),
  plain(leaf('duplicateOf', STRING), (page) => page.duplicateOf),
  plain(leaf('contentHash', STRING), (page) => page.contentHash),
  bounded(leaf('crawledAt', TIME, true), (page) => time(page.crawledAt)),
  text(leaf('markdown', STRING), (page) => page.markdown),
  text(leaf('text', STRING), (page) => page.text),
  {
    schema: listOf('links', [leaf('url', STRING, true), leaf('text', STRING, true), leaf('rel', STRING, true)]),
    read: (page) => page.links,
    isText: true,
  },
  {
    schema: [
      ...listOf('chunks', [
        leaf('id', STRING, true),
        leaf('index', INT, true),
        leaf('text', STRING, true),
        leaf('tokens', INT, true),
        leaf('start', INT, true),
        leaf('end', INT, true),
        leaf('overlap', INT, true),
        {
          name: 'headingPath',
          repetition_type: 'REQUIRED',
          num_children: 1,
          converted_type: 'LIST',
          logical_type: { type: 'LIST' },
        },
      ]),
      { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      leaf('element', STRING, true),
    ],
    read: (page) => page.chunks,
    isText: true,
  },
  text(leaf('metadata', JSON_TEXT, true), (page) => page.metadata),
];
const SCHEMA: SchemaElement[] = [
  { name: 'root', num_children: COLUMNS.length },
  ...COLUMNS.flatMap(({ schema }) => schema),
];

/** `afterGroup` is called when a row group is written, and what it took is garbage. */
export async function* exportParquet(
  parts: PageParts<ParquetPage>,
  afterGroup: () => void = () => {},
): AsyncGenerator<Buffer, void, undefined> {
  const bytes = new ByteWriter();
  const writer = new ParquetWriter({ writer: bytes, schema: SCHEMA });
  const footer = createParquetFooter({ schema: SCHEMA, createdBy: CREATED_BY });
  /** What was written since the last time. The file's offsets go on counting. */
  const write = async (group: readonly ParquetPage[]): Promise<Buffer> => {
    await writer.write({ columnData: columnsOf(group), rowGroupSize: group.length });
    for (const written of writer.row_groups) footer.add(written);
    writer.row_groups = [];
    writer.pendingIndexes = [];
    const piece = Buffer.copyBytesFrom(bytes.getBytes());
    bytes.index = 0;
    return piece;
  };
  let group: ParquetPage[] = [];
  let characters = 0;
  for await (const pages of parts) {
    for (const page of pages) {
      group.push(page);
      characters += charactersOf(page);
      if (characters < GROUP_CHARACTERS && group.length < GROUP_ROWS) continue;
      yield await write(group);
      group = [];
      characters = 0;
      afterGroup();
    }
  }
  // Also without a page, for what every file begins with.
  yield await write(group);
  yield footer.end();
}

function columnsOf(pages: readonly ParquetPage[]): ColumnSource[] {
  return COLUMNS.map(({ schema, read, isText, hasBounds }) => ({
    name: schema[0]?.name ?? '',
    data: pages.map(read),
    offsetIndex: false,
    statistics: hasBounds ?? false,
    ...(isText && schema.length === 1 ? { encoding: 'PLAIN' as const } : {}),
  }));
}

function charactersOf(page: ParquetPage): number {
  const chunks = page.chunks.reduce((sum, chunk) => sum + chunk.text.length + 100, 0);
  const links = page.links.reduce((sum, link) => sum + link.url.length + link.text.length, 0);
  return (page.markdown?.length ?? 0) + (page.text?.length ?? 0) + chunks + links + 1000;
}

const whole = (value: number | null): number | null => (value !== null && Number.isInteger(value) ? value : null);

/** Null for what is no time: metadata are the page's own words. */
function time(value: string | null): Date | null {
  const parsed = value === null ? Number.NaN : Date.parse(value);
  return Number.isNaN(parsed) ? null : new Date(parsed);
}
