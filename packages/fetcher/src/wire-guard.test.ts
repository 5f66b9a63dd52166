import { createServer } from 'node:https';
import { floods } from '@trawl/testing';
import { describe, expect, it } from 'vitest';
import { failed, get, keep, newFetcher, PAGE, request } from './fetcher.fixture.ts';
import { listen, serve, serveRaw } from './loopback-server.ts';
import { selfSigned } from './self-signed.ts';

describe('the bound on what an answer sends', () => {
  it('cuts off a server that sends for ever what nobody counts, long before the timeout', async () => {
    const site = await keep(serveRaw(floods('HTTP/1.1 200 ', 'y'.repeat(16_384))));
    const reply = await get(site.url, { timeoutMs: 15_000, maxBodyBytes: 100_000 });
    expect(reply).toMatchObject(failed('HTTP_PROTOCOL', false, null));
    expect(reply.elapsedMs).toBeLessThan(10_000);
  });

  it('holds over TLS too', async () => {
    const certificate = selfSigned({ addresses: ['127.0.0.1'] });
    const server = createServer(certificate, ({ socket }) => floods('HTTP/1.1 200 ', 'y'.repeat(16_384))(socket, ''));
    const site = await keep(listen(server));
    const url = `https://127.0.0.1:${site.port}/`;
    const reply = await get(url, { timeoutMs: 15_000, maxBodyBytes: 100_000 }, { ca: [certificate.cert] });
    expect(reply).toMatchObject(failed('HTTP_PROTOCOL', false, null));
  });

  it('is for each answer, not for all of a connection', async () => {
    const site = await keep(
      serve((_req, res) => res.writeHead(200, { 'content-type': 'text/html' }).end(PAGE.padEnd(9000))),
    );
    const fetcher = newFetcher();
    for (let i = 0; i < 60; i++)
      expect(await fetcher.get(request(site.url, { maxBodyBytes: 10_000 }))).toMatchObject({ kind: 'page' });
    expect(site.connections()).toBe(1);
  });

  it('leaves room for a body of chunks of one byte', async () => {
    const chunks = '1\r\nx\r\n'.repeat(50_000);
    const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ntransfer-encoding: chunked\r\n\r\n';
    const site = await keep(serveRaw((socket) => socket.end(`${head}${chunks}0\r\n\r\n`)));
    const reply = await get(site.url, { maxBodyBytes: 50_000 });
    expect(reply).toMatchObject({ kind: 'page', bytes: 50_000 });
    expect(reply.kind === 'page' && reply.body.equals(Buffer.alloc(50_000, 'x'))).toBe(true);
  });
});

it('a head that is too large leaves later errors their stack', async () => {
  const site = await keep(serveRaw((socket) => socket.end(`HTTP/1.1 200 OK\r\n${'x-a: y\r\n'.repeat(50_000)}\r\n`)));
  const limit = Error.stackTraceLimit;
  const replies = await Promise.all([get(site.url), get(site.url)]);
  for (const reply of replies) expect(reply).toMatchObject(failed('HTTP_PROTOCOL', false, null));
  expect(Error.stackTraceLimit).toBe(limit);
});
