/** Puts the API on a port, and takes it off again without cutting requests short. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener, RequestError } from '@hono/node-server';
import { TrawlError } from '@trawl/contracts';
import { PROBLEM_TYPE, problemBody } from './problem.ts';

export interface Listening {
  readonly port: number;
  /** No new connections; returns when the requests under way are answered, or have had their time. */
  close(): Promise<void>;
}

export async function listen(
  app: { fetch(request: Request): Response | Promise<Response> },
  o: { host: string; port: number },
): Promise<Listening> {
  // What can't even be made a request of (an odd Host header, say) never reaches the app.
  const errorHandler = (error: unknown): Response => {
    if (!(error instanceof RequestError)) throw error;
    const body = problemBody('BAD_REQUEST', `The request can't be read: ${error.message}.`);
    return new Response(JSON.stringify(body), { status: body.status, headers: { 'Content-Type': PROBLEM_TYPE } });
  };
  const listener = getRequestListener((request) => app.fetch(request), { errorHandler });
  const server = createServer((incoming, outgoing) => {
    // It answers failures itself and so never rejects.
    void listener(incoming, outgoing);
  });
  await started(server, o);
  return {
    port: (server.address() as AddressInfo).port,
    close: () => stopped(server),
  };
}

function started(server: Server, o: { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const why = cause.code === 'EADDRINUSE' ? 'the port is taken' : cause.message;
      reject(
        new TrawlError('START_FAILED', `Can't listen on HOST=${o.host} PORT=${o.port}: ${why}`, {
          retryable: false,
          cause,
        }),
      );
    });
    server.listen(o.port, o.host.replace(/^\[(.*)\]$/, '$1'), resolve);
  });
}

/** A connection whose last request ends now would stay open for its keep-alive time, and hold up the end by as much. */
const IDLE_CHECK_MS = 20;
/**
 * Longer than any answer takes. Past it the client is what is waited for: one that never ends its request, or does not
 * read its answer. The process has 10 s to end.
 */
const PATIENCE_MS = 5000;

function stopped(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    const closing = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
    const patience = setTimeout(() => server.closeAllConnections(), PATIENCE_MS);
    server.close((error) => {
      clearInterval(closing);
      clearTimeout(patience);
      if (error) reject(error);
      else resolve();
    });
  });
}
