import type { ServerResponse } from 'node:http';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { failed, getText, keep, MEBIBYTE, newFetcher, request, textRequest } from './fetcher.fixture.ts';
import { serve, serveRaw } from './loopback-server.ts';

const TEXT = 'User-agent: *\nDisallow: /private\n';
const ENCODINGS = [
  ['gzip', gzipSync],
  ['br', brotliCompressSync],
  ['zstd', zstdCompressSync],
  ['deflate', deflateSync],
  ['deflate', deflateRawSync],
  ['gzip, br', (bytes: Buffer) => brotliCompressSync(gzipSync(bytes))],
  ['deflate, zstd', (bytes: Buffer) => zstdCompressSync(deflateSync(bytes))],
] as const;

const serveBody = (body: Buffer | string, headers: Record<string, string> = {}) =>
  keep(serve((_req, res) => res.writeHead(200, headers).end(body)));

/** Sends `piece` for as long as somebody reads. */
function endlessly(res: ServerResponse, piece: Buffer): void {
  const more = () => {
    while (!res.destroyed && res.write(piece));
  };
  res.on('drain', more);
  more();
}

describe('a text', () => {
  it('comes with its bytes, type, date and times', async () => {
    const site = await serveBody(TEXT, { 'content-type': 'text/plain; charset=utf-8' });
    const reply = await getText(`${site.url}/robots.txt`);
    expect(reply).toMatchObject({
      kind: 'text',
      status: 200,
      truncated: false,
      contentType: 'text/plain; charset=utf-8',
    });
    if (reply.kind !== 'text') return;
    expect(reply.body.toString()).toBe(TEXT);
    expect(Math.abs(reply.date.getTime() - Date.now())).toBeLessThan(5000);
    expect(reply.headMs).toBeGreaterThan(0);
    expect(reply.elapsedMs).toBeGreaterThanOrEqual(reply.headMs ?? Number.NaN);
  });

  it.each(['text/html', 'application/xml', 'image/png', undefined])('may be of type %s', async (type) => {
    const site = await serveBody(TEXT, type === undefined ? {} : { 'content-type': type });
    expect(await getText(site.url)).toMatchObject({ kind: 'text', contentType: type ?? null });
  });

  it.each([200, 201, 203, 206, 299])('may come with status %i', async (status) => {
    const site = await keep(serve((_req, res) => res.writeHead(status).end(TEXT)));
    expect(await getText(site.url)).toMatchObject({ kind: 'text', status, body: Buffer.from(TEXT) });
  });

  it.each([204, 205])('of status %i is empty, whatever follows', async (status) => {
    const site = await keep(serveRaw((s) => s.end(`HTTP/1.1 ${status} X\r\ncontent-length: 3\r\n\r\nabc`)));
    expect(await getText(site.url)).toMatchObject({ kind: 'text', status, body: Buffer.alloc(0), truncated: false });
  });

  it.each(ENCODINGS)('is decoded from %s', async (encoding, encode) => {
    const text = TEXT.repeat(3000);
    const site = await serveBody(encode(Buffer.from(text)), { 'content-encoding': encoding });
    const reply = await getText(site.url);
    expect(reply).toMatchObject({ kind: 'text', truncated: false });
    expect(reply.kind === 'text' && reply.body.toString() === text).toBe(true);
  });

  it('may be empty in spite of an encoding', async () => {
    const site = await serveBody('', { 'content-encoding': 'gzip' });
    expect(await getText(site.url)).toMatchObject({ kind: 'text', body: Buffer.alloc(0), truncated: false });
  });

  it('shares its connection with the pages of the site', async () => {
    const site = await serveBody(TEXT, { 'content-type': 'text/html' });
    const fetcher = newFetcher();
    expect(await fetcher.getText(textRequest(site.url))).toMatchObject({ kind: 'text' });
    expect(await fetcher.get(request(site.url))).toMatchObject({ kind: 'page' });
    expect(site.connections()).toBe(1);
  });
});

