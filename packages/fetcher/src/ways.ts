/**
 * How requests get to where they go: which pool of connections, made how, and what is put to it. Straight to the origin, or
 * through a proxy; in both cases what is dialled is guarded, and what comes on a connection is bounded.
 */
import { X509Certificate } from 'node:crypto';
import { lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import { buildConnector, Pool } from 'undici';
import { guardedConnector } from './address-guard.ts';
import { openProxyPool, proxiedRequest } from './proxy-way.ts';
import { boundedConnector } from './wire-guard.ts';

export interface WayOptions {
  readonly allowPrivateNetworks: boolean;
  readonly maxConnectionsPerOrigin?: number;
  readonly keepAliveMs: number;
  readonly lookup?: LookupFunction;
  readonly ca?: readonly string[];
}

export interface Way {
  /** Of its pool. Holds the login of a proxy: not to be shown. */
  readonly name: string;
  open(): Pool;
  readonly path: string;
  /** Flat. */
  readonly headers: readonly string[];
}

export const MAX_HEAD_BYTES = 64 * 1024;
const CONNECT_TIMEOUT_MS = 10_000;

export function findWays(options: WayOptions, maxAnswerBytes: () => number): (url: URL, proxy: string | null) => Way {
  const { allowPrivateNetworks, keepAliveMs, lookup = systemLookup, ca = [] } = options;
  const dialling = {
    allowH2: false,
    timeout: CONNECT_TIMEOUT_MS,
    autoSelectFamily: true,
    lookup,
    ...(ca.length > 0 && { secureContext: trusting(ca) }),
  };
  const dial = allowPrivateNetworks ? buildConnector(dialling) : guardedConnector(dialling, lookup);
  const bounded = (connect: typeof dial): typeof dial => boundedConnector(connect, maxAnswerBytes);
  const straight = bounded(dial);
  const poolOptions = {
    allowH2: false,
    connections: options.maxConnectionsPerOrigin ?? 64,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: keepAliveMs,
    maxHeaderSize: MAX_HEAD_BYTES,
    // These two start again with every byte, so they can't bound a request; the exchange's one timer does.
    headersTimeout: 0,
    bodyTimeout: 0,
  };

  return (url, proxyUrl) => {
    if (proxyUrl === null)
      return {
        name: url.origin,
        open: () => new Pool(url.origin, { ...poolOptions, connect: straight }),
        path: url.pathname + url.search,
        headers: [],
      };
    const proxy = new URL(proxyUrl);
    const { origin: target } = url;
    return {
      // One for each target: hosts behind one proxy do not wait for each other's connections.
      name: `${target} ${proxy.href}`,
      open: () =>
        openProxyPool({
          ...{ proxy, poolOptions, dial, dialling, bounded },
          target: new URL(target),
          guardLookup: allowPrivateNetworks ? null : lookup,
          connectTimeoutMs: CONNECT_TIMEOUT_MS,
        }),
      ...proxiedRequest(proxy, url),
    };
  };
}

/** Made once: reading the system's authorities takes 20 ms, which is too much for each connection. */
function trusting(ca: readonly string[]): SecureContext {
  // OpenSSL passes over what is no certificate without a word; a wrong file should be noticed before the first page.
  for (const pem of ca) new X509Certificate(pem);
  return createSecureContext({ ca: [...getCACertificates('default'), ...ca] });
}
