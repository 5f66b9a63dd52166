import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { requireFreePort, requireReachable } from './ports.ts';

let server: Server;
let port: number;

beforeEach(async () => {
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});
afterEach(() => {
  server.close();
});

describe('a port', () => {
  it('in use is refused in one sentence', async () => {
    await expect(requireFreePort('127.0.0.1', port)).rejects.toThrow(
      `Port ${port} on 127.0.0.1 is in use: stop what uses it, or set PORT to another one.`,
    );
  });

  it('that is free is kept, and 0 becomes a real one', async () => {
    const free = await requireFreePort('127.0.0.1', 0);
    expect(free).toBeGreaterThan(0);
    expect(await requireFreePort('127.0.0.1', free)).toBe(free);
  });

  it('on an address this machine does not have is refused by HOST', async () => {
    await expect(requireFreePort('192.0.2.1', 0)).rejects.toThrow('HOST=192.0.2.1 is no address to listen on here');
  });
});

describe('a server that should be there', () => {
  it('is fine when it takes connections', async () => {
    await expect(requireReachable('REDIS_URL', `redis://127.0.0.1:${port}`, 6379)).resolves.toBeUndefined();
  });

  it('is named with its setting and without its password when it does not', async () => {
    const free = await requireFreePort('127.0.0.1', 0);
    await expect(requireReachable('REDIS_URL', `redis://:secret@127.0.0.1:${free}`, 6379)).rejects.toThrow(
      `Nothing answers at 127.0.0.1:${free}, where REDIS_URL points (ECONNREFUSED).`,
    );
  });
});