describe('a text that is too long', () => {
  it('is cut at the limit, to the byte', async () => {
    const site = await serveBody('0123456789');
    for (const [maxBytes, truncated] of [
      [9, true],
      [10, false],
      [11, false],
    ] as const) {
      const body = Buffer.from('0123456789'.slice(0, maxBytes));
      expect(await getText(site.url, { maxBytes })).toMatchObject({ kind: 'text', truncated, body });
    }
  });

  it.each(ENCODINGS)('is cut at the limit after decoding %s', async (encoding, encode) => {
    const text = TEXT.repeat(3000);
    const site = await serveBody(encode(Buffer.from(text)), { 'content-encoding': encoding });
    const reply = await getText(site.url, { maxBytes: 1000 });
    expect(reply).toMatchObject({ kind: 'text', truncated: true, body: Buffer.from(text.slice(0, 1000)) });
    const whole = await getText(site.url, { maxBytes: text.length });
    expect(whole).toMatchObject({ kind: 'text', truncated: false });
  });

  it('is cut while it still comes, plain or compressed, and the connection with it', async () => {
    const member = gzipSync(Buffer.alloc(MEBIBYTE, 'x'));
    const closed: string[] = [];
    const site = await keep(
      serve((req, res) => {
        res.on('close', () => closed.push(`${req.url}`));
        if (req.url === '/gzip') res.setHeader('content-encoding', 'gzip');
        endlessly(res, req.url === '/gzip' ? member : Buffer.alloc(16_384, 'x'));
      }),
    );
    for (const path of ['/plain', '/gzip']) {
      const reply = await getText(site.url + path, { maxBytes: 500_000 });
      expect(reply).toMatchObject({ kind: 'text', truncated: true });
      expect(reply.kind === 'text' && reply.body.equals(Buffer.alloc(500_000, 'x'))).toBe(true);
    }
    await expect.poll(() => closed).toEqual(['/plain', '/gzip']);
  });

  it('ends too when it is compressed and nothing comes out', async () => {
    const site = await keep(
      serve((_req, res) => {
        res.setHeader('content-encoding', 'gzip');
        endlessly(res, Buffer.concat(Array<Buffer>(500).fill(gzipSync(''))));
      }),
    );
    const reply = await getText(site.url, { maxBytes: 100_000 });
    expect(reply).toMatchObject({ kind: 'text', truncated: true, body: Buffer.alloc(0) });
  });

  it('costs about the limit, however much it would unpack to', async () => {
    const bomb = gzipSync(gzipSync(Buffer.alloc(64 * MEBIBYTE)));
    const site = await serveBody(bomb, { 'content-encoding': 'gzip, gzip' });
    const before = process.memoryUsage().rss;
    const reply = await getText(site.url, { maxBytes: 500_000 });
    expect(reply).toMatchObject({ kind: 'text', truncated: true });
    expect(process.memoryUsage().rss - before).toBeLessThan(32 * MEBIBYTE);
  });
});

describe('no text', () => {
  it.each(ENCODINGS)(
    'comes of %s that is cut off or broken, unless the limit was reached before',
    async (name, enc) => {
      const whole = enc(Buffer.from(Array.from({ length: 20_000 }, (_, i) => `line ${i * 7919}\n`).join('')));
      const cut = await serveBody(whole.subarray(0, whole.length - 20), { 'content-encoding': name });
      expect(await getText(cut.url)).toMatchObject(failed('DECODE_FAILED', false, 200));
      const half = Buffer.concat([whole.subarray(0, whole.length / 2), Buffer.alloc(50_000, 0xff)]);
      const broken = await serveBody(half, { 'content-encoding': name });
      expect(await getText(broken.url)).toMatchObject(failed('DECODE_FAILED', false, 200));
      expect(await getText(cut.url, { maxBytes: 10 })).toMatchObject({ kind: 'text', truncated: true });
    },
  );

  it('comes of an unknown encoding', async () => {
    const site = await serveBody(TEXT, { 'content-encoding': 'lzma' });
    expect(await getText(site.url)).toMatchObject(failed('DECODE_FAILED', false, 200));
  });

  it('comes of a redirect, which is not followed', async () => {
    const site = await keep(serve((_req, res) => res.writeHead(301, { location: '/b' }).end()));
    const reply = await getText(`${site.url}/a`);
    expect(reply).toMatchObject({ kind: 'redirect', status: 301, location: `${site.url}/b` });
    expect(reply.headMs).toBeGreaterThan(0);
  });

  it.each([
    [404, false],
    [429, true],
    [503, true],
  ])('comes with status %i', async (status, retryable) => {
    const site = await keep(serve((_req, res) => res.writeHead(status, { 'retry-after': '9' }).end(TEXT)));
    const reply = await getText(site.url);
    expect(reply).toMatchObject(failed(`HTTP_${status}`, retryable, status));
    expect(reply).toMatchObject({ retryAfterMs: retryable ? 9000 : null });
  });

  it('comes too late, or from a connection that breaks', async () => {
    const head = 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n';
    const silent = await keep(serveRaw(() => {}));
    expect(await getText(silent.url, { timeoutMs: 60 })).toMatchObject(failed('TIMEOUT_HEADERS', true, null));
    const stalled = await keep(serveRaw((s) => s.write(`${head}content-encoding: gzip\r\n\r\n\x1f`)));
    expect(await getText(stalled.url, { timeoutMs: 60 })).toMatchObject(failed('TIMEOUT_BODY', true, 200));
    const broken = await keep(serveRaw((s) => s.end(`${head}\r\nUser`)));
    expect(await getText(broken.url)).toMatchObject(failed('CONNECTION_FAILED', true, 200));
  });

  it('comes after the signal, which rejects', async () => {
    const site = await keep(serveRaw(() => {}));
    const controller = new AbortController();
    const reply = getText(site.url, { signal: controller.signal });
    await expect.poll(() => site.connections()).toBe(1);
    controller.abort(new Error('shutting down'));
    await expect(reply).rejects.toThrow('shutting down');
  });
});
