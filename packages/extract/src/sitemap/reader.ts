/**
 * Reads one sitemap as it arrives, whatever its format, packing and encoding, and hands out its entries in batches. Holds a
 * few hundred KiB of it at a time, however long it is; unpacking may add 4 MiB. Does not fetch, follow an index, or judge
 * which entries belong to a run.
 */
import { Characters } from './characters.ts';
import { SitemapContent } from './content.ts';
import { createAddressResolver } from './entry-draft.ts';
import { Findings } from './findings.ts';
import { gunzipped } from './gunzip.ts';
import { ProblemLog } from './problems.ts';
import type { SitemapBatch, SitemapReport } from './sitemap.ts';

export interface SitemapReaderOptions {
  /** The sitemap's own address, against which relative ones are resolved. */
  readonly url: string;
  /** After decompression. What lies beyond is not read. */
  readonly maxBytes: number;
  /** Entries and sitemaps of a batch; 1000 if not given. The last one is smaller. */
  readonly batchSize?: number;
}

export interface SitemapReader {
  /**
   * Once per reader. Asks for more of the file only as batches are taken. Bad content is reported, never thrown; an error of
   * the source is thrown after the entries that came before it. Stops the source when there is nothing more to learn from it.
   */
  read(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<SitemapBatch>;
  /** Final once `read` has ended. */
  report(): SitemapReport;
}

const DEFAULT_BATCH_SIZE = 1000;
/** Bytes read at a time, however large the chunks are: bounds what is found before it can be handed out. */
const PIECE_BYTES = 2 ** 16;
/** Packed data is smaller than its content, save for headers. More of it is a file that unpacks to nothing, endlessly. */
const PACKED_SURPLUS_BYTES = 2 ** 16;

export function createSitemapReader(options: SitemapReaderOptions): SitemapReader {
  const { url, maxBytes, batchSize = DEFAULT_BATCH_SIZE } = options;
  const log = new ProblemLog();
  const findings = new Findings(batchSize);
  const content = new SitemapContent(createAddressResolver(url), findings, log);
  const characters = new Characters();
  let hasBegun = false;
  let hasEnded = false;
  let bytes = 0;

  const onTooLarge = () => log.say('TOO_LARGE', `The file is larger than ${maxBytes} bytes; the rest was not read.`);
  const onBroken = (reason: string) => {
    // Cut off by the limit, the data can't but lack its end.
    if (log.has('TOO_LARGE')) return;
    log.say('GZIP_BROKEN', `The gzip data is damaged or cut off (${reason}); what could be unpacked counts.`);
  };
  const isCut = () => log.has('TOO_LARGE') || log.has('GZIP_BROKEN');

  function unpacked(chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    const packedBytes = maxBytes + PACKED_SURPLUS_BYTES;
    // Twice: some servers compress what is compressed already.
    const once = gunzipped(upTo(packedBytes, chunks, onTooLarge), onBroken);
    return upTo(maxBytes, gunzipped(upTo(packedBytes, once, onTooLarge), onBroken), onTooLarge);
  }

  async function* read(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<SitemapBatch> {
    if (hasBegun) throw new Error('A sitemap reader reads one file; create another for the next.');
    hasBegun = true;
    try {
      for await (const piece of unpacked(chunks)) {
        bytes += piece.length;
        content.write(characters.write(piece));
        yield* findings.takeFull();
        if (content.hasGivenUp) break;
      }
    } catch (error) {
      // Only the source throws. What it gave before counts, save for an entry that it left unfinished.
      content.end(true);
      yield* findings.takeAll();
      throw error;
    }
    content.write(characters.end());
    content.end(isCut());
    yield* findings.takeAll();
    hasEnded = true;
  }

  function report(): SitemapReport {
    const { format, entryCount, sitemapCount } = findings;
    const complete = hasEnded && format !== null && !isCut() && !log.has('TRUNCATED');
    return { format, entries: entryCount, sitemaps: sitemapCount, bytes, problems: log.list(), complete };
  }

  return { read, report };
}

/** The data in pieces, to a limit; tells if there was more. */
async function* upTo(
  maxBytes: number,
  chunks: AsyncIterable<Uint8Array>,
  onExceeded: () => void,
): AsyncGenerator<Uint8Array> {
  let left = maxBytes;
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
      const piece = chunk.subarray(at, Math.min(at + PIECE_BYTES, at + left));
      left -= piece.length;
      if (piece.length > 0) yield piece;
      if (left === 0 && at + piece.length < chunk.length) {
        onExceeded();
        return;
      }
    }
  }
}
