/** Requests through a real proxy on loopback: plain and secure, with and without a login, and all that can be wrong with one. */
import { createServer as createPlainServer } from 'node:http';
import { createServer } from 'node:https';
import { createServer as createTcpServer, type LookupFunction, type Socket } from 'node:net';
import { type FixtureProxy, type ProxyOptions, startProxy } from '@trawl/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { failed, get, getText, keep, newFetcher, PAGE, request } from './fetcher.fixture.ts';
import { listen } from './loopback-server.ts';
import { selfSigned } from './self-signed.ts';

async function proxyWith(options: ProxyOptions = {}): Promise<FixtureProxy> {
  const proxy = await startProxy(options);
  onTestFinished(() => proxy.close());
  return proxy;
}

async function site(): Promise<{ origin: string; seen: string[] }> {
  const seen: string[] = [];
  const server = await keep(
    listen(
      createPlainServer((req, res) => {
        seen.push(`${req.url} ${req.headers.host} ${req.headers['proxy-authorization']}`);
        res.setHeader('content-type', 'text/html').end(PAGE);
      }),
    ),
  );
  return { origin: `http://127.0.0.1:${server.port}`, seen };
}

async function secureSite() {
  const certificate = selfSigned({ names: ['site.test'], addresses: ['127.0.0.1'] });
  const server = await keep(listen(createServer(certificate, (_req, res) => res.end(PAGE))));
  return { port: server.port, ca: [certificate.cert] };
}

/** Answers as the names of public hosts do, so that the guard has nothing to say. */
const publicLookup: LookupFunction = (_hostname, _options, callback) =>
  callback(null, [{ address: '93.184.215.14', family: 4 }]);

describe('a plain request', () => {
  it('is handed to the proxy whole, and the site sees neither the login nor the proxy', async () => {
    const proxy = await proxyWith({ login: 'me:s3cret' });
    const { origin, seen } = await site();
    const reply = await get(`${origin}/a?b=c#d`, { proxy: proxy.url });
    expect(reply).toMatchObject({ kind: 'page', status: 200 });
    expect(proxy.asked).toEqual([`GET ${origin}/a?b=c`]);
    expect(seen).toEqual([`/a?b=c ${new URL(origin).host} undefined`]);
  });

  it('shares one connection with the next, and none with requests that go straight', async () => {
    const proxy = await proxyWith();
    const { origin, seen } = await site();
    const fetcher = newFetcher();
    for (const path of ['/1', '/2', '/3']) await fetcher.get(request(`${origin}${path}`, { proxy: proxy.url }));
    expect(proxy.open()).toBe(1);
    await fetcher.get(request(`${origin}/4`));
    expect(proxy.asked).toHaveLength(3);
    expect(seen).toHaveLength(4);
  });

  it('for a name that only the proxy knows is made', async () => {
    const proxy = await proxyWith({ resolveTo: '127.0.0.1' });
    const { origin, seen } = await site();
    const { port } = new URL(origin);
    expect(await get(`http://intranet.invalid:${port}/`, { proxy: proxy.url })).toMatchObject({ kind: 'page' });
    expect(seen).toEqual([`/ intranet.invalid:${port} undefined`]);
  });
});

describe('a secure request', () => {
  it('goes through a tunnel, and the certificate is checked at its end', async () => {
    const proxy = await proxyWith({ login: 'me:s@f:é' });
    const { port, ca } = await secureSite();
    const fetcher = newFetcher({ ca });
    for (const path of ['/a', '/b'])
      expect(await fetcher.get(request(`https://127.0.0.1:${port}${path}`, { proxy: proxy.url }))).toMatchObject({
        kind: 'page',
      });
    expect(proxy.asked).toEqual([`CONNECT 127.0.0.1:${port}`]);
  });

  it('whose certificate is for another name is refused as it is without a proxy', async () => {
    const proxy = await proxyWith({ resolveTo: '127.0.0.1' });
    const { port, ca } = await secureSite();
    const reply = await get(`https://other.test:${port}/`, { proxy: proxy.url }, { ca });
    expect(reply).toMatchObject(failed('TLS_NAME_MISMATCH', false, null));
  });

  it('ends its tunnel with the fetcher', async () => {
    const proxy = await proxyWith();
    const { port, ca } = await secureSite();
    const fetcher = newFetcher({ ca });
    await fetcher.get(request(`https://127.0.0.1:${port}/`, { proxy: proxy.url }));
    expect(proxy.open()).toBe(1);
    await fetcher.close();
    await expect.poll(() => proxy.open()).toBe(0);
  });
});

