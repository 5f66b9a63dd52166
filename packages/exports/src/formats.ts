/** The formats pages can be had in, by name: what a file of each is called, and what kind of file it is. */

export const EXPORT_FORMATS = ['jsonl', 'markdown', 'zip', 'csv', 'parquet', 'warc', 'llms', 'llms-full'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export interface FormatFile {
  /** With the dot. */
  readonly extension: string;
  readonly contentType: string;
}

export const FORMAT_FILES: Readonly<Record<ExportFormat, FormatFile>> = {
  jsonl: { extension: '.jsonl', contentType: 'application/x-ndjson; charset=utf-8' },
  markdown: { extension: '.md', contentType: 'text/markdown; charset=utf-8' },
  zip: { extension: '.zip', contentType: 'application/zip' },
  csv: { extension: '.csv', contentType: 'text/csv; charset=utf-8; header=present' },
  parquet: { extension: '.parquet', contentType: 'application/vnd.apache.parquet' },
  // Not application/warc: a client that unpacks nothing gets what the file is, a series of gzip members.
  warc: { extension: '.warc.gz', contentType: 'application/gzip' },
  llms: { extension: '.llms.txt', contentType: 'text/plain; charset=utf-8' },
  'llms-full': { extension: '.llms-full.txt', contentType: 'text/plain; charset=utf-8' },
};
