import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OutputError } from './output-place.ts';
import { checkOutputFile, writeExport } from './write-export.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trawl-export-'));
});
afterEach(() => rm(folder, { recursive: true }));

const bodyOf = (...pieces: (string | Error)[]): ReadableStream<Uint8Array> =>
  new ReadableStream({
    pull(controller) {
      const piece = pieces.shift();
      if (piece === undefined) controller.close();
      else if (piece instanceof Error) controller.error(piece);
      else controller.enqueue(Buffer.from(piece));
    },
  });

describe('the file of an export', () => {
  it('is what was sent, in a directory that is made for it', async () => {
    const path = join(folder, 'new/deep/out.jsonl');
    await writeExport(path, bodyOf('a\n', 'b\n'));
    expect(await readFile(path, 'utf8')).toBe('a\nb\n');
    expect(await readdir(join(folder, 'new/deep'))).toEqual(['out.jsonl']);
  });

  it('is not there, and the one before still is, when the export breaks off', async () => {
    const path = join(folder, 'out.jsonl');
    await writeFile(path, 'before');
    await expect(writeExport(path, bodyOf('a\n', new Error('broke off')))).rejects.toThrow('broke off');
    expect(await readdir(folder)).toEqual(['out.jsonl']);
    expect(await readFile(path, 'utf8')).toBe('before');
  });

  it('that finds the disk full says so', async () => {
    const path = join(folder, 'out.csv');
    await symlink('/dev/full', `${path}.part`);
    const written = writeExport(path, bodyOf('a,b\r\n'));
    await expect(written).rejects.toThrow(`${path} could not be written: the disk is full.`);
    await expect(written).rejects.toBeInstanceOf(OutputError);
    expect(await readdir(folder)).toEqual([]);
  });

  it('that can not be where it should says so', async () => {
    await writeFile(join(folder, 'file'), '');
    const path = join(folder, 'file/out.csv');
    await expect(writeExport(path, bodyOf('x'))).rejects.toThrow('a part of the path is not a directory');
  });

  it('that no directory can be made for says so, and does not try for ever', async () => {
    await expect(writeExport('/proc/trawl/deep/out.csv', bodyOf('x'))).rejects.toThrow(
      'no directory can be made there',
    );
  });

  it('replaces another only if forced, and never a directory', async () => {
    const path = join(folder, 'out.zip');
    expect(await checkOutputFile(path, false)).toEqual({ kind: 'usable' });
    await writeFile(path, '');
    expect(await checkOutputFile(path, false)).toMatchObject({ kind: 'refused' });
    expect(await checkOutputFile(path, true)).toEqual({ kind: 'usable' });
    expect(await checkOutputFile(join(path, 'x'), true)).toMatchObject({ kind: 'refused' });
    await mkdir(join(folder, 'directory'));
    expect(await checkOutputFile(join(folder, 'directory'), true)).toMatchObject({ kind: 'refused' });
  });
});
