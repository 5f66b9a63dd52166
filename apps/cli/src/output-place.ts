/** Places on this machine that a person names for what is to be written: made where they are missing, and why not, as a sentence. */
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

export type OutputPlace = { kind: 'usable' } | { kind: 'refused'; message: string };

/** Something could not be written; the message is for the person who named the place. */
export class OutputError extends Error {
  override readonly name = 'OutputError';
}

/**
 * With the directories above it. Not by `mkdir` itself, which tries for ever where a file system says of a directory's parent that it is
 * there and takes none, such as /proc.
 */
export async function makeDirectory(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return;
    if (code !== 'ENOENT' || dirname(path) === path) throw error;
    await makeDirectory(dirname(path));
    // Another of the same run may have been quicker.
    await mkdir(path).catch((again: NodeJS.ErrnoException) => {
      if (again.code !== 'EEXIST') throw again;
    });
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file would be too large',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'the file system is read-only',
  ENOENT: 'no directory can be made there',
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
