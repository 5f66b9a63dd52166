import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, it, vi } from 'vitest';
import { extractDocument } from './document.ts';
import { createDocumentReader } from './document-reader.ts';

const reader = createDocumentReader();
afterAll(() => reader.close());

const options = {
  url: 'https://example.com/page',
  mainContent: true,
  includeSelectors: [],
  excludeSelectors: [],
  chunks: { maxTokens: 500, overlap: 50, tokenizer: 'cl100k_base' as const },
};
const HTML = 'text/html; charset=utf-8';
const whoWaits = new AbortController().signal;
/** Takes hours: a selector that looks at all that follows, for each. */
const ENDLESS = { body: Buffer.from('<p>x'.repeat(400_000)), includeSelectors: ['p:has(~ p.none)'] };

it('is what is read on the spot, without chunks', async () => {
  const body = Buffer.from(
    '<html lang=en><title>T</title><main><h1>Title</h1><p>Some words.<p><a href=/next>next</a></main>',
  );
  const { chunks, ...document } = await extractDocument(body, HTML, options);
  expect(chunks).toHaveLength(1);
  expect(await reader.read(body, HTML, { ...options, signal: whoWaits })).toEqual(document);
  // It is still the caller's.
  expect(body.toString()).toContain('Some words.');
});

it('says what is wrong with a file that can not be read', async () => {
  const body = Buffer.from('%PDF-1.7 and nothing more');
  await expect(reader.read(body, 'application/pdf', { ...options, signal: whoWaits })).rejects.toMatchObject({
    name: 'UnreadableDocument',
    code: 'PDF_UNREADABLE',
  });
});

it('ends when nobody waits for it any more, and neither its process nor others wait for it', async () => {
  const endless = { ...options, includeSelectors: ENDLESS.includeSelectors };
  const leaving = new AbortController();
  const reading = reader.read(ENDLESS.body, HTML, { ...endless, signal: leaving.signal });
  // It is asserted below, once it was left.
  reading.catch(() => {});
  let ticks = 0;
  const clock = setInterval(() => ticks++, 20);
  await sleep(1500);
  clearInterval(clock);
  expect(ticks).toBeGreaterThan(20);
  const others = Array.from({ length: 3 }, () =>
    reader.read(Buffer.from('<p>words'), HTML, { ...options, signal: whoWaits }),
  );
  for (const { text } of await Promise.all(others)) expect(text).toBe('words');
  leaving.abort(new Error('gone'));
  await expect(reading).rejects.toThrow('gone');
  await expect(reader.read(Buffer.from('x'), HTML, { ...options, signal: leaving.signal })).rejects.toThrow('gone');
});

it('is read by one thread as long as none takes long, however many come at once', async () => {
  const many = createDocumentReader();
  const threads = () => (process.report.getReport() as unknown as { workers: unknown[] }).workers.length;
  const before = threads();
  const body = Buffer.from('<p>words');
  const read = () => many.read(body, HTML, { ...options, signal: whoWaits });
  await read();
  const texts = await Promise.all(Array.from({ length: 20 }, read));
  expect(texts.map(({ text }) => text)).toEqual(Array(20).fill('words'));
  expect(threads()).toBe(before + 1);
  const gone = new AbortController();
  const inLine = [read(), many.read(body, HTML, { ...options, signal: gone.signal }), read()];
  gone.abort(new Error('gone'));
  const ends = await Promise.allSettled(inLine);
  expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  await many.close();
  expect(threads()).toBe(before);
});

it('leaves no thread behind', async () => {
  const brief = createDocumentReader({ idleMs: 50 });
  await brief.read(Buffer.from('<p>words'), HTML, { ...options, signal: whoWaits });
  const threads = () => process.report.getReport() as unknown as { workers: unknown[] };
  const before = threads().workers.length;
  await vi.waitFor(() => expect(threads().workers.length).toBe(before - 1), { timeout: 5000 });
});
