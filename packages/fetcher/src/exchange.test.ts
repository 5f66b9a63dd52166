import type { LookupFunction } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { failed, get, keep, MEBIBYTE, newFetcher, PAGE, request } from './fetcher.fixture.ts';
import { serve, serveRaw } from './loopback-server.ts';

describe('a page', () => {
  it('comes with its bytes, type, date and time, and was asked for politely', async () => {
    const seen: unknown[] = [];
    const site = await keep(
      serve((req, res) => {
        seen.push(req.url, req.headers['user-agent'], req.headers['accept-encoding'], req.headers.accept);
        res.setHeader('content-type', 'text/html; charset=utf-8');
        res.end(PAGE);
      }),
    );
    const reply = await get(`${site.url}/a%20b?q=ü#part`);
    expect(reply).toMatchObject({ kind: 'page', status: 200, contentType: 'text/html; charset=utf-8', bytes: 43 });
    if (reply.kind !== 'page') return;
    expect(reply.body.toString()).toBe(PAGE);
    expect(Math.abs(reply.date.getTime() - Date.now())).toBeLessThan(5000);
    expect(reply.elapsedMs).toBeGreaterThan(0);
    expect(seen).toEqual([
      '/a%20b?q=%C3%BC',
      'Trawl-test/1',
      'gzip, deflate, br, zstd',
      'text/html,application/xhtml+xml;q=0.9,text/markdown;q=0.6,text/plain;q=0.6,application/pdf;q=0.5,application/json;q=0.5,*/*;q=0.1',
    ]);
    expect(reply).not.toHaveProperty('head');
  });

  it('comes with the head of its answer where that is wanted, as it was sent', async () => {
    const head =
      'HTTP/1.1 200 Quite fine\r\nContent-Type: text/html\r\nSET-cookie: a=1\r\nset-Cookie: b=2\r\nX-Umlaut: \xfc';
    const site = await keep(
      serveRaw((s) => s.end(Buffer.from(`${head}\r\ncontent-length: ${PAGE.length}\r\n\r\n${PAGE}`, 'latin1'))),
    );
    const reply = await get(site.url, { keepsHead: true });
    expect(reply.kind === 'page' && reply.head).toEqual({
      statusText: 'Quite fine',
      headers: [
        ['Content-Type', 'text/html'],
        ['SET-cookie', 'a=1'],
        ['set-Cookie', 'b=2'],
        ['X-Umlaut', '\xfc'],
        ['content-length', String(PAGE.length)],
      ],
    });
  });

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['gzip, br', (bytes: Buffer) => brotliCompressSync(gzipSync(bytes))],
    ['identity', (bytes: Buffer) => bytes],
  ] as const)('is decoded from %s', async (encoding, encode) => {
    const page = PAGE.repeat(50);
    const site = await keep(
      serve((_req, res) => {
        res.writeHead(200, { 'content-type': 'text/html', 'content-encoding': encoding });
        res.end(encode(Buffer.from(page)));
      }),
    );
    const reply = await get(site.url);
    expect(reply.kind === 'page' && reply.body.toString()).toBe(page);
  });

  it('is put together from many chunks, after an early hint', async () => {
    const site = await keep(
      serve((_req, res) => {
        res.writeEarlyHints({ link: '</style.css>; rel=preload; as=style' });
        res.setHeader('content-type', 'text/html');
        for (let i = 0; i < 40; i++) res.write(`${i}`.padEnd(10_000));
        res.end();
      }),
    );
    expect(await get(site.url)).toMatchObject({ kind: 'page', bytes: 400_000 });
  });

  it('without a type is told from other content by its first bytes', async () => {
    const bodies: Record<string, string | Buffer> = { '/html': PAGE, '/text': 'just text', '/pdf': '%PDF-1.4 …' };
    const site = await keep(serve((req, res) => res.end(bodies[req.url ?? ''] ?? Buffer.from([0x89, 0x50, 0x00]))));
    for (const path of Object.keys(bodies))
      expect(await get(site.url + path)).toMatchObject({ kind: 'page', contentType: null });
    expect(await get(`${site.url}/else`)).toMatchObject(failed('UNSUPPORTED_TYPE', false, 200));
  });

  it('may end with the connection instead of a length', async () => {
    const site = await keep(serveRaw((s) => s.end(`HTTP/1.0 200 OK\r\ncontent-type: text/html\r\n\r\n${PAGE}`)));
    expect(await get(site.url)).toMatchObject({ kind: 'page', bytes: PAGE.length });
  });
});

