/**
 * Large bodies by reference: the interface of a store, and the choice of one by URL. What a body means, whether it is
 * compressed and when it may go is up to the caller.
 */
import { fileURLToPath } from 'node:url';
import { TrawlError } from '@trawl/contracts';
import { createFileStore } from './file-store.ts';

export interface BlobStore {
  /**
   * Keeps bytes under a name `<group>/<anything>` (the group of a body is its run, of a kept answer its source) and returns the
   * reference to get them by. The same name again replaces them; a reader sees the old bytes or the new, never a mixture.
   */
  put(name: string, bytes: Uint8Array): Promise<string>;
  /** Null if it is gone, or never was. */
  get(ref: string): Promise<Buffer | null>;
  /** What is gone already does not matter. */
  delete(refs: readonly string[]): Promise<void>;
  /** Deletes every body of a group: of `a`, all named `a/…`, and none named `ab/…`. */
  deletePrefix(prefix: string): Promise<void>;
  /** The groups whose names begin so. */
  groups(beginning: string): Promise<readonly string[]>;
}

/** Opens the store of a `file:///directory` URL, the only kind there is; the directory is made when it is needed. */
export function openBlobStore(url: string): BlobStore {
  const parsed = URL.parse(url);
  // A host (`file://data/blobs`) is nearly always a forgotten slash, and would silently mean another directory.
  if (parsed?.protocol !== 'file:' || parsed.host !== '')
    throw new TrawlError(
      'CONFIG_INVALID',
      'BLOB_URL must be a file URL with three slashes, such as file:///var/lib/trawl',
      {
        retryable: false,
      },
    );
  return createFileStore(fileURLToPath(parsed));
}
