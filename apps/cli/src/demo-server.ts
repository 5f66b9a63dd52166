/**
 * Serves the bundled demo site from its files on a free loopback port: pages under their path without `.html`, one old
 * address that redirects, and an honest 404 for the rest. Only for the demo and its tests.
 */
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';

export interface DemoSite {
  readonly url: string;
  /** The paths that are pages. */
  readonly paths: readonly string[];
  close(): Promise<void>;
}

const SITE = new URL('./demo-site/', import.meta.url);
const REDIRECTS: Readonly<Record<string, string>> = { '/start': '/guide/getting-started' };

export async function serveDemoSite(): Promise<DemoSite> {
  const pages = await readSite();
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://demo');
    const target = REDIRECTS[pathname];
    if (target) {
      response.writeHead(301, { location: target }).end();
      return;
    }
    const page = pages.get(pathname.length > 1 ? pathname.replace(/\/$/, '') : pathname);
    const head = { 'content-type': 'text/html; charset=utf-8' };
    if (page) response.writeHead(200, head).end(page);
    else response.writeHead(404, head).end('<!doctype html><title>Not found</title><h1>Not found</h1>');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    paths: [...pages.keys()],
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function readSite(): Promise<Map<string, Buffer>> {
  const names = await readdir(fileURLToPath(SITE), { recursive: true });
  const pages = new Map<string, Buffer>();
  for (const name of names.filter((candidate) => candidate.endsWith('.html')).sort()) {
    const path = `/${name.replaceAll('\\', '/').replace(/(^|\/)index\.html$|\.html$/, '')}`.replace(/(.)\/$/, '$1');
    pages.set(path, await readFile(new URL(name, SITE)));
  }
  return pages;
}
