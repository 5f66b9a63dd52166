import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { failed, keep, MEBIBYTE, newFetcher, textRequest } from './fetcher.fixture.ts';
import type { BodyStream, StreamRequest } from './fetcher.ts';
import { serve, serveRaw } from './loopback-server.ts';

const stream = (url: string, limits: Partial<StreamRequest> = {}): BodyStream =>
  newFetcher().stream({ ...textRequest(url), ...limits });

async function read({ body, reply }: BodyStream) {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return { text: Buffer.concat(chunks).toString(), reply: await reply };
}

const TEXT = 'a line of a sitemap\n'.repeat(20_000);

describe('a stream', () => {
  it.each([
    ['identity', (text: string) => Buffer.from(text)],
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
    ['gzip, br', (text: string) => brotliCompressSync(gzipSync(text))],
  ] as const)('gives the whole body, decoded from %s', async (encoding, encode) => {
    const site = await keep(
      serve((_req, res) =>
        res.writeHead(200, { 'content-type': 'text/xml', 'content-encoding': encoding }).end(encode(TEXT)),
      ),
    );
    const { text, reply } = await read(stream(site.url));
    expect(text === TEXT).toBe(true);
    expect(reply).toMatchObject({ kind: 'streamed', status: 200, bytes: TEXT.length, truncated: false });
    expect(reply).toMatchObject({ contentType: 'text/xml' });
  });

  it('gives its first part while the rest has not been sent', async () => {
    let finish = () => {};
    const site = await keep(
      serve((_req, res) => {
        res.write('first');
        finish = () => res.end('last');
      }),
    );
    const { body, reply } = stream(site.url);
    const parts: string[] = [];
    for await (const chunk of body) {
      parts.push(chunk.toString());
      finish();
    }
    expect(parts).toEqual(['first', 'last']);
    expect(await reply).toMatchObject({ kind: 'streamed', bytes: 9 });
  });

  it.each(['identity', 'gzip'])('is cut at its limit, to the byte (%s)', async (encoding) => {
    const bytes = Buffer.alloc(300_000, 'x');
    const site = await keep(
      serve((_req, res) =>
        res.writeHead(200, { 'content-encoding': encoding }).end(encoding === 'gzip' ? gzipSync(bytes) : bytes),
      ),
    );
    const { text, reply } = await read(stream(site.url, { maxBytes: 123_457 }));
    expect(text).toHaveLength(123_457);
    expect(reply).toMatchObject({ kind: 'streamed', truncated: true, bytes: 123_457 });
  });

  it('waits for its reader, and so does the server', async () => {
    let sent = 0;
    const site = await keep(
      serve((_req, res) => {
        const piece = Buffer.alloc(65_536);
        const more = () => {
          while (!res.destroyed && sent < 512 * MEBIBYTE) {
            sent += piece.length;
            if (!res.write(piece)) return;
          }
        };
        res.on('drain', more);
        more();
      }),
    );
    const { body, reply } = stream(site.url, { maxBytes: 1024 * MEBIBYTE });
    let before = -1;
    for await (const _ of body) {
      // Until the server, too, stands still: what is under way is what sockets hold.
      while (sent !== before) {
        before = sent;
        await sleep(100);
      }
      break;
    }
    expect(sent).toBeLessThan(64 * MEBIBYTE);
    expect(await reply).toMatchObject({ kind: 'streamed', truncated: true });
    await expect.poll(() => site.open()).toBe(0);
  });

  it('keeps a bomb small', async () => {
    const bomb = gzipSync(Buffer.alloc(200 * MEBIBYTE));
    const site = await keep(serve((_req, res) => res.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb)));
    const { body, reply } = stream(site.url, { maxBytes: 1024 * MEBIBYTE });
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    for await (const _ of body) most = Math.max(most, process.memoryUsage().arrayBuffers - before);
    expect(await reply).toMatchObject({ kind: 'streamed', bytes: 200 * MEBIBYTE });
    expect(most).toBeLessThan(100 * MEBIBYTE);
  });

  it('gives what came before the connection broke, and says that it did', async () => {
    const site = await keep(serveRaw((s) => s.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf')));
    const { text, reply } = await read(stream(site.url));
    expect(text).toBe('half');
    expect(reply).toMatchObject(failed('CONNECTION_FAILED', true, 200));
  });

  it('that stalls ends with its time', async () => {
    const site = await keep(serve((_req, res) => void res.write('half')));
    const { text, reply } = await read(stream(site.url, { timeoutMs: 300 }));
    expect(text).toBe('half');
    expect(reply).toMatchObject(failed('TIMEOUT_BODY', true, 200));
  });

  it('has no body where there is no such thing', async () => {
    const site = await keep(serve((_req, res) => res.writeHead(404).end('nothing here')));
    expect(await read(stream(site.url))).toMatchObject({ text: '', reply: failed('HTTP_404', false, 404) });
    const moved = await keep(serve((_req, res) => res.writeHead(301, { location: '/there' }).end()));
    expect(await read(stream(moved.url))).toMatchObject({ text: '', reply: { kind: 'redirect' } });
    expect(await read(stream('ftp://x.test/'))).toMatchObject({
      text: '',
      reply: failed('ADDRESS_INVALID', false, null),
    });
  });

  it('that nobody reads costs one buffer, and ends when it is left', async () => {
    const site = await keep(serve((_req, res) => void res.write('x'.repeat(100))));
    const { body, reply } = stream(site.url, { timeoutMs: 1000 });
    for await (const _ of body) break;
    expect(await reply).toMatchObject({ kind: 'streamed', truncated: true });
    await expect.poll(() => site.open()).toBe(0);
  });

  it('rejects with the reason of its signal', async () => {
    const stop = new AbortController();
    const site = await keep(serve((_req, res) => void res.write('x')));
    const { body, reply } = stream(site.url, { signal: stop.signal });
    for await (const _ of body) stop.abort(new Error('no more'));
    await expect(reply).rejects.toThrow('no more');
  });
});

describe('a page that is known', () => {
  const ETAG = '"v1"';
  const site = () =>
    keep(
      serve((req, res) => {
        const isKnown = req.headers['if-none-match'] === ETAG || req.headers['if-modified-since'] === 'yesterday';
        res.writeHead(isKnown ? 304 : 200, { etag: ETAG, 'last-modified': 'today', 'content-type': 'text/html' });
        res.end(isKnown ? undefined : '<p>words');
      }),
    );
  const ask = async (known?: { etag: string | null; lastModified: string | null }) => {
    const { url } = await site();
    const request = { url, userAgent: 'Trawl-test/1', timeoutMs: 5000, maxBodyBytes: 10_000 };
    return newFetcher().get(known === undefined ? request : { ...request, known });
  };

  it('comes with what the server names it by', async () => {
    expect(await ask()).toMatchObject({ kind: 'page', etag: ETAG, lastModified: 'today' });
  });

  it.each([
    { etag: ETAG, lastModified: null },
    { etag: null, lastModified: 'yesterday' },
  ])('is unchanged where the server says so', async (known) => {
    expect(await ask(known)).toMatchObject({ kind: 'unchanged', status: 304, etag: ETAG });
  });

  it('comes as it is now where it has changed', async () => {
    expect(await ask({ etag: '"v0"', lastModified: null })).toMatchObject({ kind: 'page' });
  });

  it('that nothing is known of is not asked for by it', async () => {
    expect(await ask({ etag: null, lastModified: null })).toMatchObject({ kind: 'page' });
  });
});
