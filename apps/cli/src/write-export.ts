/**
 * Writes a run as one file, from what the API sends: under another name until it is all there, so that a file that is there is whole.
 * Does not know the formats.
 */
import { createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as NodeReadableStream } from 'node:stream/web';
import { TrawlError } from '@trawl/contracts';
import { asOutputError, makeDirectory, OutputError, type OutputPlace } from './output-place.ts';

/** Whether a file may be written there. */
export async function checkOutputFile(path: string, isForced: boolean): Promise<OutputPlace> {
  try {
    const found = await stat(path);
    if (found.isDirectory())
      return {
        kind: 'refused',
        message: `${path} is a directory, and this format is one file: give another --output.`,
      };
    if (isForced) return { kind: 'usable' };
    return { kind: 'refused', message: `${path} exists: give another --output, or --force to replace it.` };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return { kind: 'usable' };
    if (code === 'ENOTDIR')
      return { kind: 'refused', message: `${dirname(path)} is not a directory: give another --output.` };
    if (code === 'EACCES') return { kind: 'refused', message: `${path} may not be read by this user.` };
    throw error;
  }
}

export async function writeExport(path: string, body: ReadableStream<Uint8Array>): Promise<void> {
  const partial = `${path}.part`;
  try {
    await makeDirectory(dirname(path));
    await pipeline(Readable.fromWeb(body as NodeReadableStream<Uint8Array>), createWriteStream(partial));
    await rename(partial, path);
  } catch (error) {
    // The API need not go on. It knows already where the reading had begun, and refuses to be told twice.
    await body.cancel().catch(() => {});
    // Best effort: what can't be removed is named so that nobody takes it for the file.
    await rm(partial, { force: true }).catch(() => {});
    const failure = asOutputError(error, path);
    if (failure instanceof OutputError) throw failure;
    const why = error instanceof Error ? error.message : String(error);
    throw new TrawlError('DEPENDENCY_UNAVAILABLE', `The export of the run broke off: ${why}`, {
      retryable: true,
      cause: error,
    });
  }
}
