import { once } from 'node:events';
import { createServer as createHttpServer, request as httpRequest } from 'node:http';
import { type AddressInfo, connect, createServer, type LookupFunction, type Server, type Socket } from 'node:net';
import { startSite, waitFor } from '@trawl/testing';
import { expect, it, onTestFinished } from 'vitest';
import { type Gate, type GateOptions, openGate } from './gate.ts';

const MEBIBYTE = 1024 * 1024;

async function newGate(options: Partial<GateOptions> = {}): Promise<Gate> {
  const gate = await openGate({ allowPrivateNetworks: true, maxTransferBytes: 64 * MEBIBYTE, ...options });
  onTestFinished(() => gate.close());
  return gate;
}

const direct = { upstreamProxyUrl: null, onOverrun: () => {} };

/** A server that sends without end to whoever connects; `open` says to how many. */
async function endless(): Promise<{ port: number; open: () => number }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.once('close', () => sockets.delete(socket)).on('error', () => socket.destroy()));
    const send = (): void => {
      while (!socket.destroyed && socket.write(Buffer.alloc(64 * 1024, 'x')));
    };
    socket.on('drain', send);
    send();
  });
  return { port: await listen(server), open: () => sockets.size };
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** The status that a gate answers to a CONNECT, and the tunnel. */
async function tunnel(gate: Gate, target: string): Promise<{ status: number; socket: Socket }> {
  const request = httpRequest({ host: '127.0.0.1', port: gate.port, method: 'CONNECT', path: target }).end();
  const answer = Promise.race([once(request, 'connect'), once(request, 'response')]);
  const [response, socket = response.socket] = await answer;
  socket.on('error', () => {});
  onTestFinished(() => {
    socket.destroy();
  });
  return { status: response.statusCode, socket };
}

/** The status that a gate answers to a plain request, and the body. */
async function get(gate: Gate, url: string): Promise<{ status: number; body: string }> {
  const request = httpRequest({
    host: '127.0.0.1',
    port: gate.port,
    path: url,
    headers: { host: new URL(url).host },
  }).end();
  const [response] = await once(request, 'response');
  let body = '';
  for await (const piece of response) body += piece;
  return { status: response.statusCode, body };
}

it('lets nothing through while no page is open', async () => {
  const site = await startSite({ pages: () => ({ body: 'x' }) });
  onTestFinished(() => site.close());
  const gate = await newGate();
  expect((await get(gate, site.url('/'))).status).toBe(503);
  expect((await tunnel(gate, `${site.host}:${site.port}`)).status).toBe(503);
  const passage = gate.open(direct);
  expect(await get(gate, site.url('/'))).toEqual({ status: 200, body: 'x' });
  expect((await tunnel(gate, `127.0.0.1:${site.port}`)).status).toBe(200);
  passage.close();
  expect((await get(gate, site.url('/'))).status).toBe(503);
  expect(site.count('/')).toBe(1);
});

it('refuses private addresses by the look of them and by what a name resolves to', async () => {
  const { port, open } = await endless();
  const lookup: LookupFunction = (_hostname, { all }, callback) =>
    all ? callback(null, [{ address: '127.0.0.1', family: 4 }]) : callback(null, '127.0.0.1', 4);
  const gate = await newGate({ allowPrivateNetworks: false, lookup });
  const passage = gate.open(direct);
  const hosts = [
    '127.0.0.1',
    '0x7f.1',
    '2130706433',
    '[::1]',
    '[::ffff:127.0.0.1]',
    'localhost',
    'a.localhost',
    'a^b',
    '%31',
  ];
  for (const host of hosts) expect((await tunnel(gate, `${host}:${port}`)).status).toBeGreaterThanOrEqual(400);
  const { socket } = await tunnel(gate, `name.example:${port}`);
  await once(socket.resume(), 'close');
  expect((await get(gate, `http://name.example:${port}/`)).status).toBeGreaterThanOrEqual(400);
  expect(passage.blocked()).toBeGreaterThanOrEqual(hosts.length);
  expect(open()).toBe(0);
});

