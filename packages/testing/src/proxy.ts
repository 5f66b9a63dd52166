/** A real HTTP proxy on loopback whose owner keeps a record of what it was asked. Reaches whatever it is asked for. */
import { createServer, request as forward, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

export interface FixtureProxy {
  /** With its login, where it wants one. */
  readonly url: string;
  /** As `GET http://site/page` and `CONNECT site:443`. */
  readonly asked: readonly string[];
  /** Connections to it at this time. */
  open(): number;
  close(): Promise<void>;
}

export interface ProxyOptions {
  /** `user:password`. Whoever does not send it gets a 407. */
  readonly login?: string;
  /** Answers everything with this status instead of passing it on. */
  readonly status?: number;
  /** Where names lead to, whatever they are: 127.0.0.1 for sites of a test. */
  readonly resolveTo?: string;
}

export async function startProxy({ login, status, resolveTo }: ProxyOptions = {}): Promise<FixtureProxy> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const refusalOf = ({ headers }: IncomingMessage): number | null => {
    if (status !== undefined) return status;
    const wanted = `Basic ${Buffer.from(login ?? '').toString('base64')}`;
    return login === undefined || headers['proxy-authorization'] === wanted ? null : 407;
  };

  const server = createServer((incoming, response) => {
    asked.push(`${incoming.method} ${incoming.url}`);
    const refusal = refusalOf(incoming);
    const target = URL.parse(incoming.url ?? '');
    if (refusal !== null || target === null) {
      response.writeHead(refusal ?? 400).end();
      return;
    }
    const { 'proxy-authorization': _, ...headers } = incoming.headers;
    const sent = forward(
      { host: resolveTo ?? target.hostname, port: target.port || 80, path: target.pathname + target.search, headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    sent.once('error', () => response.writeHead(502).end());
    sent.end();
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).once('close', () => sockets.delete(socket));
  });
  server.on('connect', (incoming: IncomingMessage, near: Socket) => {
    asked.push(`CONNECT ${incoming.url}`);
    const refusal = refusalOf(incoming);
    if (refusal !== null) {
      near.end(`HTTP/1.1 ${refusal} No\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    const target = new URL(`http://${incoming.url}`);
    const far = connect(Number(target.port || 80), resolveTo ?? target.hostname.replace(/^\[(.*)\]$/, '$1'));
    far.once('connect', () => {
      near.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      near.pipe(far).pipe(near);
    });
    far.once('error', () => near.end('HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n'));
    near.once('close', () => far.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://${login === undefined ? '' : `${inUrl(login)}@`}127.0.0.1:${port}`,
    asked,
    open: () => sockets.size,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function inUrl(login: string): string {
  const [user = '', ...password] = login.split(':');
  return `${encodeURIComponent(user)}:${encodeURIComponent(password.join(':'))}`;
}
