/** Looks before leaping: is a port free, does a server answer? So a start says one sentence instead of failing half-way. */
import { connect, createServer } from 'node:net';
import { TrawlError } from '@trawl/contracts';

const CONNECT_MS = 5000;

/** The port itself when it is free, any free one for 0. Reserves nothing: the API binds. */
export async function requireFreePort(host: string, port: number): Promise<number> {
  try {
    return await bindOnce(host, port);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const message =
      code === 'EADDRINUSE'
        ? `Port ${port} on ${host} is in use: stop what uses it, or set PORT to another one.`
        : code === 'EACCES'
          ? `Port ${port} may not be used by this user: set PORT to one above 1023.`
          : `HOST=${host} is no address to listen on here (${code}).`;
    throw new TrawlError('START_FAILED', message, { retryable: false, cause: error, context: { host, port } });
  }
}

/** `setting` names the environment variable that holds `url`. */
export async function requireReachable(setting: string, url: string, defaultPort: number): Promise<void> {
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '') || '127.0.0.1';
  const target = { host, port: Number(port) || defaultPort };
  const problem = await connectOnce(target);
  if (problem === null) return;
  const message = `Nothing answers at ${target.host}:${target.port}, where ${setting} points (${problem}).`;
  throw new TrawlError('START_FAILED', message, { retryable: true, context: target });
}

function bindOnce(host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ host, port, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : port));
    });
  });
}

function connectOnce(target: { host: string; port: number }): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = connect({ ...target, timeout: CONNECT_MS });
    const settle = (problem: string | null): void => {
      socket.destroy();
      resolve(problem);
    };
    socket.once('connect', () => settle(null));
    socket.once('timeout', () => settle(`no answer in ${CONNECT_MS / 1000} s`));
    socket.once('error', (error: NodeJS.ErrnoException) => settle(error.code ?? error.message));
  });
}
