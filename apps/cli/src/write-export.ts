/**
 * Writes a run as one file, from what the API sends: under another name until it is all there, so that a file that is there is whole.
 * Also says in a sentence why something could not be written. Does not know the formats.
 */
import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as NodeReadableStream } from 'node:stream/web';
import type { OutputDirectory } from './write-pages.ts';

/** Something could not be written; the message is for the person who named the place. */
export class OutputError extends Error {
  override readonly name = 'OutputError';
}

/** Whether a file may be written there. */
export async function checkOutputFile(path: string, isForced: boolean): Promise<OutputDirectory> {
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
    await mkdir(dirname(path), { recursive: true });
    await pipeline(Readable.fromWeb(body as NodeReadableStream<Uint8Array>), createWriteStream(partial));
    await rename(partial, path);
  } catch (error) {
    // Best effort: what can't be removed is named so that nobody takes it for the file.
    await rm(partial, { force: true }).catch(() => {});
    throw asOutputError(error, path);
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file would be too large',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'the file system is read-only',
  ENOTDIR: 'a part of the path is not a directory',
  EISDIR: 'there is a directory of that name',
  EEXIST: 'a part of the path is not a directory',
  ENAMETOOLONG: 'the name is too long',
  EIO: 'the disk failed',
};

/** The same error where it is about something else, such as an export that broke off. */
export function asOutputError(error: unknown, path: string): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const reason = REASONS[code];
  return reason === undefined ? error : new OutputError(`${path} could not be written: ${reason}.`, { cause: error });
}
