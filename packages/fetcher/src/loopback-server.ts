/** Servers on loopback for this package's tests: a well-behaved HTTP one, and a raw one that sends what it is told. */
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';

export interface LoopbackServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** Connections accepted so far. */
  connections(): number;
  /** Those still open. */
  open(): number;
}

export const serve = (listener: RequestListener): Promise<LoopbackServer> => listen(createServer(listener));

/** Calls `answer` once the head of each request is in, with that head. */
export function serveRaw(answer: (socket: Socket, request: string) => void): Promise<LoopbackServer> {
  return listen(
    createTcpServer((socket) => {
      // The client may hang up at any moment; that is what many tests are about.
      socket.on('error', () => socket.destroy());
      socket.on('data', (data) => {
        if (data.includes('\r\n\r\n')) answer(socket, data.toString('latin1'));
      });
    }),
  );
}

export async function listen(server: Server): Promise<LoopbackServer> {
  const sockets = new Set<Socket>();
  let accepted = 0;
  server.on('connection', (socket) => {
    accepted += 1;
    sockets.add(socket.on('close', () => sockets.delete(socket)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    connections: () => accepted,
    open: () => sockets.size,
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
