/**
 * Compares the `@trawl/*` dependencies of every package.json with the direction they may have. pnpm lets a package
 * import only what its package.json names, so this decides for the code as well.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const BASE = ['contracts', 'url', 'extract'];
const MIDDLE = ['crawl-state', 'politeness', 'fetcher', 'queues', 'db', 'blobs', 'embeddings'];

/** What each package may depend on. Everything may depend on `testing`, in devDependencies. */
const ALLOWED = new Map([
  ['contracts', []],
  ['url', ['contracts']],
  ['extract', ['contracts', 'url']],
  ['runtime', BASE],
  ...MIDDLE.map((name) => [name, ['runtime', ...BASE]]),
  ['wakeups', ['crawl-state', 'politeness', 'queues', 'runtime', ...BASE]],
  ['turns', ['wakeups', 'crawl-state', 'politeness', 'queues', 'fetcher', 'runtime', ...BASE]],
  [
    'sessions',
    ['turns', 'wakeups', 'crawl-state', 'politeness', 'queues', 'fetcher', 'db', 'blobs', 'runtime', ...BASE],
  ],
  ['renderer', ['fetcher', 'runtime', ...BASE]],
  ['exports', ['contracts']],
  ['embedded', ['contracts']],
  ['testing', ['embedded', 'contracts']],
]);
const FOR_APPS = ['sessions', 'turns', 'wakeups', 'renderer', 'exports', ...MIDDLE, 'runtime', ...BASE];
/** The supervisor alone starts servers. */
const FOR_CLI = [...FOR_APPS, 'embedded'];

/** A workspace folder, as `{ folder: 'packages/url', manifest }`. Returns a sentence, with the way out, for each breach. */
export function findBreaches(workspaces) {
  const appNames = workspaces.filter(({ folder }) => folder.startsWith('apps/')).map(({ manifest }) => manifest.name);
  return workspaces.flatMap(({ folder, manifest }) => {
    const seesAll = folder === 'e2e' || folder === 'bench';
    const shipped = trawlNames({
      ...manifest.dependencies,
      ...manifest.optionalDependencies,
      ...manifest.peerDependencies,
    });
    const all = [...shipped, ...trawlNames(manifest.devDependencies)];
    if (seesAll) return [];
    const allowed = allowedFor(folder);
    if (!allowed) {
      return [`${folder} is not in the map: say in scripts/allowed-imports.mjs what it may depend on.`];
    }
    return all.flatMap((name) => {
      const short = name.slice('@trawl/'.length);
      if (short === 'testing') {
        return shipped.includes(name) ? [`${folder} ships @trawl/testing: move it to devDependencies.`] : [];
      }
      if (appNames.includes(name)) return [`${folder} depends on the app ${name}: move what it needs into a package.`];
      if (allowed.includes(short)) return [];
      if (MIDDLE.includes(short) && folder.startsWith('packages/')) {
        return [
          `${folder} depends on ${name}, its neighbour: take what it needs as an argument, and let the app wire the two.`,
        ];
      }
      return [
        `${folder} depends on ${name}, which is not to its right: remove it; it may use ${allowed.join(', ') || 'none'}.`,
      ];
    });
  });
}

export function readWorkspaces(root) {
  const inside = (parent) => readdirSync(join(root, parent)).map((name) => `${parent}/${name}`);
  return [...inside('apps'), ...inside('packages'), 'e2e', 'bench']
    .filter((folder) => existsSync(join(root, folder, 'package.json')))
    .map((folder) => ({ folder, manifest: JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) }));
}

function allowedFor(folder) {
  if (folder === 'apps/cli') return FOR_CLI;
  if (folder.startsWith('apps/')) return FOR_APPS;
  return ALLOWED.get(folder.replace('packages/', ''));
}

function trawlNames(dependencies) {
  return Object.keys(dependencies ?? {}).filter((name) => name.startsWith('@trawl/'));
}

if (import.meta.main) {
  const breaches = findBreaches(readWorkspaces(fileURLToPath(new URL('..', import.meta.url))));
  for (const breach of breaches) process.stderr.write(`${breach}\n`);
  process.exitCode = breaches.length === 0 ? 0 : 1;
}
