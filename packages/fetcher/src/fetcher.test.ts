import { once } from 'node:events';
import { createServer as createTlsServer } from 'node:https';
import { createServer as createTcpServer, type LookupFunction } from 'node:net';
import { brotliCompressSync, createGzip, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { createFetcher, type Fetcher, type FetcherOptions, type FetchReply, type FetchRequest } from './fetcher.ts';
import { type LoopbackServer, listen, serve, serveRaw } from './loopback-server.ts';
import { selfSigned } from './self-signed.ts';

const PAGE = '<!doctype html><title>Page</title><p>Words.';
const MEBIBYTE = 1024 * 1024;

let opened: AsyncDisposableStack = new AsyncDisposableStack();
afterEach(async () => {
  await opened.disposeAsync();
  opened = new AsyncDisposableStack();
});

const keep = async (server: Promise<LoopbackServer>): Promise<LoopbackServer> => opened.use(await server);

function newFetcher(options: Partial<FetcherOptions> = {}): Fetcher {
  return opened.adopt(createFetcher({ allowPrivateNetworks: true, ...options }), (fetcher) => fetcher.close());
}

const request = (url: string, limits: Partial<FetchRequest> = {}): FetchRequest => ({
  url,
  userAgent: 'Trawl-test/1',
  timeoutMs: 10_000,
  maxBodyBytes: MEBIBYTE,
  ...limits,
});

const get = (url: string, limits?: Partial<FetchRequest>, options?: Partial<FetcherOptions>): Promise<FetchReply> =>
  newFetcher(options).get(request(url, limits));

const failed = (code: string, retryable: boolean, status: number | null) => ({
  kind: 'failed',
  status,
  error: { code, retryable, message: expect.stringMatching(/^[A-Z].*\.$/) },
});

describe('a page', () => {
  it('comes with its bytes, type, date and time, and was asked for politely', async () => {
    const seen: unknown[] = [];
    const site = await keep(
      serve((req, res) => {
        seen.push(req.url, req.headers['user-agent'], req.headers['accept-encoding']);
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
    expect(seen).toEqual(['/a%20b?q=%C3%BC', 'Trawl-test/1', 'gzip, deflate, br, zstd']);
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
    const site = await keep(serve((req, res) => res.end(req.url === '/html' ? PAGE : 'just text')));
    expect(await get(`${site.url}/html`)).toMatchObject({ kind: 'page', contentType: null });
    expect(await get(`${site.url}/text`)).toMatchObject(failed('NOT_HTML', false, 200));
  });

  it('may end with the connection instead of a length', async () => {
    const site = await keep(serveRaw((s) => s.end(`HTTP/1.0 200 OK\r\ncontent-type: text/html\r\n\r\n${PAGE}`)));
    expect(await get(site.url)).toMatchObject({ kind: 'page', bytes: PAGE.length });
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
        res.writeHead(200, { 'content-type': 'application/pdf' });
        res.end(Buffer.alloc(bodyBytes));
      }),
    );
    const fetcher = newFetcher();
    for (let i = 0; i < 5; i++)
      expect(await fetcher.get(request(site.url))).toMatchObject(failed('NOT_HTML', false, 200));
    expect(site.connections()).toBe(1);
    bodyBytes = 8 * MEBIBYTE;
    for (let i = 0; i < 5; i++)
      expect(await fetcher.get(request(site.url))).toMatchObject(failed('NOT_HTML', false, 200));
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
    const gzip = createGzip({ level: 9 });
    const parts: Buffer[] = [];
    gzip.on('data', (part: Buffer) => parts.push(part));
    const zeros = Buffer.alloc(MEBIBYTE);
    for (let i = 0; i < 1024; i++) if (!gzip.write(zeros)) await once(gzip, 'drain');
    gzip.end();
    await once(gzip, 'end');
    const bomb = Buffer.concat(parts);
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

describe('a broken server', () => {
  const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n';
  it.each([
    ['closes without an answer', '', 'CONNECTION_FAILED', true, null],
    ['closes within the head', 'HTTP/1.1 200 OK\r\ncont', 'CONNECTION_FAILED', true, null],
    ['closes within a body of known length', `${HEAD}content-length: 100\r\n\r\n<p>`, 'CONNECTION_FAILED', true, 200],
    [
      'closes within a body of known length it said it would close after',
      `${HEAD}connection: close\r\ncontent-length: 100\r\n\r\n<p>`,
      'CONNECTION_FAILED',
      true,
      200,
    ],
    ['closes within a chunk', `${HEAD}transfer-encoding: chunked\r\n\r\n40\r\n<p>`, 'CONNECTION_FAILED', true, 200],
    [
      'closes within a chunk it said it would close after',
      `${HEAD}connection: close\r\ntransfer-encoding: chunked\r\n\r\n40\r\n<p>`,
      'CONNECTION_FAILED',
      true,
      200,
    ],
    ['speaks another protocol', 'SSH-2.0-OpenSSH_9.6\r\n', 'HTTP_PROTOCOL', false, null],
    ['sends a malformed header', 'HTTP/1.1 200 OK\r\nno colon here\r\n\r\n', 'HTTP_PROTOCOL', false, null],
    ['sends a bad chunk size', `${HEAD}transfer-encoding: chunked\r\n\r\nzz\r\n`, 'HTTP_PROTOCOL', false, 200],
    [
      'switches protocols unasked',
      'HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
      'HTTP_PROTOCOL',
      false,
      null,
    ],
    [
      'sends gzip that is none',
      `${HEAD}content-encoding: gzip\r\ncontent-length: 3\r\n\r\n<p>`,
      'DECODE_FAILED',
      false,
      200,
    ],
  ] as const)('that %s', async (_what, sent, code, retryable, status) => {
    const site = await keep(serveRaw((socket) => socket.end(sent)));
    expect(await get(site.url)).toMatchObject(failed(code, retryable, status));
  });

  it('that resets the connection', async () => {
    const site = await keep(serveRaw((socket) => socket.resetAndDestroy()));
    expect(await get(site.url)).toMatchObject(failed('CONNECTION_FAILED', true, null));
  });

  it('that is not there', async () => {
    const site = await serve(() => {});
    await site[Symbol.asyncDispose]();
    const reply = await get(site.url);
    expect(reply).toMatchObject(failed('CONNECTION_FAILED', true, null));
    expect(reply).toMatchObject({ error: { message: 'The server refused the connection.' } });
  });

  it('that shows a certificate nobody vouches for', async () => {
    const site = await keep(listen(createTlsServer(selfSigned(), (_req, res) => res.end(PAGE))));
    const reply = await get(`https://127.0.0.1:${site.port}/`);
    expect(reply).toMatchObject(failed('TLS_FAILED', false, null));
    expect(reply).toMatchObject({ error: { message: expect.stringContaining('SELF_SIGNED') } });
  });

  it('that does not speak TLS where it should', async () => {
    const site = await keep(
      listen(createTcpServer((socket) => socket.on('error', () => socket.destroy()).end('hello\r\n'))),
    );
    expect(await get(`https://127.0.0.1:${site.port}/`)).toMatchObject(failed('TLS_FAILED', false, null));
  });
});

describe('a name', () => {
  const failing = (code: string): LookupFunction => {
    return (_hostname, _options, callback) =>
      callback(Object.assign(new Error(`getaddrinfo ${code}`), { code, syscall: 'getaddrinfo' }), '', 0);
  };

  it.each([
    ['ENOTFOUND', 'DNS_NOT_FOUND', false],
    ['EAI_AGAIN', 'DNS_UNAVAILABLE', true],
    ['EAI_FAIL', 'DNS_UNAVAILABLE', true],
  ] as const)('whose lookup ends in %s is %s', async (code, expected, retryable) => {
    for (const allowPrivateNetworks of [true, false]) {
      const reply = await get('http://nowhere.test/', {}, { allowPrivateNetworks, lookup: failing(code) });
      expect(reply).toMatchObject(failed(expected, retryable, null));
    }
  });

  it('whose lookup never ends is a timeout', async () => {
    const reply = await get('http://slow.test/', { timeoutMs: 50 }, { lookup: () => {} });
    expect(reply).toMatchObject(failed('TIMEOUT_CONNECT', true, null));
  });

  it.each(['nonsense', '/path', 'ftp://site.test/', 'file:///etc/passwd', 'http://me:pw@site.test/', 'http://'])(
    'in the address %j is never looked up',
    async (url) => {
      expect(await get(url, {}, { lookup: failing('ENOTFOUND') })).toMatchObject(
        failed('ADDRESS_INVALID', false, null),
      );
    },
  );
});

describe('the address guard', () => {
  const to = (...addresses: string[]): LookupFunction => {
    return (_hostname, _options, callback) =>
      callback(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
  };

  it.each(['127.0.0.1', '2130706433', '0x7f.1', 'localhost', 'x.localhost.', '[::ffff:127.0.0.1]', '0.0.0.0'])(
    'keeps %s from being dialled',
    async (host) => {
      const site = await keep(serve((_req, res) => res.end(PAGE)));
      const reply = await get(`http://${host}:${site.port}/`, {}, { allowPrivateNetworks: false });
      expect(reply).toMatchObject(failed('PRIVATE_ADDRESS', false, null));
      expect(reply).toMatchObject({ error: { message: expect.stringContaining('ALLOW_PRIVATE_NETWORKS=true') } });
      expect(site.connections()).toBe(0);
    },
  );

  it('keeps a public name of a private address from being dialled, over TLS too', async () => {
    const site = await keep(serve((_req, res) => res.end(PAGE)));
    for (const scheme of ['http', 'https']) {
      const url = `${scheme}://rebound.test:${site.port}/`;
      const reply = await get(url, {}, { allowPrivateNetworks: false, lookup: to('::1', '127.0.0.1') });
      expect(reply).toMatchObject(failed('PRIVATE_ADDRESS', false, null));
    }
    expect(site.connections()).toBe(0);
  });

  it('is off where private networks are allowed', async () => {
    const site = await keep(serve((_req, res) => res.end(PAGE)));
    const reply = await get(`http://intranet.test:${site.port}/`, {}, { lookup: to('127.0.0.1') });
    expect(reply).toMatchObject({ kind: 'page' });
  });
});

describe('connections and callers', () => {
  it('uses one connection for 100 requests in a row', async () => {
    const site = await keep(
      serve((req, res) => {
        const n = Number(req.url?.slice(1)) % 4;
        if (n === 1) res.writeHead(301, { location: '/' }).end('moved');
        else if (n === 2) res.writeHead(404).end('gone');
        else res.writeHead(200, { 'content-type': 'text/html' }).end(PAGE);
      }),
    );
    const fetcher = newFetcher();
    for (let i = 0; i < 100; i++) await fetcher.get(request(`${site.url}/${i}`));
    expect(site.connections()).toBe(1);
  });

  it('opens no more connections to an origin than it may', async () => {
    const site = await keep(serve((_req, res) => setImmediate(() => res.end(PAGE))));
    const fetcher = newFetcher({ maxConnectionsPerOrigin: 3 });
    const replies = await Promise.all(Array.from({ length: 30 }, () => fetcher.get(request(site.url))));
    expect(replies.every((reply) => reply.kind === 'page')).toBe(true);
    expect(site.connections()).toBe(3);
  });

  it('rejects with the reason of the signal, before or during the request', async () => {
    const site = await keep(serveRaw(() => {}));
    const reason = new Error('shutting down');
    await expect(get(site.url, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const controller = new AbortController();
    const reply = get(site.url, { signal: controller.signal });
    await expect.poll(() => site.connections()).toBe(1);
    controller.abort(reason);
    await expect(reply).rejects.toBe(reason);
  });

  it('rejects what only the caller can have got wrong', async () => {
    const site = await keep(serve((_req, res) => res.end(PAGE)));
    await expect(get(site.url, { userAgent: 'two\r\nlines' })).rejects.toThrow('user agent');
  });

  it('closes once the requests under way are answered, and takes no more', async () => {
    const held: (() => void)[] = [];
    const site = await keep(serve((_req, res) => held.push(() => res.end(PAGE))));
    const fetcher = newFetcher();
    const reply = fetcher.get(request(site.url));
    await expect.poll(() => held.length).toBe(1);
    const closed = fetcher.close();
    await expect(fetcher.get(request(site.url))).rejects.toThrow('closed');
    held[0]?.();
    expect(await reply).toMatchObject({ kind: 'page' });
    await closed;
    await fetcher.close();
  });
});
