/** A static server of its own process, for machines without nginx: all pages in memory, nothing computed per request. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';

const [root = '', port = ''] = process.argv.slice(2);

const pages = new Map<string, Buffer>();
const load = (folder: string): void => {
  for (const name of readdirSync(join(root, folder))) {
    const path = `${folder}/${name}`;
    // Follows links, of which a package without its dependencies has some that lead nowhere.
    const stat = statSync(join(root, path), { throwIfNoEntry: false });
    if (stat?.isDirectory()) load(path);
    else if (stat && name.endsWith('.html')) pages.set(path, readFileSync(join(root, path)));
  }
};
load('');

createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  const page = pages.get(request.url ?? '');
  if (page) response.writeHead(200, { 'content-type': 'text/html', 'content-length': page.length }).end(page);
  else response.writeHead(404, { 'content-length': 0 }).end();
}).listen(Number(port), '127.0.0.1');

process.once('SIGTERM', () => process.exit(0));
process.once('disconnect', () => process.exit(0));
