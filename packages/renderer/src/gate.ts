/**
 * The only way a page has to the network: a proxy on a port of its own, open while one render is under way. It decides
 * where may be dialled, counts what passes, and cuts everything when the render ends. Knows nothing of pages and types;
 * what is behind an upstream proxy is resolved there, and judged here by what its name stands for here.
 */
import { createServer, Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { connect, type LookupFunction, type Socket } from 'node:net';
import { guardedLookup, privateAddressProblem, resolvedAddressProblem } from '@trawl/fetcher';
import { RequestError, Server } from 'proxy-chain';
import { systemLookup } from './system-lookup.ts';

export interface GateOptions {
  readonly allowPrivateNetworks: boolean;
  readonly lookup?: LookupFunction;
  /** In both directions together, for one render. */
  readonly maxTransferBytes: number;
}

export interface Gate {
  readonly port: number;
  /** One render at a time. */
  open(options: PassageOptions): Passage;
  close(): Promise<void>;
}

interface PassageOptions {
  /** An address that has been checked, or null for none. */
  readonly upstreamProxyUrl: string | null;
  /** Called once, when more than `maxTransferBytes` passed. */
  readonly onOverrun: () => void;
}

export interface Passage {
  /** Requests that were refused for their address. */
  blocked(): number;
  /** Ends every connection of it. */
  close(): void;
}

/** At a gigabit per second, 12 MB pass between two looks. */
const LOOK_EVERY_MS = 100;

interface OpenPassage {
  readonly lookup: LookupFunction;
  readonly upstreamProxyUrl: string | null;
  /** Its own, so that no connection made for another purpose, and by other rules, is ever used again for a page. */
  readonly httpAgent: HttpAgent;
  readonly httpsAgent: HttpsAgent;
  blocked: number;
  /** Of connections that have ended. */
  pastBytes: number;
}

export async function openGate(options: GateOptions): Promise<Gate> {
  const { allowPrivateNetworks, maxTransferBytes } = options;
  const lookup = options.lookup ?? systemLookup;
  let passage: OpenPassage | null = null;
  const destinations = new WeakMap<Socket, { host: string; port: number; lookup: LookupFunction }>();
  // proxy-chain's own tunnel reads on from the far end after the near one was cut (3.0.1), without end if there is none.
  const tunnels = createServer().removeAllListeners('connection');
  tunnels.on('connection', (near: Socket) => {
    const destination = destinations.get(near);
    if (destination === undefined) near.destroy();
    else joinSockets(near, connect(destination));
  });

  const server = new Server({
    host: '127.0.0.1',
    port: 0,
    prepareRequestFunction: async ({ hostname, port, isHttp, request }) => {
      const current = passage;
      if (current === null) throw new RequestError('No page is open here', 503);
      const { upstreamProxyUrl, httpAgent, httpsAgent } = current;
      const problem = allowPrivateNetworks
        ? null
        : await targetProblem(hostname, upstreamProxyUrl === null ? null : lookup);
      if (passage !== current) throw new RequestError('The page is gone', 503);
      if (problem !== null) {
        current.blocked += 1;
        throw new RequestError('Refused', 403);
      }
      // Two types for one thing: proxy-chain names the overloaded `dns.lookup`, and calls it as `net` does.
      const dnsLookup = current.lookup as typeof import('node:dns').lookup;
      const common = { dnsLookup, httpAgent, httpsAgent };
      if (upstreamProxyUrl !== null) return { ...common, upstreamProxyUrl };
      if (isHttp) return common;
      const host = hostname.replace(/^\[(.*)\]$/, '$1');
      destinations.set(request.socket, { host, port, lookup: current.lookup });
      return { ...common, customConnectServer: tunnels };
    },
  });
  server.on('connectionClosed', ({ stats }: { stats?: Stats }) => {
    if (passage !== null) passage.pastBytes += bytesOf(stats);
  });
  server.on('tunnelConnectResponded', ({ proxyChainId, socket }: { proxyChainId: number; socket: Socket }) => {
    // As above: the far end of a tunnel through another proxy goes with the near one.
    const near = server.connections.get(proxyChainId);
    if (near === undefined || near.destroyed) socket.destroy();
    else near.once('close', () => socket.destroy());
  });
  // A page's request that failed is the page's affair, and an error on the listener ends no more than one connection.
  server.on('requestFailed', () => {});
  server.server.on('error', () => {});
  await server.listen();

  const passed = (open: OpenPassage): number =>
    server.getConnectionIds().reduce((sum, id) => sum + bytesOf(server.getConnectionStats(id)), open.pastBytes);

  return {
    port: server.port,

    open({ upstreamProxyUrl, onOverrun }) {
      if (passage !== null) throw new Error('a page is open at this gate already');
      const own: OpenPassage = {
        lookup: (hostname, lookupOptions, callback) =>
          (allowPrivateNetworks ? lookup : guardedLookup(lookup))(hostname, lookupOptions, (error, ...found) => {
            if (error !== null && 'code' in error && error.code === 'PRIVATE_ADDRESS') own.blocked += 1;
            callback(error, ...found);
          }),
        upstreamProxyUrl,
        httpAgent: new HttpAgent({ keepAlive: true }),
        httpsAgent: new HttpsAgent({ keepAlive: true }),
        blocked: 0,
        pastBytes: 0,
      };
      passage = own;
      const look = setInterval(() => {
        if (passed(own) <= maxTransferBytes) return;
        clearInterval(look);
        onOverrun();
      }, LOOK_EVERY_MS).unref();
      return {
        blocked: () => own.blocked,
        close: () => {
          if (passage !== own) return;
          passage = null;
          clearInterval(look);
          server.closeConnections();
          own.httpAgent.destroy();
          own.httpsAgent.destroy();
        },
      };
    },

    close: () => server.close(true),
  };
}

/** Why a host may not be asked for, by the look of it, and by what `lookup` says of it; or null. `hostname` is as it stands in a URL. */
async function targetProblem(hostname: string, lookup: LookupFunction | null): Promise<string | null> {
  const url = `http://${hostname}/`;
  if (!URL.canParse(url)) return `The host ${hostname} can't be read.`;
  return privateAddressProblem(url) ?? (lookup === null ? null : resolvedAddressProblem(new URL(url).hostname, lookup));
}

function joinSockets(near: Socket, far: Socket): void {
  near.pipe(far);
  far.pipe(near);
  near.once('close', () => far.destroy());
  // Without an error the pipe ends the near one, once it has all that the far one sent.
  far.once('error', () => near.destroy());
  near.once('error', () => far.destroy());
}

interface Stats {
  readonly srcRxBytes: number;
  readonly srcTxBytes: number;
}

const bytesOf = (stats: Stats | undefined): number => (stats === undefined ? 0 : stats.srcRxBytes + stats.srcTxBytes);
