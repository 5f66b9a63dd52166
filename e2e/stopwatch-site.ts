/**
 * A web site in a process of its own that does nothing but note when requests come, so that what else the test's process
 * does can't make an arrival look late. Every path is a page of the given list, linked from its folder's root.
 */
import { fork } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';

interface Arrival {
  readonly path: string;
  readonly at: number;
}

export interface StopwatchSite {
  url(path: string): string;
  arrivals(): Promise<readonly Arrival[]>;
  maxInFlight(): Promise<number>;
  close(): Promise<void>;
}

interface Options {
  readonly host: string;
  readonly robots: string;
  /** Folders, each with so many pages. */
  readonly folders: readonly string[];
  readonly pages: number;
}

export async function startStopwatchSite(options: Options): Promise<StopwatchSite> {
  const child = fork(fileURLToPath(import.meta.url), [JSON.stringify(options)]);
  const answer = <T>(question: string): Promise<T> =>
    new Promise((resolve, reject) => {
      child.once('message', (message) => resolve(message as T));
      child.once('exit', () => reject(new Error('the site is gone')));
      child.send(question);
    });
  const port = await answer<number>('port');
  const record = () => answer<{ arrivals: Arrival[]; maxInFlight: number }>('record');
  return {
    url: (path) => `http://${options.host}:${port}${path}`,
    arrivals: async () => (await record()).arrivals,
    maxInFlight: async () => (await record()).maxInFlight,
    async close() {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.disconnect();
      await gone;
    },
  };
}

function serve({ host, robots, folders, pages }: Options): void {
  try {
    // Where it is allowed, it is not kept waiting for a core either.
    setPriority(-20);
  } catch {
    // Only an administrator may; the times are a little less exact then.
  }
  const links = (folder: string): string =>
    Array.from({ length: pages - 1 }, (_, i) => `<a href="${folder}p${i}">x</a>`).join('');
  const arrivals: Arrival[] = [];
  let inFlight = 0;
  let maxInFlight = 0;
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    arrivals.push({ path, at: performance.now() });
    maxInFlight = Math.max(maxInFlight, ++inFlight);
    response.once('close', () => {
      inFlight -= 1;
    });
    const isRobots = path === '/robots.txt';
    response.setHeader('content-type', isRobots ? 'text/plain' : 'text/html');
    response.end(isRobots ? robots : `<title>${path}</title><p>${path}${folders.includes(path) ? links(path) : ''}`);
  });
  server.listen(0, host, () => {
    process.on('message', (question) => {
      if (question === 'port') process.send?.((server.address() as AddressInfo).port);
      else process.send?.({ arrivals, maxInFlight });
    });
    process.once('disconnect', () => {
      server.close();
      server.closeAllConnections();
    });
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) serve(JSON.parse(process.argv[2] ?? '{}') as Options);
