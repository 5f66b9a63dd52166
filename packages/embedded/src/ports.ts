/** Loopback ports: a free one, or a plain sentence that the wanted one is taken. Reserves nothing: the server binds. */
import { createServer } from 'node:net';
import { TrawlError } from '@trawl/contracts';

/**
 * Starts a server on `wanted`, or on any free port when that is 0 or absent. Between our look at a free port and the
 * server's bind another program may take it, so a free port is chosen again then.
 */
export async function onPort<T>(
  wanted: number | undefined,
  names: { readonly server: string; readonly setting: string },
  start: (port: number) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await start(await bindOnce(wanted ?? 0));
    } catch (error) {
      if (!isAddressInUse(error)) throw error;
      if (wanted) throw portInUse(wanted, names);
      if (attempt === 3) throw error;
    }
  }
}

function isAddressInUse(error: unknown): boolean {
  return error instanceof Error && /EADDRINUSE|address already in use/i.test(error.message);
}

function portInUse(port: number, names: { readonly server: string; readonly setting: string }): TrawlError {
  return new TrawlError(
    'START_FAILED',
    `Port ${port} is in use; give ${names.server} another port, or set ${names.setting} to a server that runs already.`,
    { retryable: false, context: { port } },
  );
}

function bindOnce(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      const bound = typeof address === 'object' && address ? address.port : port;
      server.close((error) => (error ? reject(error) : resolve(bound)));
    });
  });
}
