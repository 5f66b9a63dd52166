import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { describeBlobStore } from './blob-store.suite.ts';
import { type BlobStore, openBlobStore } from './blob-store.ts';

const directories: string[] = [];
afterEach(async () => {
  await Promise.all(directories.splice(0).map((directory) => rm(directory, { recursive: true })));
});

async function newDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'trawl-blobs-'));
  directories.push(directory);
  return directory;
}

const storeIn = (directory: string): BlobStore => openBlobStore(pathToFileURL(join(directory, 'blobs')).href);

describeBlobStore('file', async () => storeIn(await newDirectory()));

describe('the file store', () => {
  it.each([
    '../evil',
    '../../evil',
    '..//evil',
    '/etc/passwd',
    './x',
    '.\0/x',
    'a b/..',
    'run/../../evil',
    `${'g'.repeat(300)}/x`,
  ])('keeps the name %j within its directory', async (name) => {
    const directory = await newDirectory();
    const store = storeIn(directory);
    const ref = await store.put(name, Buffer.from('body'));
    expect((await store.get(ref))?.toString()).toBe('body');
    expect(await readdir(directory)).toEqual(['blobs']);
    const entries = await readdir(join(directory, 'blobs'), { recursive: true });
    expect(entries).toHaveLength(3);
    await store.deletePrefix(name.slice(0, name.indexOf('/')));
    expect(await readdir(join(directory, 'blobs'))).toEqual([]);
  });

  it.each(['..', '../', '.', '', '/', '../outside'])('deletes nothing outside for the prefix %j', async (prefix) => {
    const directory = await newDirectory();
    await writeFile(join(directory, 'outside'), 'x');
    const store = storeIn(directory);
    const ref = await store.put('run_a/1', Buffer.from('1'));
    await store.deletePrefix(prefix);
    expect(await store.get(ref)).not.toBeNull();
    expect(await readdir(directory)).toEqual(['blobs', 'outside']);
  });

  it.each(['../outside', '/etc/hostname', 'run_a/../../outside', 'run_a/00/../../../outside'])(
    'neither reads nor deletes the foreign reference %j',
    async (ref) => {
      const directory = await newDirectory();
      await writeFile(join(directory, 'outside'), 'x');
      const store = storeIn(directory);
      await store.put('run_a/1', Buffer.from('1'));
      expect(await store.get(ref)).toBeNull();
      await store.delete([ref]);
      expect(await readdir(directory)).toEqual(['blobs', 'outside']);
    },
  );

  it('leaves no temporary files behind', async () => {
    const directory = await newDirectory();
    const store = storeIn(directory);
    await Promise.all(Array.from({ length: 50 }, (_, n) => store.put(`run_a/${n % 5}`, Buffer.alloc(1000, n))));
    const files = (await readdir(directory, { recursive: true, withFileTypes: true })).filter((entry) =>
      entry.isFile(),
    );
    expect(files).toHaveLength(5);
  });

  it('puts into a run that is being deleted, and deletes what is being put', async () => {
    const store = storeIn(await newDirectory());
    const putting = Promise.all(Array.from({ length: 100 }, (_, n) => store.put(`run_a/${n}`, Buffer.from('x'))));
    await store.deletePrefix('run_a');
    const refs = await putting;
    await store.deletePrefix('run_a');
    expect(new Set(await Promise.all(refs.map((ref) => store.get(ref))))).toEqual(new Set([null]));
  });

  it('says so when it can not write', async () => {
    const directory = await newDirectory();
    await writeFile(join(directory, 'blobs'), 'a file where the directory should be');
    await expect(storeIn(directory).put('run_a/1', Buffer.from('1'))).rejects.toThrow(/ENOTDIR|EEXIST/);
  });

  it('refuses a name without a group', async () => {
    await expect(storeIn(await newDirectory()).put('lonely', Buffer.from('1'))).rejects.toThrow(TypeError);
  });
});

describe('openBlobStore', () => {
  it.each(['', '/var/blobs', 's3://bucket/x', 'http://x.test/', 'file://data/blobs', 'nonsense'])(
    'refuses %j by name',
    (url) => {
      expect(() => openBlobStore(url)).toThrow(
        expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining('BLOB_URL') }),
      );
    },
  );
});
