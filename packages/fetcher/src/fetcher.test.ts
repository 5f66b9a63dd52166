import { describe, expect, it } from 'vitest';
import { get, keep, newFetcher, PAGE, request } from './fetcher.fixture.ts';
import { serve, serveRaw } from './loopback-server.ts';

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

  it('asks in a language only where it is told one', async () => {
    const asked: (string | undefined)[] = [];
    const site = await keep(
      serve((req, res) => {
        asked.push(req.headers['accept-language']);
        res.end(PAGE);
      }),
    );
    await get(site.url, { language: 'de-AT' });
    await get(site.url);
    expect(asked).toEqual(['de-AT', undefined]);
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
