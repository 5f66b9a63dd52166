import type { LookupFunction } from 'node:net';
import { describe, expect, it } from 'vitest';
import { failed, get, keep } from './fetcher.fixture.ts';
import { serve, serveRaw } from './loopback-server.ts';

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
    [
      'closes within the head after a length',
      'HTTP/1.1 200 OK\r\ncontent-length: 9\r\nx-a',
      'CONNECTION_FAILED',
      true,
      null,
    ],
    [
      'sends a malformed header after a length',
      'HTTP/1.1 200 OK\r\ncontent-length: 9\r\nno colon here\r\n\r\n',
      'HTTP_PROTOCOL',
      false,
      null,
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
