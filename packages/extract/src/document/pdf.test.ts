import { readFile } from 'node:fs/promises';
import { deflateSync } from 'node:zlib';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createPdfReader, type PdfReader, type PdfReaderOptions } from './pdf.ts';

const fixture = (name: string): Promise<Buffer> => readFile(new URL(`./fixtures/${name}`, import.meta.url));

let readers: PdfReader[] = [];
afterEach(async () => {
  await Promise.all(readers.map((reader) => reader.close()));
  readers = [];
});
function newReader(options: Partial<PdfReaderOptions> = {}): PdfReader {
  const reader = createPdfReader(options);
  readers.push(reader);
  return reader;
}
const refusal = (message: string | RegExp) =>
  expect.objectContaining({
    code: 'PDF_UNREADABLE',
    message: typeof message === 'string' ? message : expect.stringMatching(message),
  });

/** A file of one page, whose content is this. */
function onePage(content: Buffer): Buffer {
  const packed = deflateSync(content);
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [4 0 R] >>',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources << /Font << /F1 3 0 R >> >> /Contents 5 0 R >>',
    `<< /Length ${packed.length} /Filter /FlateDecode >>\nstream\n${packed.toString('latin1')}\nendstream`,
  ];
  let file = '%PDF-1.4\n';
  const places = objects.map((object, index) => {
    const place = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(place).padStart(10, '0')} 00000 n \n`;
  });
  const table = `xref\n0 6\n0000000000 65535 f \n${places.join('')}trailer\n<< /Size 6 /Root 1 0 R >>\n`;
  return Buffer.from(`${file}${table}startxref\n${file.length}\n%%EOF\n`, 'latin1');
}
const showing = (text: string): Buffer => Buffer.from(`BT /F1 12 Tf 72 720 Td (${text}) Tj ET`, 'latin1');

describe('a PDF', () => {
  it('comes as paragraphs by page, with what it says about itself', async () => {
    expect(await newReader().read(await fixture('mill.pdf'))).toEqual({
      pages: [
        [
          'The Old Mill',
          'Every morning the baker opens his shop, and the smell of fresh bread fills the whole street until the children come out to play in the yard.',
          'Later the market fills with people, and the ferry leaves the bank without a sound. “Größer”, says the miller, “is not always better.”',
        ].join('\n\n'),
        'After the rain\n\nThe water rises slowly. Nobody hurries, nobody calls, and the wheel turns as it always did.',
      ],
      title: 'The Old Mill',
      author: 'A. Writer',
      subject: 'Mornings by the river',
      language: 'en-GB',
      createdAt: '2000-01-01T00:00:00.000Z',
      modifiedAt: '2000-01-01T00:00:00.000Z',
    });
  });

  it('without text has none, and what its program wrote for want of a title is no title', async () => {
    expect(await newReader().read(await fixture('drawing.pdf'))).toMatchObject({
      pages: [''],
      title: null,
      author: null,
    });
  });

  it('that nobody waits for any more is left, in line and while it is read', async () => {
    const reader = newReader();
    const gone = new Error('gone');
    const [first, second] = [new AbortController(), new AbortController()];
    const file = await fixture('mill.pdf');
    const replies = Promise.allSettled([reader.read(file, first.signal), reader.read(file, second.signal)]);
    second.abort(gone);
    first.abort(gone);
    expect(await replies).toEqual(Array(2).fill({ status: 'rejected', reason: gone }));
    expect((await reader.read(file, new AbortController().signal)).title).toBe('The Old Mill');
  });

  it('that is part of a larger buffer leaves that alone', async () => {
    const file = onePage(showing('words'));
    const larger = Buffer.concat([Buffer.from('before'), file, Buffer.from('after')]);
    const copy = Buffer.from(larger);
    const { pages } = await newReader().read(larger.subarray(6, 6 + file.length));
    expect(pages).toEqual(['words']);
    expect(larger.equals(copy)).toBe(true);
  });

  it('that is encrypted is refused', async () => {
    await expect(newReader().read(await fixture('encrypted.pdf'))).rejects.toEqual(
      refusal('The PDF is encrypted, and no password is known.'),
    );
  });

  it('that is broken is refused, and the next one is read', async () => {
    const reader = newReader();
    const mill = await fixture('mill.pdf');
    await expect(reader.read(Buffer.from('no PDF at all'))).rejects.toEqual(refusal(/^The PDF can't be read: .+\.$/));
    await expect(reader.read(Buffer.alloc(0))).rejects.toEqual(refusal(/^The PDF can't be read: .+\.$/));
    expect((await reader.read(mill)).title).toBe('The Old Mill');
    // Cut off, its parts are found by looking for them, where they are still there.
    const cut = await reader.read(mill.subarray(0, mill.length - 600)).catch((error: Error) => error.message);
    expect(typeof cut === 'string' ? cut : cut.pages.length).toBeTruthy();
  });

  it('that takes too long is given up, and the next one is read', async () => {
    const slow = onePage(Buffer.from('BT /F1 12 Tf (words and words) Tj 0 -14 Td ET\n'.repeat(400_000)));
    const reader = newReader({ timeoutMs: 700 });
    const startedAt = performance.now();
    await expect(reader.read(slow)).rejects.toEqual(refusal('The PDF takes longer than 0.7 s to read.'));
    expect(performance.now() - startedAt).toBeLessThan(5000);
    const patient = newReader();
    expect((await patient.read(onePage(showing('words')))).pages).toEqual(['words']);
  });

  it('that unpacks to more than fits is given up, and the next one is read', async () => {
    const bomb = onePage(
      Buffer.concat([Buffer.from('BT ('), Buffer.alloc(400 * 1024 * 1024, ' '), Buffer.from(') Tj ET')]),
    );
    expect(bomb.length).toBeLessThan(1024 * 1024);
    const reader = newReader({ maxMemoryMb: 64 });
    await expect(reader.read(bomb)).rejects.toEqual(refusal('The PDF takes more than 64 MB of memory to read.'));
    expect((await reader.read(onePage(showing('words')))).pages).toEqual(['words']);
  }, 30_000);

  it('is read one at a time, and each caller gets its own', async () => {
    const reader = newReader();
    const texts = Array.from({ length: 10 }, (_, i) => `number ${i}`);
    const read = await Promise.allSettled([
      ...texts.map((text) => reader.read(onePage(showing(text)))),
      reader.read(Buffer.from('broken')),
    ]);
    expect(read.map((r) => (r.status === 'fulfilled' ? r.value.pages[0] : r.status))).toEqual([...texts, 'rejected']);
  });

  it('is read again after the thread was ended for want of work', async () => {
    const reader = newReader({ idleMs: 1 });
    expect((await reader.read(onePage(showing('one')))).pages).toEqual(['one']);
    await vi.waitFor(() => expect(reader.hasThread()).toBe(false));
    expect((await reader.read(onePage(showing('two')))).pages).toEqual(['two']);
  });
});