describe('what is the fault of the proxy is told as that', () => {
  const both = (port: number) => [`http://127.0.0.1:${port}/`, `https://127.0.0.1:${port}/`];

  it('no login, or a wrong one', async () => {
    const proxy = await proxyWith({ login: 'me:right' });
    const { port } = await secureSite();
    for (const url of both(port))
      for (const wrong of [proxy.url.replace('right', 'wrong'), proxy.url.replace('me:right@', '')])
        expect(await get(url, { proxy: wrong })).toMatchObject({
          kind: 'failed',
          error: { code: 'PROXY_REFUSED', retryable: false },
        });
  });

  it('nobody there', async () => {
    const proxy = await startProxy();
    await proxy.close();
    for (const url of both(9))
      expect(await get(url, { proxy: proxy.url })).toMatchObject(failed('PROXY_FAILED', true, null));
  });

  it('a tunnel that it does not open', async () => {
    for (const [status, code, retryable] of [
      [403, 'PROXY_REFUSED', false],
      [502, 'PROXY_FAILED', true],
    ] as const) {
      const proxy = await proxyWith({ status });
      expect(await get('https://127.0.0.1:9/', { proxy: proxy.url })).toMatchObject(failed(code, retryable, null));
    }
  });

  it('an answer that is none, or none at all', async () => {
    const answers: ((socket: Socket) => void)[] = [
      (socket) => socket.end('hello\r\n\r\n'),
      (socket) => socket.destroy(),
    ];
    for (const answer of answers) {
      const server = createTcpServer((socket) => socket.on('error', () => {}).once('data', () => answer(socket)));
      const { port } = await keep(listen(server));
      const reply = await get('https://127.0.0.1:9/', { proxy: `http://127.0.0.1:${port}` });
      expect(reply).toMatchObject(failed('PROXY_FAILED', true, null));
    }
  });

  it('what a plain proxy may have said or broken itself is told as that; what only a host says is the host’s', async () => {
    const { origin } = await site();
    const cuts = await keep(
      listen(createTcpServer((socket) => socket.on('error', () => {}).once('data', () => socket.destroy()))),
    );
    const via = (port: number, url = `${origin}/`) => get(url, { proxy: `http://127.0.0.1:${port}` });
    expect(await via(cuts.port)).toMatchObject({ mayBeProxys: true, error: { code: 'CONNECTION_FAILED' } });
    const refuses = await proxyWith({ status: 503 });
    expect(await get(`${origin}/`, { proxy: refuses.url })).toMatchObject({
      mayBeProxys: true,
      error: { code: 'HTTP_503' },
    });
    const passes = await proxyWith();
    for (const [status, headers] of [
      [503, { 'retry-after': '5' }],
      [429, {}],
      [500, {}],
    ] as const) {
      const server = await keep(listen(createPlainServer((_req, res) => res.writeHead(status, headers).end())));
      const url = `http://127.0.0.1:${server.port}/`;
      expect(await get(url, { proxy: passes.url })).toMatchObject({ error: { code: `HTTP_${status}` } });
      expect(await get(url, { proxy: passes.url })).not.toHaveProperty('mayBeProxys');
    }
    // Straight to it, it is nobody else's.
    expect(await get(`http://127.0.0.1:${cuts.port}/`)).not.toHaveProperty('mayBeProxys');
  });

  it('silence ends with the time of the request', async () => {
    const { port } = await keep(listen(createTcpServer((socket) => socket.on('error', () => {}))));
    const startedAt = performance.now();
    const reply = await get('https://127.0.0.1:9/', { proxy: `http://127.0.0.1:${port}`, timeoutMs: 300 });
    expect(reply).toMatchObject(failed('TIMEOUT_CONNECT', true, null));
    expect(performance.now() - startedAt).toBeLessThan(3000);
  });
});

describe('the guard', () => {
  it('does not let the proxy be on a private network', async () => {
    const proxy = await proxyWith();
    for (const url of ['http://site.test/', 'https://site.test/']) {
      const reply = await get(url, { proxy: proxy.url }, { allowPrivateNetworks: false, lookup: publicLookup });
      expect(reply).toMatchObject({ kind: 'failed', error: { code: 'PROXY_FAILED' } });
    }
    expect(proxy.open()).toBe(0);
    expect(proxy.asked).toEqual([]);
  });

  it('does not ask a proxy for a private address, nor for a name that is one here', async () => {
    const asked: string[] = [];
    const lookup: LookupFunction = (hostname, _options, callback) => {
      asked.push(hostname);
      callback(null, [{ address: hostname === 'proxy.test' ? '93.184.215.14' : '169.254.169.254', family: 4 }]);
    };
    for (const host of ['10.0.0.1', 'localhost', '[::1]', 'metadata.test'])
      for (const scheme of ['http', 'https']) {
        const proxied = { proxy: 'http://proxy.test:3128', timeoutMs: 2000 };
        const reply = await get(`${scheme}://${host}/`, proxied, { allowPrivateNetworks: false, lookup });
        expect(reply, host).toMatchObject(failed('PRIVATE_ADDRESS', false, null));
      }
    expect(asked).toEqual(['metadata.test', 'metadata.test']);
  });
});

describe('headers of the caller', () => {
  it('are sent, in place of ours where they have the same name', async () => {
    const heads: string[][] = [];
    const server = await keep(
      listen(
        createPlainServer((req, res) => {
          heads.push(req.rawHeaders);
          res.setHeader('content-type', 'text/html').end(PAGE);
        }),
      ),
    );
    const headers = [
      ['X-Token', 't0p'],
      ['Accept', 'application/json'],
      ['cookie', 'a=b'],
      ['Accept-Language', 'fr'],
    ] as const;
    const url = `http://127.0.0.1:${server.port}/`;
    await get(url, { headers, language: 'de' });
    await getText(url, { headers });
    for (const head of heads) {
      const names = head.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
      expect(names.filter((name) => name === 'accept')).toHaveLength(1);
      expect(names.filter((name) => name === 'accept-language')).toHaveLength(1);
      expect(head.join()).toContain('X-Token,t0p');
      expect(head.join()).toContain('cookie,a=b');
      expect(head.join()).toContain('Accept,application/json');
    }
  });

  it('are none of undici’s business: one that can’t be sent is refused before it takes a connection', async () => {
    const { origin, seen } = await site();
    const fetcher = newFetcher({ maxConnectionsPerOrigin: 1 });
    await expect(fetcher.get(request(origin, { headers: [['a', 'x\r\ny']] }))).rejects.toThrow(TypeError);
    expect(await fetcher.get(request(`${origin}/after`))).toMatchObject({ kind: 'page' });
    expect(seen).toHaveLength(1);
  });
});
