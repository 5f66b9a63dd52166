/**
 * One HTTP GET with limits. Does not follow redirects (each target is a URL of its own), retry (the URL's task does)
 * or pace (the host gate does), and speaks HTTP/1.1 only: with HTTP/2 undici puts all requests of a host on one
 * connection, so one stalled or closed connection fails them all, and the header limit below does not hold there.
 */
import { lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { guardedConnector } from './address-guard.ts';
import { ACCEPT_ENCODING } from './decode.ts';
import { Exchange } from './exchange.ts';
import { createOriginPools, type OriginPools } from './origin-pools.ts';
import { type FetchReply, failure } from './reply.ts';

export type { FetchError, FetchReply } from './reply.ts';

export interface FetchRequest {
  readonly url: string;
  readonly userAgent: string;
  /** For the whole request, the wait for a connection included. */
  readonly timeoutMs: number;
  /** After decompression. */
  readonly maxBodyBytes: number;
  /** Aborting makes `get` reject with the signal's reason. */
  readonly signal?: AbortSignal;
}

export interface FetcherOptions {
  /** Dial any address, not only global unicast ones. */
  readonly allowPrivateNetworks: boolean;
  /** Requests beyond wait, within their timeout. Default 64. */
  readonly maxConnectionsPerOrigin?: number;
  /** How long an unused connection stays open; less if the server says so. Default 4000. */
  readonly keepAliveMs?: number;
  /** Resolves host names. Default: the system's resolver. */
  readonly lookup?: LookupFunction;
}

export interface Fetcher {
  /** Rejects only for what no server or network did: a bad argument, a closed fetcher, the caller's own signal. */
  get(request: FetchRequest): Promise<FetchReply>;
  /** Waits for the requests under way, then closes every connection. */
  close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 10_000;
const MAX_HEAD_BYTES = 64 * 1024;
const PRINTABLE_ASCII = /^[\x20-\x7e]+$/;
const ACCEPT = 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.1';

export function createFetcher(options: FetcherOptions): Fetcher {
  const pools = openPools(options);
  let underWay = 0;
  let closing: Promise<void> | null = null;
  let onIdle: () => void = () => {};

  return {
    async get(request) {
      if (closing !== null) throw new Error('the fetcher is closed');
      // Checked here because a request that undici itself refuses takes a connection out of its pool for good (8.12).
      if (!PRINTABLE_ASCII.test(request.userAgent)) throw new TypeError('the user agent must be printable ASCII');
      request.signal?.throwIfAborted();
      const url = URL.parse(request.url);
      const problem = url === null ? 'is not an absolute URL' : urlProblem(url);
      if (url === null || problem !== null)
        return { ...failure('ADDRESS_INVALID', `The address ${problem}.`, null), elapsedMs: 0 };

      const { timeoutMs, maxBodyBytes, signal } = request;
      const exchange = new Exchange({ url, timeoutMs, maxBodyBytes, signal });
      underWay += 1;
      try {
        pools.acquire(url.origin).dispatch(
          {
            path: url.pathname + url.search,
            method: 'GET',
            headers: ['user-agent', request.userAgent, 'accept', ACCEPT, 'accept-encoding', ACCEPT_ENCODING],
          },
          exchange,
        );
        return await exchange.reply;
      } finally {
        pools.release(url.origin);
        underWay -= 1;
        if (underWay === 0) onIdle();
      }
    },

    close() {
      closing ??= (async () => {
        if (underWay > 0) await new Promise<void>((resolve) => (onIdle = resolve));
        await pools.destroy();
      })();
      return closing;
    },
  };
}

function openPools(options: FetcherOptions): OriginPools {
  const keepAliveMs = options.keepAliveMs ?? 4000;
  const lookup = options.lookup ?? systemLookup;
  const dialling = { allowH2: false, timeout: CONNECT_TIMEOUT_MS, autoSelectFamily: true, lookup };
  const poolOptions = {
    allowH2: false,
    connect: options.allowPrivateNetworks ? buildConnector(dialling) : guardedConnector(dialling, lookup),
    connections: options.maxConnectionsPerOrigin ?? 64,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: keepAliveMs,
    maxHeaderSize: MAX_HEAD_BYTES,
    // These two start again with every byte, so they can't bound a request; the exchange's one timer does.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  return createOriginPools(poolOptions, keepAliveMs);
}

function urlProblem(url: URL): string | null {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return `has the scheme ${url.protocol.slice(0, 40)}`;
  if (url.username !== '' || url.password !== '') return 'carries credentials, which are not sent';
  return null;
}
