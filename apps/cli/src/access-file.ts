/** `--access`: what requests carry comes from a file, since everybody on a machine may read the arguments of its programs. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

export type AccessFile =
  | { readonly kind: 'read'; readonly access: unknown }
  | { readonly kind: 'wrong'; readonly message: string };

/** What it holds is checked by the schema of a run, like all that is asked of one. */
export function readAccessFile(name: string, directory: string): AccessFile {
  let text: string;
  try {
    text = readFileSync(resolve(directory, name), 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return { kind: 'wrong', message: `--access: ${name} can't be read (${code ?? error}).` };
  }
  try {
    return { kind: 'read', access: JSON.parse(text) };
  } catch {
    // The parser's own sentence quotes what it could not read, which may be a password.
    return { kind: 'wrong', message: `--access: ${name} is not JSON.` };
  }
}
