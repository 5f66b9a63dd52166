/**
 * The static web server both contestants crawl: Debian's nginx, unpacked rather than installed, with one worker process;
 * else a small one on Node. Part of neither contestant.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { unpackDebian } from './debian-packages.ts';
import type { Processes } from './processes.ts';
import type { Site, SiteName } from './sites.ts';

export interface WebServer {
  readonly kind: 'nginx' | 'node';
  readonly pid: number;
  startUrl(site: SiteName): string;
}

const START_MS = 20_000;

export async function startWebServer(
  sites: readonly Site[],
  o: { cacheDir: string; workDir: string; processes: Processes; onNotice: (sentence: string) => void },
): Promise<WebServer> {
  const root = join(o.workDir, 'pages');
  mkdirSync(root, { recursive: true });
  for (const { name, directory } of sites) symlinkSync(directory, join(root, name));
  const port = await freePort();
  const nginx = await findNginx(o.cacheDir);
  if (nginx.kind === 'unavailable') o.onNotice(`Without nginx, a small server on Node is used: ${nginx.message}.`);
  const { pid } = o.processes.start(
    nginx.kind === 'found'
      ? {
          name: 'nginx',
          ipc: false,
          command: nginx.command,
          args: nginxArgs({ root, port, prefix: join(o.workDir, 'nginx') }),
        }
      : { name: 'web server', ipc: true, command: process.execPath, args: [NODE_SERVER, root, String(port)] },
  );
  const startUrl = (site: SiteName): string => `http://127.0.0.1:${port}/${site}/index.html`;
  await Promise.race([o.processes.died, untilServing(sites.map(({ name }) => startUrl(name)))]);
  return { kind: nginx.kind === 'found' ? 'nginx' : 'node', pid, startUrl };
}

const NODE_SERVER = fileURLToPath(new URL('./node-web-server.ts', import.meta.url));

async function findNginx(
  cacheDir: string,
): Promise<{ kind: 'found'; command: string } | { kind: 'unavailable'; message: string }> {
  const unpacked = await unpackDebian('nginx', join(cacheDir, 'nginx'));
  if (unpacked.kind === 'unavailable') return unpacked;
  const command = join(unpacked.root, 'usr/sbin/nginx');
  try {
    // Its libraries are the machine's own; whether they are there shows when it is run.
    await promisify(execFile)(command, ['-v']);
    return { kind: 'found', command };
  } catch (error) {
    return { kind: 'unavailable', message: error instanceof Error ? error.message : String(error) };
  }
}

function nginxArgs({ root, port, prefix }: { root: string; port: number; prefix: string }): string[] {
  mkdirSync(prefix, { recursive: true });
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (use) => `${use}_temp_path ${prefix}/${use};`,
  );
  writeFileSync(
    join(prefix, 'nginx.conf'),
    `daemon off;
pid ${prefix}/nginx.pid;
error_log ${prefix}/error.log warn;
worker_processes 1;
${process.getuid?.() === 0 ? 'user root;' : ''}
events { worker_connections 1024; }
http {
  ${temporary.join(' ')}
  access_log off;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 100000000;
  open_file_cache max=10000 inactive=600s;
  open_file_cache_valid 600s;
  types { text/html html; }
  default_type application/octet-stream;
  server { listen 127.0.0.1:${port}; root ${root}; }
}
`,
  );
  return ['-p', prefix, '-c', join(prefix, 'nginx.conf'), '-e', join(prefix, 'error.log')];
}

async function untilServing(urls: readonly string[]): Promise<void> {
  const untilMs = Date.now() + START_MS;
  for (const url of urls) {
    for (;;) {
      const status = await statusOf(url);
      if (status === 200) break;
      if (status !== null || Date.now() > untilMs) throw new Error(`The web server answers ${status} for ${url}`);
      await delay(20);
    }
  }
}

async function statusOf(url: string): Promise<number | null> {
  try {
    const reply = await fetch(url);
    await reply.arrayBuffer();
    return reply.status;
  } catch {
    // Not listening yet: asked again until the time is over.
    return null;
  }
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() =>
        typeof address === 'object' && address ? resolve(address.port) : reject(new Error('no port')),
      );
    });
  });
}
