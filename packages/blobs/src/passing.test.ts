import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { openBlobStore } from './blob-store.ts';
import { deletePassed, getPassing, keepForAWhile } from './passing.ts';

const HOUR = 3_600_000;
const NOON = Date.parse('2026-02-28T12:00:00Z');

async function newStore() {
  const directory = await mkdtemp(join(tmpdir(), 'trawl-blobs-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const blobs = openBlobStore(pathToFileURL(directory).href);
  const textOf = async (id: string) => (await getPassing(blobs, id))?.toString() ?? null;
  return { directory, blobs, textOf };
}

it('is there by its id, which says nothing that a URL can not', async () => {
  const { blobs, textOf } = await newStore();
  const ids = [await keepForAWhile(blobs, Buffer.from('one')), await keepForAWhile(blobs, Buffer.from('two'))];
  expect(await Promise.all(ids.map(textOf))).toEqual(['one', 'two']);
  for (const id of ids) expect(encodeURIComponent(id)).toBe(id);
});

it('is kept for as long as it was to be, and is gone an hour later', async () => {
  const { directory, blobs, textOf } = await newStore();
  const first = await keepForAWhile(blobs, Buffer.from('first'), NOON);
  const last = await keepForAWhile(blobs, Buffer.from('last'), NOON + HOUR - 1);
  const next = await keepForAWhile(blobs, Buffer.from('next'), NOON + HOUR);
  await deletePassed(blobs, 24 * HOUR, NOON + 25 * HOUR - 1);
  expect(await Promise.all([first, last, next].map(textOf))).toEqual(['first', 'last', 'next']);
  await deletePassed(blobs, 24 * HOUR, NOON + 25 * HOUR);
  expect(await Promise.all([first, last, next].map(textOf))).toEqual([null, null, 'next']);
  // Nobody looked for days, and two look at once.
  await Promise.all([1, 2].map(() => deletePassed(blobs, HOUR, NOON + 1000 * HOUR)));
  expect(await readdir(directory)).toEqual([]);
});

it('leaves alone what others keep, and does not tell of it', async () => {
  const { blobs, textOf } = await newStore();
  const names = ['run_a/page', 'passing-by/page', 'src_passing-2020-01-01T00/page'];
  const refs = await Promise.all(names.map((name) => blobs.put(name, Buffer.from(name))));
  await deletePassed(blobs, 0, NOON);
  expect(await Promise.all(refs.map(async (ref) => (await blobs.get(ref))?.toString()))).toEqual(names);
  expect(await textOf(Buffer.from(refs[0] ?? '').toString('base64url'))).toBeNull();
  for (const id of ['', 'x', '../passing-', Buffer.from('passing-/../../x').toString('base64url')])
    expect(await textOf(id)).toBeNull();
});

it('has nothing to delete where nothing was ever kept', async () => {
  const blobs = openBlobStore(pathToFileURL(join(tmpdir(), 'trawl-blobs-never-made')).href);
  await expect(deletePassed(blobs, 0)).resolves.toBeUndefined();
});