describe('the times of a request', () => {
  it('are told from the moment it is sent, not from the wait for a connection', async () => {
    let answer = () => {};
    const site = await keep(
      serve((_req, res) => {
        answer = () => res.writeHead(200, { 'content-type': 'text/html' }).end(PAGE);
      }),
    );
    let connect = () => {};
    const lookup: LookupFunction = (_hostname, _options, callback) => {
      connect = () => callback(null, [{ address: '127.0.0.1', family: 4 }]);
    };
    let sent = 0;
    const before = performance.now();
    const reply = get(`http://slow.test:${site.port}/`, { onSent: () => (sent += 1) }, { lookup });
    await new Promise((resolve) => setTimeout(resolve, 120));
    expect(sent).toBe(0);
    connect();
    await expect.poll(() => sent).toBe(1);
    const sentAfterMs = performance.now() - before;
    await expect.poll(() => site.connections()).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 50));
    answer();
    const { kind, headMs, elapsedMs } = await reply;
    expect({ kind, sent }).toEqual({ kind: 'page', sent: 1 });
    expect(headMs).toBeGreaterThanOrEqual(40);
    expect(elapsedMs).toBeGreaterThanOrEqual((headMs ?? 0) + 110);
    expect(sentAfterMs).toBeGreaterThanOrEqual(110);
  });

  it('have no head where none came, and nothing was sent where there was no connection', async () => {
    let sent = 0;
    const onSent = () => (sent += 1);
    const silent = await keep(serveRaw(() => {}));
    expect(await get(silent.url, { timeoutMs: 60, onSent })).toMatchObject({ kind: 'failed', headMs: null });
    expect(sent).toBe(1);
    const gone = await get('http://gone.test/', { timeoutMs: 60, onSent }, { lookup: () => {} });
    expect(gone).toMatchObject({ kind: 'failed', headMs: null });
    expect(await get('nonsense', { onSent })).toMatchObject({ kind: 'failed', headMs: null });
    expect(sent).toBe(1);
  });

  it.each([302, 404])('have a head with status %i too', async (status) => {
    const site = await keep(serve((_req, res) => res.writeHead(status, { location: '/x' }).end()));
    expect((await get(site.url)).headMs).toBeGreaterThan(0);
  });

  it('are the business of a caller, whose throw rejects and costs nobody the connection', async () => {
    const site = await keep(serve((_req, res) => res.end(PAGE)));
    const fetcher = newFetcher({ maxConnectionsPerOrigin: 1 });
    const onSent = () => {
      throw new Error('too late');
    };
    await expect(fetcher.get(request(site.url, { onSent }))).rejects.toThrow('too late');
    expect(await fetcher.get(request(site.url))).toMatchObject({ kind: 'page' });
    expect(site.connections()).toBe(1);
  });
});

describe('X-Robots-Tag', () => {
  const tags = async (values: string | string[] | undefined, type = 'text/html') => {
    const site = await keep(
      serve((_req, res) => {
        if (values !== undefined) res.setHeader('x-robots-tag', values);
        res.setHeader('content-type', type);
        res.end(PAGE);
      }),
    );
    const reply = await get(site.url);
    return reply.kind === 'page' ? reply.robotsTags : reply;
  };

  it('comes as it is, each value for itself', async () => {
    expect(await tags(undefined)).toEqual([]);
    expect(await tags('noindex, nofollow')).toEqual(['noindex, nofollow']);
    expect(await tags(['googlebot: noindex', 'Trawl: none'])).toEqual(['googlebot: noindex', 'Trawl: none']);
  });

  it('is bounded in number and length', async () => {
    expect(await tags(Array.from({ length: 50 }, (_, i) => `tag${i}`))).toHaveLength(20);
    expect(await tags('x'.repeat(2000))).toEqual(['x'.repeat(500)]);
  });

  it('does not make a page of what is none', async () => {
    expect(await tags('all', 'text/css')).toMatchObject(failed('UNSUPPORTED_TYPE', false, 200));
  });
});

