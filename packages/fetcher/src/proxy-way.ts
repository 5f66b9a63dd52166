/**
 * The way of requests through somebody's HTTP or HTTPS proxy: plain ones are handed to it whole, for secure ones it opens a
 * tunnel. What goes wrong between us and the proxy is told as the proxy's fault, so that no host is blamed for it. The name of
 * the far host is resolved by the proxy; what it resolves to here is looked at as well, and a private address is refused.
 */
import type { LookupFunction, Socket } from 'node:net';
import { buildConnector, Client, Pool } from 'undici';
import { resolvedAddressProblem } from './address-guard.ts';

type Connector = ReturnType<typeof buildConnector>;

export interface ProxyWayOptions {
  readonly proxy: URL;
  readonly target: URL;
  readonly poolOptions: Pool.Options;
  /** Dials the proxy itself, by the same rules as any host. */
  readonly dial: Connector;
  readonly dialling: buildConnector.BuildOptions;
  /** What names may resolve to is judged with it; null: any address will do. */
  readonly guardLookup: LookupFunction | null;
  /** Bounds what comes on a connection. */
  readonly bounded: (connect: Connector) => Connector;
  readonly connectTimeoutMs: number;
}

type ProxyErrorCode = 'PROXY_FAILED' | 'PROXY_REFUSED' | 'PRIVATE_ADDRESS';

/** Carries a sentence through undici to the reply; recognised by its code. */
class ProxyError extends Error {
  override readonly name = 'ProxyError';
  readonly code: ProxyErrorCode;

  constructor(code: ProxyErrorCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/** A pool for one origin behind one proxy. */
export function openProxyPool(options: ProxyWayOptions): Pool {
  const { proxy, target, poolOptions, bounded } = options;
  const dialProxy = guardTarget(options, blameProxy(options.dial));
  if (target.protocol === 'http:') return new Pool(proxy.origin, { ...poolOptions, connect: bounded(dialProxy) });
  return new Pool(target.origin, { ...poolOptions, connect: bounded(tunnel(options, dialProxy)) });
}

/** How a request for `target` is put to the pool above. */
export function proxiedRequest(
  proxy: URL,
  target: URL,
): { readonly path: string; readonly headers: readonly string[] } {
  const path = target.pathname + target.search;
  if (target.protocol !== 'http:') return { path, headers: [] };
  return { path: target.origin + path, headers: ['host', target.host, ...proxyLogin(proxy)] };
}

function proxyLogin(proxy: URL): readonly string[] {
  if (proxy.username === '') return [];
  const login = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return ['proxy-authorization', `Basic ${Buffer.from(login).toString('base64')}`];
}

/** A connector that looks at what the target's name means here before it goes anywhere. */
function guardTarget({ target, guardLookup }: ProxyWayOptions, connect: Connector): Connector {
  if (guardLookup === null) return connect;
  return (connecting, callback) => {
    resolvedAddressProblem(target.hostname, guardLookup).then(
      (problem) =>
        problem === null ? connect(connecting, callback) : callback(new ProxyError('PRIVATE_ADDRESS', problem), null),
      (error: Error) => callback(error, null),
    );
  };
}

/** Codes of what broke on our side stay as they are. */
const OURS = /^(EMFILE|ENFILE|ERR_INVALID_|ERR_ASSERTION|UND_ERR_(CLOSED|DESTROYED|INVALID_ARG))/;

function blameProxy(connect: Connector): Connector {
  return (connecting, callback) => {
    connect(connecting, (...[error, socket]) => {
      if (error === null) callback(null, socket);
      else callback(asProxyError(error), null);
    });
  };
}

function asProxyError(error: Error): Error {
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof ProxyError || (code !== undefined && OURS.test(code))) return error;
  const sentence =
    code === 'PRIVATE_ADDRESS'
      ? `The proxy of the source can't be used. ${error.message}`
      : `The proxy of the source can't be reached (${code ?? error.name}).`;
  return new ProxyError('PROXY_FAILED', sentence, error);
}

/** A connector that asks the proxy for a tunnel, and speaks TLS with the target through it. */
function tunnel(options: ProxyWayOptions, dialProxy: Connector): Connector {
  const { proxy, target, dialling, connectTimeoutMs } = options;
  const secure = buildConnector(dialling);
  const authority = `${target.hostname}:${target.port || 443}`;
  return (connecting, callback) => {
    openTunnel(proxy, authority, dialProxy, connectTimeoutMs).then(
      (socket) => secure({ ...connecting, httpSocket: socket } as buildConnector.Options, callback),
      (error: Error) => callback(asProxyError(error), null),
    );
  };
}

async function openTunnel(proxy: URL, authority: string, dial: Connector, timeoutMs: number): Promise<Socket> {
  const client = new Client(proxy.origin, { connect: dial, headersTimeout: timeoutMs, maxHeaderSize: 64 * 1024 });
  try {
    const login = proxyLogin(proxy);
    const { statusCode, socket } = await client.connect({
      path: authority,
      headers: ['host', authority, ...login],
    });
    if (statusCode >= 200 && statusCode <= 299) return socket as Socket;
    socket.on('error', () => {}).destroy();
    // 5xx is what proxies say of a host that they can't reach themselves.
    if (statusCode >= 500) throw new ProxyError('PROXY_FAILED', `The proxy of the source answered ${statusCode}.`);
    throw new ProxyError('PROXY_REFUSED', refusal(statusCode));
  } finally {
    // The socket is no longer its own; nothing else was ever asked of it.
    void client.destroy();
  }
}

export const refusal = (status: number): string =>
  status === 407
    ? 'The proxy of the source wants a login, or another one (407).'
    : `The proxy of the source does not let the request through (${status}).`;
