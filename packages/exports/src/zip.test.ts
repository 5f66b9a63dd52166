import { inflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createFileNamer } from './file-names.ts';
import { renderPageFile } from './page-file.ts';
import { collect, inParts, SAMPLE_PAGES } from './sample-pages.ts';
import { exportZip } from './zip.ts';
import { createZipWriter } from './zip-writer.ts';

const site = { name: 'Example', mainHost: 'example.com' };

describe('a zip export', () => {
  it('has a file for each page, named after it, exactly as it would be written alone', async () => {
    const files = readZip(await collect(exportZip(inParts(SAMPLE_PAGES), site)));
    const name = createFileNamer('example.com');
    const expected = SAMPLE_PAGES.map((page) => [name(page.url), renderPageFile(page)]);
    expect(files.map(({ name, content }) => [name, content.toString()])).toEqual(expected);
    for (const { name } of files) expect(name.split('/')).not.toContain('..');
  });

  it('of no pages is an archive all the same', async () => {
    expect(readZip(await collect(exportZip(inParts([]), site)))).toEqual([]);
  });
});

describe('a zip writer', () => {
  it('writes more files than the old directory can count', async () => {
    const zip = createZipWriter();
    const pieces: Buffer[] = [];
    for (let n = 0; n < 70_000; n++) pieces.push(await zip.file(`${n}.md`, `page ${n}`, new Date(0)));
    pieces.push(...zip.end());
    const files = readZip(Buffer.concat(pieces));
    expect(files).toHaveLength(70_000);
    expect(files.at(-1)).toMatchObject({ name: '69999.md', content: Buffer.from('page 69999') });
  });

  it('writes offsets beyond 4 GB', async () => {
    const before = 5 * 1024 ** 3;
    const zip = createZipWriter(before);
    const pieces = [await zip.file('a.md', 'a', new Date(0)), ...zip.end()];
    expect(readZip(Buffer.concat(pieces), before)).toMatchObject([{ name: 'a.md', content: Buffer.from('a') }]);
  });
});

/** Reads an archive by its directory, as programs do. `before`: bytes that stand before `zip` and are not there. */
function readZip(zip: Buffer, before = 0): { name: string; content: Buffer }[] {
  const end = zip.length - 22;
  check(zip.readUInt32LE(end) === 0x06054b50);
  let count = zip.readUInt16LE(end + 10);
  let at = zip.readUInt32LE(end + 16);
  if (count === 0xffff || at === 0xffff_ffff) {
    check(zip.readUInt32LE(end - 20) === 0x07064b50);
    const long = Number(zip.readBigUInt64LE(end - 12)) - before;
    check(zip.readUInt32LE(long) === 0x06064b50);
    count = Number(zip.readBigUInt64LE(long + 32));
    at = Number(zip.readBigUInt64LE(long + 48));
  }
  at -= before;
  return Array.from({ length: count }, () => {
    check(zip.readUInt32LE(at) === 0x02014b50);
    const [nameLength, extraLength] = [zip.readUInt16LE(at + 28), zip.readUInt16LE(at + 30)];
    const [packed, size, method] = [zip.readUInt32LE(at + 20), zip.readUInt32LE(at + 24), zip.readUInt16LE(at + 10)];
    const short = zip.readUInt32LE(at + 42);
    // The offset is the last of the extra fields where the old one is full.
    const extraEnd = at + 46 + nameLength + extraLength;
    const local = (short === 0xffff_ffff ? Number(zip.readBigUInt64LE(extraEnd - 8)) : short) - before;
    const name = zip.toString('utf8', at + 46, at + 46 + nameLength);
    at = extraEnd;
    check(zip.readUInt32LE(local) === 0x04034b50);
    const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const data = zip.subarray(start, start + packed);
    const content = method === 0 ? data : inflateRawSync(data);
    check(content.length === size);
    return { name, content };
  });
}

/** Of an archive of 70,000 files, several times as many: an assertion each would take most of a minute. */
function check(isRight: boolean): void {
  if (!isRight) throw new Error('not a zip archive');
}