describe('an answer that is no page', () => {
  it('is a redirect, not followed', async () => {
    const paths: (string | undefined)[] = [];
    const site = await keep(
      serve((req, res) => {
        paths.push(req.url);
        res.writeHead(308, { location: '../next#x' }).end('moved');
      }),
    );
    const reply = await get(`${site.url}/a/b`);
    expect(reply).toMatchObject({ kind: 'redirect', status: 308, location: `${site.url}/next` });
    expect(paths).toEqual(['/a/b']);
  });

  it('is a failure with the time the server asks for', async () => {
    const site = await keep(serve((_req, res) => res.writeHead(503, { 'retry-after': '7' }).end()));
    expect(await get(site.url)).toMatchObject({ ...failed('HTTP_503', true, 503), retryAfterMs: 7000 });
  });

  it('keeps the connection when its body is short, and gives it up when the body is long', async () => {
    let bodyBytes = 10_000;
    const site = await keep(
      serve((_req, res) => {
        res.writeHead(200, { 'content-type': 'application/zip' });
        res.end(Buffer.alloc(bodyBytes));
      }),
    );
    const fetcher = newFetcher();
    for (let i = 0; i < 5; i++)
      expect(await fetcher.get(request(site.url))).toMatchObject(failed('UNSUPPORTED_TYPE', false, 200));
    expect(site.connections()).toBe(1);
    bodyBytes = 8 * MEBIBYTE;
    for (let i = 0; i < 5; i++)
      expect(await fetcher.get(request(site.url))).toMatchObject(failed('UNSUPPORTED_TYPE', false, 200));
    expect(site.connections()).toBeGreaterThanOrEqual(5);
  });

  it('is not downloaded, even if it never ends', async () => {
    let sentBytes = 0;
    const site = await keep(
      serve((_req, res) => {
        res.writeHead(404, { 'content-type': 'text/html' });
        const more = () => {
          while (!res.destroyed && res.write(Buffer.alloc(16_384))) sentBytes += 16_384;
        };
        res.on('drain', more);
        more();
      }),
    );
    expect(await get(site.url)).toMatchObject(failed('HTTP_404', false, 404));
    expect(sentBytes).toBeLessThan(32 * MEBIBYTE);
  });

  it('is known within about a second when its body trickles', async () => {
    const site = await keep(serve((_req, res) => res.writeHead(302, { location: '/x' }).write('a')));
    const reply = await get(site.url, { timeoutMs: 15_000 });
    expect(reply).toMatchObject({ kind: 'redirect', location: `${site.url}/x` });
    expect(reply.elapsedMs).toBeLessThan(5000);
  });
});

describe('limits', () => {
  it('stop a body without end', async () => {
    const site = await keep(
      serve((_req, res) => {
        res.setHeader('content-type', 'text/html');
        const more = () => {
          while (!res.destroyed && res.write(Buffer.alloc(16_384, 'x')));
        };
        res.on('drain', more);
        more();
      }),
    );
    expect(await get(site.url)).toMatchObject(failed('BODY_TOO_LARGE', false, 200));
  });

  it('stop a gigabyte of zeros in a megabyte of gzip, at bounded memory', async () => {
    // As 1024 members, which is one stream to a reader, and quicker to make.
    const bomb = Buffer.concat(Array<Buffer>(1024).fill(gzipSync(Buffer.alloc(MEBIBYTE))));
    const site = await keep(
      serve((_req, res) => {
        res.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' });
        res.end(bomb);
      }),
    );
    const before = process.memoryUsage().rss;
    expect(await get(site.url, { maxBodyBytes: 10 * MEBIBYTE })).toMatchObject(failed('BODY_TOO_LARGE', false, 200));
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * MEBIBYTE);
  });

  it('stop a head that is too large', async () => {
    const site = await keep(
      serveRaw((s) => s.write(`HTTP/1.1 200 OK\r\n${`x-a: ${'y'.repeat(1000)}\r\n`.repeat(200)}`)),
    );
    expect(await get(site.url)).toMatchObject(failed('HTTP_PROTOCOL', false, null));
  });

  it('stop a server that does not answer', async () => {
    const site = await keep(serveRaw(() => {}));
    expect(await get(site.url, { timeoutMs: 60 })).toMatchObject(failed('TIMEOUT_HEADERS', true, null));
  });

  it('stop a body that keeps trickling', async () => {
    const site = await keep(
      serve((_req, res) => {
        res.setHeader('content-type', 'text/html');
        const trickle = setInterval(() => res.write('.'), 10);
        res.on('close', () => clearInterval(trickle));
      }),
    );
    expect(await get(site.url, { timeoutMs: 120 })).toMatchObject(failed('TIMEOUT_BODY', true, 200));
  });

  it('stop a wait for a connection, without costing the others theirs', async () => {
    const held: (() => void)[] = [];
    const site = await keep(
      serve((_req, res) => {
        res.setHeader('content-type', 'text/html');
        held.push(() => res.end(PAGE));
      }),
    );
    const fetcher = newFetcher({ maxConnectionsPerOrigin: 1 });
    const first = fetcher.get(request(site.url));
    const impatient = fetcher.get(request(site.url, { timeoutMs: 50 }));
    const patient = fetcher.get(request(site.url));
    expect(await impatient).toMatchObject(failed('TIMEOUT_CONNECT', true, null));
    held[0]?.();
    expect(await first).toMatchObject({ kind: 'page' });
    await expect.poll(() => held.length).toBe(2);
    held[1]?.();
    expect(await patient).toMatchObject({ kind: 'page' });
    expect(site.connections()).toBe(1);
  });
});