it('cuts both ends of everything when the page is closed', async () => {
  const { port, open } = await endless();
  const gate = await newGate();
  const passage = gate.open(direct);
  const { socket } = await tunnel(gate, `127.0.0.1:${port}`);
  socket.resume();
  await waitFor(() => open() === 1);
  passage.close();
  await waitFor(() => open() === 0 && socket.destroyed);
});

it('says once when more has passed than may', async () => {
  const { port } = await endless();
  const gate = await newGate({ maxTransferBytes: MEBIBYTE });
  let overruns = 0;
  const passage = gate.open({ ...direct, onOverrun: () => overruns++ });
  (await tunnel(gate, `127.0.0.1:${port}`)).socket.resume();
  await waitFor(() => overruns === 1);
  passage.close();
  // What one page transferred is not held against the next.
  const next = gate.open({ ...direct, onOverrun: () => overruns++ });
  await get(gate, `http://127.0.0.1:${await listen(createHttpServer((_, response) => response.end('x')))}/`);
  next.close();
  expect(overruns).toBe(1);
});

it('goes through another proxy where it is told to, and cuts that too', async () => {
  const { port, open } = await endless();
  const seen: string[] = [];
  const proxy = createHttpServer((request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers['proxy-authorization']}`);
    response.end('from the proxy');
  }).on('connect', (request, near: Socket) => {
    seen.push(`${request.method} ${request.url} ${request.headers['proxy-authorization']}`);
    const far = connect(port, '127.0.0.1');
    near.write('HTTP/1.1 200 OK\r\n\r\n');
    near.on('error', () => far.destroy()).on('close', () => far.destroy());
    far.pipe(near);
  });
  const upstreamProxyUrl = `http://me:secret@127.0.0.1:${await listen(proxy)}`;
  const gate = await newGate();
  const passage = gate.open({ ...direct, upstreamProxyUrl });
  expect(await get(gate, 'http://site.example/page')).toEqual({ status: 200, body: 'from the proxy' });
  const { status, socket } = await tunnel(gate, 'site.example:443');
  socket.resume();
  expect(status).toBe(200);
  await waitFor(() => open() === 1);
  passage.close();
  await waitFor(() => open() === 0);
  const login = `Basic ${Buffer.from('me:secret').toString('base64')}`;
  expect(seen).toEqual([`GET http://site.example/page ${login}`, `CONNECT site.example:443 ${login}`]);
});

it('resolves the name of another proxy by the guard as well', async () => {
  const { port, open } = await endless();
  const gate = await newGate({ allowPrivateNetworks: false, lookup: privateAre('proxy.example') });
  const passage = gate.open({ ...direct, upstreamProxyUrl: `http://proxy.example:${port}` });
  expect((await get(gate, 'http://site.example/')).status).toBeGreaterThanOrEqual(500);
  expect((await tunnel(gate, 'site.example:443')).status).toBeGreaterThanOrEqual(500);
  expect(passage.blocked()).toBe(2);
  expect(open()).toBe(0);
});

it('asks another proxy for no name that is a private address here', async () => {
  const gate = await newGate({ allowPrivateNetworks: false, lookup: privateAre('inside.example') });
  const passage = gate.open({ ...direct, upstreamProxyUrl: 'http://proxy.example:3128' });
  expect((await get(gate, 'http://inside.example/')).status).toBe(403);
  expect((await tunnel(gate, 'inside.example:443')).status).toBe(403);
  expect(passage.blocked()).toBe(2);
});

/** Every other name is a public address, one that leads nowhere. */
function privateAre(...names: string[]): LookupFunction {
  return (hostname, _options, callback) =>
    callback(null, [{ address: names.includes(hostname) ? '127.0.0.1' : '198.41.0.4', family: 4 }]);
}
