/**
 * Blobs as files: `<directory>/<group>/<2 hex digits>/<62 hex digits>`. The digits are a hash of the name, so no name can
 * leave the directory, collide with another or be too long, and no directory gets large.
 * Writes are atomic but not flushed to the disk: a body lost with the machine is fetched again.
 */
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { BlobStore } from './blob-store.ts';

const SAFE_GROUP = /^[A-Za-z0-9_-]{1,64}$/;
const REF = /^[A-Za-z0-9_-]{1,65}\/[0-9a-f]{2}\/[0-9a-f]{62}$/;
/** A directory may be deleted again between making and using it, by `deletePrefix`; not time after time. */
const WRITE_ATTEMPTS = 3;

export function createFileStore(directory: string): BlobStore {
  return {
    async put(name, bytes) {
      const ref = refOf(name);
      await writeAtomically(join(directory, ref), bytes);
      return ref;
    },

    async get(ref) {
      // A reference this store did not make names nothing here, least of all a file outside the directory.
      return REF.test(ref) ? orNullIfGone(readFile(join(directory, ref))) : null;
    },

    async delete(refs) {
      const ours = refs.filter((ref) => REF.test(ref));
      await Promise.all(ours.map((ref) => rm(join(directory, ref), { force: true })));
    },

    async deletePrefix(prefix) {
      await rm(join(directory, groupFolder(prefix)), { recursive: true, force: true, maxRetries: 3 });
    },

    async groups(beginning) {
      const names = (await orNullIfGone(readdir(directory))) ?? [];
      return names.filter((name) => name.startsWith(beginning));
    },
  };
}

function refOf(name: string): string {
  const slash = name.indexOf('/');
  if (slash < 0) throw new TypeError(`a blob is named <group>/<anything>, not ${JSON.stringify(name)}`);
  const hash = sha256(name.slice(slash + 1));
  return `${groupFolder(name.slice(0, slash))}/${hash.slice(0, 2)}/${hash.slice(2)}`;
}

/** Run ids are folder names as they are; any other group gets one that no run id has (65 characters). */
const groupFolder = (group: string): string => (SAFE_GROUP.test(group) ? group : `_${sha256(group)}`);

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

async function writeAtomically(path: string, bytes: Uint8Array): Promise<void> {
  const temporary = `${path}.${randomUUID()}`;
  for (let attempt = 1; ; attempt++) {
    try {
      await writeFile(temporary, bytes, { flag: 'wx' });
      await rename(temporary, path);
      return;
    } catch (error) {
      // Only the first body of a directory pays for making it.
      if (isGone(error) && attempt < WRITE_ATTEMPTS) {
        await mkdir(dirname(path), { recursive: true });
        continue;
      }
      // Say, of a full disk: what was written of it must not take up more of it.
      await rm(temporary, { force: true });
      throw error;
    }
  }
}

async function orNullIfGone<T>(read: Promise<T>): Promise<T | null> {
  try {
    return await read;
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
}

const isGone = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';
